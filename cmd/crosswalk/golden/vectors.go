package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/replace"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Vector is a golden case in the form that the native tests of the SDKs read: objects, and their
// answers or the first refusal. sdk/go/crosswalktest describes the format.
type Vector struct {
	Name              string            `json:"name"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
	Want              []json.RawMessage `json:"want,omitempty"`
	WantError         string            `json:"wantError,omitempty"`
}

// Vectors returns the vectors of the golden cases of a group's kind: one for each case, and one
// more for the way back of a case with thereAndBack. answer returns the module's whole answer to a
// case that it passes. Vectors calls it for cases that do not have the text of the answer: those
// that list the values of a stash, and those without want.
//
// It returns the errors of answer, with the labels of their cases.
func Vectors(group string, cases []module.Case, answer func(i int) ([]byte, error)) ([]Vector, error) {
	var vectors []Vector
	var wrong []error
	for i, c := range cases {
		v := Vector{Name: c.Name, DesiredAPIVersion: group + "/" + c.To, Objects: []json.RawMessage{c.Object}}
		if v.WantError = c.WantError; v.WantError != "" {
			vectors = append(vectors, v)
			continue
		}
		want := c.Want
		if want == nil || c.Stash != nil {
			var err error
			if want, err = answer(i); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", c.Name, err))
				continue
			}
		}
		v.Want = []json.RawMessage{want}
		vectors = append(vectors, v)
		if c.ThereAndBack {
			vectors = append(vectors, Vector{Name: c.Name + ", and back", DesiredAPIVersion: group + "/" + c.From, Objects: v.Want, Want: v.Objects})
		}
	}
	return vectors, errors.Join(wrong...)
}

// WriteVectors writes vectors to a file, one on a line. Objects have no white space, because the
// stash of an answer keeps values with theirs. It replaces the file at once, or leaves it as it
// was.
func WriteVectors(file string, vectors []Vector) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	before := "[\n  "
	for _, v := range vectors {
		b.WriteString(before)
		before = ",\n  "
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line's end, which Encode adds
	}
	b.WriteString("\n]\n")
	return replace.File(file, b.Bytes())
}
