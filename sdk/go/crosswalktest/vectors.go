// Package crosswalktest tests the conversions of a module natively, with the golden cases that its
// WebAssembly form is tested with as well:
//
//	func TestCases(t *testing.T) { crosswalktest.Run(t, "build/vectors.json") }
//
// in the module's own package, so that its init has registered the conversions.
package crosswalktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
)

// Vector is one example of a conversion: a batch of objects and the expected results.
type Vector struct {
	Name              string            `json:"name"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
	// Want is the answer for each object, compared as JSON: white space and the order of members do
	// not matter, but numbers must be written alike. Null when WantError is set.
	Want []json.RawMessage `json:"want,omitempty"`
	// WantError is the exact text of the first refusal.
	WantError string `json:"wantError,omitempty"`
}

// Read reads a file of vectors, a JSON array.
//
// # Errors
//
// Read returns an error if it cannot read the file, or if a vector is meaningless: misspelt fields,
// a missing or duplicate name, both or neither of want and wantError, or a number of wants that
// differs from the number of objects.
func Read(file string) ([]Vector, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var vectors []Vector
	if err := decoder.Decode(&vectors); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	names := map[string]bool{}
	for i, v := range vectors {
		switch {
		case v.Name == "" || names[v.Name]:
			err = fmt.Errorf("%s: vector %d needs a name of its own, but has %q", file, i, v.Name)
		case v.DesiredAPIVersion == "":
			err = fmt.Errorf("%s: vector %q has no desiredAPIVersion", file, v.Name)
		case (v.Want != nil) == (v.WantError != ""):
			err = fmt.Errorf("%s: vector %q needs either want or wantError", file, v.Name)
		case v.Want != nil && len(v.Want) != len(v.Objects):
			err = fmt.Errorf("%s: vector %q has %d objects, but wants %d", file, v.Name, len(v.Objects), len(v.Want))
		}
		if err != nil {
			return nil, err
		}
		names[v.Name] = true
	}
	return vectors, nil
}

// Check returns an error that describes how the results of a converter differ from those that v
// wants, or nil. refusals has the text of each refusal by the index of its object; converted has
// the other results.
func (v Vector) Check(converted [][]byte, refusals map[int]string) error {
	for i := range v.Objects {
		refusal, refused := refusals[i]
		switch {
		case refused && v.WantError == refusal:
			return nil
		case refused && v.WantError != "":
			return fmt.Errorf("object %d was refused with\n\t%s\nbut should have been with\n\t%s", i, refusal, v.WantError)
		case refused:
			return fmt.Errorf("object %d was refused: %s", i, refusal)
		case v.Want == nil:
			continue
		}
		if err := equal(converted[i], v.Want[i]); err != nil {
			return fmt.Errorf("object %d became\n\t%s\nbut should be\n\t%s\n%w", i, converted[i], v.Want[i], err)
		}
	}
	if v.WantError != "" {
		return fmt.Errorf("no object was refused, but one should have been with\n\t%s", v.WantError)
	}
	return nil
}

// equal compares two JSON texts.
func equal(got, want []byte) error {
	g, err := decode(got)
	if err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	w, err := decode(want)
	if err != nil {
		return fmt.Errorf("the vector is not JSON: %w", err)
	}
	if !reflect.DeepEqual(g, w) {
		return fmt.Errorf("they differ as JSON")
	}
	return nil
}

// decode reads one JSON value and keeps numbers as they are written.
func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("there is text after the value, at byte %d", decoder.InputOffset())
	}
	return value, nil
}
