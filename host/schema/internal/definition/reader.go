package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// MaxName is how many bytes of a name in a path or a message are printed, and MaxRule how many
	// of a pattern or an enum: enough to recognise it, and short enough for a line of a log and for
	// the output of kubectl.
	MaxName = 128
	MaxRule = 256
)

// reader reads JSON, value by value. It keeps the path, and every error begins with the path of its
// field. A null counts as an absent field, as in the API server.
//
// It uses encoding/json because a definition may have numbers that objects may not have, such as
// the maximum of a uint64.
type reader struct {
	decoder *json.Decoder
	path    []string // of the value that is read, each piece as it is printed
}

func newReader(doc []byte) *reader {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	return &reader{decoder: decoder}
}

// fail returns an error about the value at the path.
func (r *reader) fail(format string, args ...any) error {
	return errors.New(r.where() + fmt.Sprintf(format, args...))
}

func (r *reader) where() string {
	if len(r.path) == 0 {
		return ""
	}
	return strings.TrimPrefix(strings.Join(r.path, ""), ".") + ": "
}

// within calls f with a longer path.
func (r *reader) within(piece string, f func() error) error {
	r.path = append(r.path, piece)
	err := f()
	r.path = r.path[:len(r.path)-1]
	return err
}

func (r *reader) token() (json.Token, error) {
	token, err := r.decoder.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	return token, nil
}

// object reads an object and calls field for each member, which must read its value.
func (r *reader) object(field func(key string) error) error { return r.members(".", "", field) }

// named is object for an object whose members have names of the author's choice.
func (r *reader) named(field func(key string) error) error { return r.members("[", "]", field) }

func (r *reader) members(before, after string, field func(key string) error) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	return r.rest(token, before, after, field)
}

// rest reads the rest of an object after its first token.
func (r *reader) rest(token json.Token, before, after string, field func(key string) error) error {
	if token != json.Delim('{') {
		return r.fail("must be an object, not %s", describe(token))
	}
	seen := map[string]bool{}
	for r.decoder.More() {
		token, err := r.token()
		if err != nil {
			return err
		}
		key := token.(string) // the decoder only allows strings as keys
		err = r.within(before+foreign.Shorten(key, MaxName)+after, func() error {
			if seen[key] {
				return r.fail("is there twice")
			}
			seen[key] = true
			return field(key)
		})
		if err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// array reads an array and calls element for each of its elements, which must read it.
func (r *reader) array(element func(i int) error) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return r.fail("must be an array, not %s", describe(token))
	}
	for i := 0; r.decoder.More(); i++ {
		if err := r.within("["+strconv.Itoa(i)+"]", func() error { return element(i) }); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// raw reads any value.
func (r *reader) raw() (json.RawMessage, error) {
	var value json.RawMessage
	if err := r.decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	return value, nil
}

func (r *reader) skip() error {
	_, err := r.raw()
	return err
}

// text reads a string into s.
func (r *reader) text(s *string) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	value, ok := token.(string)
	if !ok {
		return r.fail("must be a string, not %s", describe(token))
	}
	*s = value
	return nil
}

// texts reads an array of strings into s.
func (r *reader) texts(s *[]string) error {
	return r.array(func(int) error {
		var text string
		err := r.text(&text)
		*s = append(*s, text)
		return err
	})
}

// flag reads a boolean into b.
func (r *reader) flag(b *bool) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	value, ok := token.(bool)
	if !ok {
		return r.fail("must be true or false, not %s", describe(token))
	}
	*b = value
	return nil
}

// number reads a number into f.
func (r *reader) number(f **float64) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	number, ok := token.(json.Number)
	if !ok {
		return r.fail("must be a number, not %s", describe(token))
	}
	value, err := number.Float64()
	if err != nil {
		return r.fail("must be a number that a float64 can hold")
	}
	*f = &value
	return nil
}

// count reads an integer that is not negative into n.
func (r *reader) count(n **int64) error {
	token, err := r.token()
	if err != nil || token == nil {
		return err
	}
	number, ok := token.(json.Number)
	if !ok {
		return r.fail("must be an integer, not %s", describe(token))
	}
	value, err := number.Int64()
	if err != nil || value < 0 {
		return r.fail("must be an integer, and not negative")
	}
	*n = &value
	return nil
}

// describe names the value that a token begins, as messages do.
func describe(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	default:
		return "null"
	}
}
