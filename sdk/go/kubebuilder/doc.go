// Package kubebuilder makes converter modules of the Go types that an operator has already: those that implement
// controller-runtime's conversion.Hub and conversion.Convertible, as kubebuilder generates them. The code is compiled as it is:
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
// Plain functions will do as well, see [RegisterFunc]. The package imports the standard library only; the types bring with
// them what they import.
//
// # What becomes of the object
//
// It is decoded as a whole, and converted, and encoded as a whole, as controller-runtime's webhook does it. Hence what the
// types do not know is lost, and what they always write (a status: {} without omitempty) is there. Of the metadata, labels and
// annotations are taken from the result; the rest stays as it was, as does an object without metadata. Kind.Lossless keeps what
// a spoke has no field for. An error of the types refuses the object with its text.
//
// # Fragments
//
// Server-side apply converts fragments of objects, which have no metadata.uid. From a fragment's result the package leaves out
// what the types write unasked: what they write for an object of nothing but the fragment's metadata, and what they write for a
// zero value of the Go type at the same place, in lists too. It keeps a member if the fragment has one at the same place, or if
// it comes from a zero in the fragment: a spec with only one field becomes one with only that field, not one with a zero for
// every other. The fragment is converted once more for each zero in it, with something else instead, to see what changes.
package kubebuilder
