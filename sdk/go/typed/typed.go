// Package typed registers conversions between Go structs. It decodes and encodes with
// encoding/json. That is convenient, but larger and slower than editing a [crosswalk.Object] in
// place (the README has figures).
//
//	func init() {
//		typed.Register("example.com/v1beta1", "example.com/v1", func(in *v1beta1.Widget, out *v1.Widget) error {
//			out.Spec.Color = in.Spec.Colour
//			return nil
//		})
//	}
//
// # How objects are converted
//
// The structs describe an object without its apiVersion and kind, which the package sets. It takes
// from out every top-level member for which one of the two structs has a field. Other members stay
// unchanged, byte for byte. Inside decoded members, only fields that the structs have survive.
//
// Metadata stays unchanged, byte for byte, unless out has a field for it. Then the package takes
// the labels and annotations from out and leaves the rest of the metadata unchanged. It fills that
// field from the object before the conversion, so that the function sets only the differences.
// [Metadata] is a type for this field.
//
// If the structs are maps, they contain all top-level members except apiVersion, kind and metadata.
//
// Numbers in fields of type any become [json.Number], which keeps their digits. Fields need
// omitempty, and pointers where zero differs from absent: server-side apply converts fragments, and
// an absent field must not come back as a zero.
package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// Metadata is the part of an object's metadata that a conversion may read. It may change labels and
// annotations.
type Metadata struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Register makes convert the conversion from one apiVersion to another: it fills out, which is zero
// but for its metadata, from in. An error refuses the object. See [crosswalk.Register].
func Register[In, Out any](from, to string, convert func(in *In, out *Out) error) {
	crosswalk.Register(from, to, Converter(convert))
}

// Converter returns convert as a converter of raw objects, for those who want to do something
// before or after it.
func Converter[In, Out any](convert func(in *In, out *Out) error) crosswalk.Converter {
	input, output := membersOf(reflect.TypeFor[In]()), membersOf(reflect.TypeFor[Out]())
	return func(o *crosswalk.Object) error {
		var in In
		var out Out
		if err := decode(input.of(o), &in); err != nil {
			return err
		}
		if output.names["metadata"] {
			if metadata, ok := o.Raw("metadata"); ok {
				if err := decode(bytes.Join([][]byte{[]byte(`{"metadata":`), metadata, []byte(`}`)}, nil), &out); err != nil {
					return err
				}
			}
		}
		if err := convert(&in, &out); err != nil {
			return err
		}
		result, err := json.Marshal(&out)
		if err != nil {
			return fmt.Errorf("the converted object cannot be encoded: %w", err)
		}
		replace(o, crosswalk.Parse(result), input, output)
		return nil
	}
}

// replace makes the members of result those of o that a struct knows.
func replace(o, result *crosswalk.Object, input, output members) {
	for name, member := range o.Members() {
		switch {
		case name == "apiVersion" || name == "kind" || name == "metadata":
		case input.has(name) || output.has(name):
			if _, ok := result.Raw(name); !ok {
				member.Remove()
			}
		}
	}
	for name, member := range result.Members() {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			o.SetValue(crosswalk.Path{name}, member)
		}
	}
	if output.names["metadata"] {
		metadata, _ := result.Get("metadata")
		replaceMap(o, metadata, "labels")
		replaceMap(o, metadata, "annotations")
	}
}

// replaceMap takes labels or annotations from metadata.
func replaceMap(o *crosswalk.Object, metadata crosswalk.Value, name string) {
	if value, ok := metadata.Get(name); ok {
		o.SetValue(crosswalk.Path{"metadata", name}, value)
		return
	}
	o.Remove("metadata", name)
}

// decode reads JSON into value; the error names the field as a person would.
func decode(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(value)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf(".%s must be %s, but is %s", wrong.Field, article(wrong.Type.String()), article(wrong.Value))
	}
	return err
}

// article puts the indefinite article before a word.
func article(word string) string {
	switch word[0] {
	case 'a', 'e', 'i', 'o', 'u':
		return "an " + word
	}
	return "a " + word
}
