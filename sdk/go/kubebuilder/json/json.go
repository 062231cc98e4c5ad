// Package json has the part of encoding/json that conversions use, made of the codec that decodes
// and encodes their objects. It is several times faster in a module, and spares it encoding/json, a
// tenth of its size. crosswalk adopt lets the copies of an operator's packages import it instead of
// encoding/json, if they use nothing else, and no type needs more than the codec can do.
//
// The results and the errors' texts are those of encoding/json, with one difference: when a value
// has the wrong type, encoding/json decodes the rest of the text and then returns the error, and
// Unmarshal returns it at once. Several goroutines may call the functions.
package json

import (
	"errors"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// Marshaler is implemented by types that encode themselves.
type Marshaler = interface{ MarshalJSON() ([]byte, error) }

// Unmarshaler is implemented by types that decode themselves.
type Unmarshaler = interface{ UnmarshalJSON([]byte) error }

// RawMessage is JSON text that is encoded and decoded as it is.
type RawMessage []byte

// MarshalJSON returns m, or null if it is nil.
func (m RawMessage) MarshalJSON() ([]byte, error) {
	if m == nil {
		return []byte("null"), nil
	}
	return m, nil
}

// UnmarshalJSON sets *m to a copy of data.
func (m *RawMessage) UnmarshalJSON(data []byte) error {
	if m == nil {
		return errors.New("json.RawMessage: UnmarshalJSON on nil pointer")
	}
	*m = append((*m)[:0], data...)
	return nil
}

// Marshal returns the JSON of v.
func Marshal(v any) ([]byte, error) { return codec.Adopted().Marshal(v) }

// Unmarshal decodes data into the value that v points to.
func Unmarshal(data []byte, v any) error {
	return codec.Adopted().Unmarshal(data, v, codec.Matching{})
}

// Valid reports whether data is JSON.
func Valid(data []byte) bool { return codec.Adopted().Valid(data) == nil }

// UnmarshalPreserveInts is Unmarshal, but a whole number in a value of type any is an int64 if it
// fits.
func UnmarshalPreserveInts(data []byte, v any) error {
	return codec.Adopted().Unmarshal(data, v, codec.Matching{Integers: true})
}

// Unstructured says how a library makes maps of objects; see [MarshalUnstructured].
type Unstructured = codec.Unstructured

// MarshalUnstructured returns the text that Marshal makes of the maps that
// runtime.DefaultUnstructuredConverter of k8s.io/apimachinery makes of the object that v points to;
// ok is false if v has a part that only the library can convert.
func MarshalUnstructured(v any, u Unstructured) (text []byte, ok bool) {
	return codec.Adopted().MarshalUnstructured(v, u)
}

// UnmarshalCaseSensitivePreserveInts decodes as the function of this name in sigs.k8s.io/json:
// names that differ in case do not match, and a whole number in a value of type any is an int64 if
// it fits.
func UnmarshalCaseSensitivePreserveInts(data []byte, v any) error {
	return codec.Adopted().Unmarshal(data, v, codec.Matching{ExactNames: true, Integers: true})
}
