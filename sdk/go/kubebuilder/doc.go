// Package kubebuilder makes converter modules of the Go types that an operator has already: those
// that implement controller-runtime's conversion.Hub and conversion.Convertible, as kubebuilder
// generates them. The code is compiled unchanged:
//
//	func init() {
//		kubebuilder.Register(kubebuilder.Kind{
//			Hub:    kubebuilder.Hub("batch.tutorial.kubebuilder.io/v1", &v1.CronJob{}),
//			Spokes: []kubebuilder.Version{kubebuilder.Spoke("batch.tutorial.kubebuilder.io/v2", &v2.CronJob{})},
//		})
//	}
//
//	func main() {}
//
// Plain functions work as well, see [RegisterFunc]. The package imports only the standard library;
// the types add their own imports.
//
// # How objects are converted
//
// The package decodes, converts and encodes the whole object, as controller-runtime's webhook does.
// Unknown fields are therefore lost, and the result has members that the types always write (a
// status: {} without omitempty). Of the metadata, the package takes labels and annotations from the
// result and leaves the rest unchanged; it adds no metadata to an object without. Kind.Lossless
// keeps fields that a spoke lacks. An error of the types refuses the object with its text.
//
// # Fragments
//
// Server-side apply converts fragments of objects, which have no metadata.uid. The package removes
// from a fragment's result the members that the types write unasked: members that they also write
// for an object with nothing but the fragment's metadata, or for a zero value of the Go type at the
// same place, in lists too. It keeps a member if the fragment has one at the same place, or if the
// member comes from a zero in the fragment: a spec with one field becomes a spec with only that
// field, without a zero for every other.
//
// To find out, the package converts the fragment once more with another value in place of each zero
// and compares the results. The values are distinct. The package divides the zeros if the types
// refuse these values together, or if a value is not in the result, because another zero may hide
// it. It stops after 6 such conversions, or before one that could use more than half of the fuel that
// a gateway grants by default. The other zeros then count as not set, unless they keep their place,
// and the log says so.
package kubebuilder
