package codec

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Errors in the words of encoding/json, for conversions that return them: they are shown to users,
// and the operator's own webhook says the same.

// Valid returns an error if text is not JSON.
func (s *Set) Valid(text []byte) error {
	d := decoderOf(s, padded(text))
	d.blank()
	if d.skip() == nil {
		if d.blank(); d.pos == len(d.text) {
			return nil
		}
	}
	x := explainer{text: string(text)}
	x.blank()
	if x.value(1) {
		x.blank()
		x.fail("after top-level value")
	}
	return errors.New(x.why)
}

// explainer finds out why a text is not JSON.
type explainer struct {
	text string
	i    int
	why  string
}

// next returns the next byte, and a space at the end, as encoding/json does for tokens that need
// another byte.
func (x *explainer) next() byte {
	if x.i < len(x.text) {
		return x.text[x.i]
	}
	return ' '
}

func (x *explainer) blank() {
	for x.i < len(x.text) && strings.IndexByte(" \t\r\n", x.text[x.i]) >= 0 {
		x.i++
	}
}

// fail says that the next byte is wrong. It returns false.
func (x *explainer) fail(context string) bool {
	if x.i == len(x.text) {
		x.why = "unexpected end of JSON input"
		return false
	}
	return x.failWithin(context)
}

// failWithin is fail within a token.
func (x *explainer) failWithin(context string) bool {
	quoted := strconv.Quote(string(rune(x.next())))
	quoted = quoted[1 : len(quoted)-1]
	switch x.next() {
	case '\'':
		quoted = `\'`
	case '"':
		quoted = `"`
	}
	x.why = "invalid character '" + quoted + "' " + context
	return false
}

func (x *explainer) value(depth int) bool {
	c := x.next()
	switch {
	case x.i == len(x.text):
	case (c == '{' || c == '[') && depth > maxDepth:
		return x.fail("exceeded max depth")
	case c == '{' || c == '[':
		return x.container(depth, c == '{')
	case c == '"':
		return x.quoted()
	case c == 't':
		return x.word("true")
	case c == 'f':
		return x.word("false")
	case c == 'n':
		return x.word("null")
	case c == '-' || c-'0' <= 9:
		return x.number()
	}
	return x.fail("looking for beginning of value")
}

// container is value for an object or an array.
func (x *explainer) container(depth int, object bool) bool {
	closing, after := byte(']'), "after array element"
	if object {
		closing, after = '}', "after object key:value pair"
	}
	x.i++
	x.blank()
	if x.next() == closing {
		x.i++
		return true
	}
	for {
		if object && !x.name() || !x.value(depth+1) {
			return false
		}
		x.blank()
		switch x.next() {
		case closing:
			x.i++
			return true
		case ',':
			x.i++
			x.blank()
		default:
			return x.fail(after)
		}
	}
}

// name goes behind a member's name and its colon.
func (x *explainer) name() bool {
	if x.next() != '"' {
		return x.fail("looking for beginning of object key string")
	}
	if !x.quoted() {
		return false
	}
	if x.blank(); x.next() != ':' {
		return x.fail("after object key")
	}
	x.i++
	x.blank()
	return true
}

func (x *explainer) quoted() bool {
	for x.i++; ; x.i++ {
		switch c := x.next(); {
		case x.i == len(x.text) || c < ' ':
			return x.fail("in string literal")
		case c == '"':
			x.i++
			return true
		case c == '\\':
			x.i++
			if c := x.next(); strings.IndexByte(`"\/bfnrtu`, c) < 0 {
				return x.failWithin("in string escape code")
			} else if c != 'u' {
				continue
			}
			for range 4 {
				x.i++
				if c := x.next(); c-'0' > 9 && (c|0x20)-'a' > 5 {
					return x.failWithin(`in \u hexadecimal character escape`)
				}
			}
		}
	}
}

func (x *explainer) word(w string) bool {
	for n := range len(w) {
		if x.next() != w[n] {
			return x.failWithin("in literal " + w + " (expecting '" + w[n:n+1] + "')")
		}
		x.i++
	}
	return true
}

func (x *explainer) number() bool {
	if x.next() == '-' {
		x.i++
	}
	if x.next() == '0' {
		x.i++
	} else if !x.digits("in numeric literal") {
		return false
	}
	if x.next() == '.' {
		x.i++
		if !x.digits("after decimal point in numeric literal") {
			return false
		}
	}
	if x.next()|0x20 == 'e' {
		x.i++
		if c := x.next(); c == '+' || c == '-' {
			x.i++
		}
		return x.digits("in exponent of numeric literal")
	}
	return true
}

func (x *explainer) digits(context string) bool {
	start := x.i
	for x.next()-'0' <= 9 {
		x.i++
	}
	return x.i > start || x.failWithin(context)
}

// inWords returns err in encoding/json's words if it is a TypeError.
func inWords(err error) error {
	var wrong *TypeError
	if !errors.As(err, &wrong) {
		return err
	}
	words := "json: cannot unmarshal " + wrong.Value + " into Go "
	if wrong.owner == nil {
		words += "value"
	} else {
		slices.Reverse(wrong.names)
		words += "struct field " + wrong.owner.Name() + "." + strings.Join(wrong.names, ".")
	}
	return errors.New(words + " of type " + wrong.Type.String())
}

// invalidTarget is the error for a v that cannot be decoded into.
func invalidTarget(v any) error {
	switch t := reflect.TypeOf(v); {
	case t == nil:
		return errors.New("json: Unmarshal(nil)")
	case t.Kind() != reflect.Pointer:
		return errors.New("json: Unmarshal(non-pointer " + t.String() + ")")
	default:
		return errors.New("json: Unmarshal(nil " + t.String() + ")")
	}
}
