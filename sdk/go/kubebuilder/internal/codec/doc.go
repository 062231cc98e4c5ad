// Package codec encodes and decodes Go values by the rules of encoding/json, from tables that are
// built once.
//
// A gateway puts a module back into its state after initialisation before every batch.
// encoding/json builds its tables for a type when it meets the type for the first time, which is
// after initialisation, and so builds them again for every batch. A [Set] builds them when a
// [Codec] is made. The results are those of encoding/json to the byte: names, case folding,
// dominance among embedded fields, omitempty, omitzero, string, null, Marshaler and TextMarshaler.
// The tests compare the two.
//
// A subtree may be beyond the tables, such as an interface with MarshalJSON among its methods. It
// goes to a [Fallback], and [Set.Left] names its type.
package codec
