package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Vector is a case of a file of vectors, which the native tests of the SDKs read: a batch of
// objects, and the answers or the first refusal. sdk/go/crosswalktest describes the format.
type Vector struct {
	Name              string            `json:"name"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
	Want              []json.RawMessage `json:"want,omitempty"`
	WantError         string            `json:"wantError,omitempty"`
}

// maxVectors is the largest file of vectors, in bytes.
const maxVectors = 32 << 20

// ReadVectors reads a file of vectors.
func ReadVectors(file string) ([]Vector, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(text) > maxVectors {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", file, len(text), maxVectors)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var vectors []Vector
	if err := d.Decode(&vectors); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return vectors, nil
}

// Try converts the objects of a vector, one by one, and returns the differences from the vector, ""
// if there are none. answered has the answers or the refusal.
func (v Vector) Try(ctx context.Context, convert func(ctx context.Context, object []byte, to string) (answer []byte, refusal string, err error)) (why string, answered Vector) {
	answered = v
	answered.Want, answered.WantError = nil, ""
	for i, object := range v.Objects {
		got, refusal, err := convert(ctx, object, v.DesiredAPIVersion)
		switch {
		case err != nil:
			return err.Error(), v
		case refusal != "":
			answered.Want, answered.WantError = nil, refusal
			if refusal != v.WantError {
				return fmt.Sprintf("object %d is refused with %q, not with %q", i, refusal, v.WantError), answered
			}
			return "", answered
		}
		answered.Want = append(answered.Want, got)
		if why == "" && v.WantError == "" && (i >= len(v.Want) || !rawjson.Equal(v.Want[i], got)) {
			want := []byte("null")
			if i < len(v.Want) {
				want = v.Want[i]
			}
			why = fmt.Sprintf("object %d:\n%s", i, Differences(want, got))
		}
	}
	if v.WantError != "" {
		return fmt.Sprintf("no object is refused, but one should be with %q", v.WantError), answered
	}
	if v.Want != nil && answered.Want == nil {
		answered.Want = []json.RawMessage{}
	}
	return why, answered
}

// UpdateVectors writes vectors to their file: those of the given names with new answers, and the
// others as they are, but with other white space.
func UpdateVectors(file string, vectors []Vector, changed []string) error {
	if len(changed) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("[")
	for i, v := range vectors {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  {\n    \"name\": %s,\n    \"desiredAPIVersion\": %s,\n    \"objects\": [", quoted(v.Name), quoted(v.DesiredAPIVersion))
		writeList(&b, v.Objects)
		b.WriteString("]")
		if v.WantError != "" {
			fmt.Fprintf(&b, ",\n    \"wantError\": %s", quoted(v.WantError))
		} else {
			b.WriteString(",\n    \"want\": [")
			writeList(&b, v.Want)
			b.WriteString("]")
		}
		b.WriteString("\n  }")
	}
	b.WriteString("\n]\n")
	return replaceFile(file, b.Bytes())
}

func quoted(text string) []byte { return rawjson.Quote(nil, text) }

// writeList writes objects, one on a line.
func writeList(b *bytes.Buffer, list []json.RawMessage) {
	for i, object := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n      ")
		var one bytes.Buffer
		if json.Compact(&one, object) == nil {
			b.Write(slices.Clip(one.Bytes()))
		}
	}
	if len(list) > 0 {
		b.WriteString("\n    ")
	}
}
