// Package schema checks objects against the structural schemas of a CustomResourceDefinition. An API server prunes what a conversion
// webhook returns and validates none of it, so a converter that writes a number where a string belongs stores that number, and one that
// misspells a field loses what it wrote. This check is what would have told.
//
// It judges a converted object as the API server would judge the same object when a client writes it: unknown fields are dropped, nulls
// where null is not allowed are dropped, and what is left is held against the schema. All keywords of structural schemas count: type,
// nullable, x-kubernetes-int-or-string, properties, additionalProperties, items, required, enum, minimum, maximum and their exclusive
// forms, multipleOf, minLength, maxLength (in characters), pattern, format, minItems, maxItems, uniqueItems, minProperties,
// maxProperties, allOf, anyOf, oneOf, not, x-kubernetes-list-type and -list-map-keys, x-kubernetes-preserve-unknown-fields and
// x-kubernetes-embedded-resource.
//
// # What is not checked
//
//   - The rules of x-kubernetes-validations (CEL) are not evaluated.
//   - The object's own metadata is left to the host, which knows the original. Of an embedded resource's metadata, only that it is an
//     object and what its schema says is checked, not the rules of names, labels and the rest.
//   - The formats isbn, isbn10, isbn13 and creditcard count as unknown ones, which are ignored.
//   - Defaults are not filled in: the API server does not do so after a conversion either.
//
// # Where the API server judges differently
//
//   - A null where null is not allowed, in a field that has a default, is reported. When a client writes it, the API server puts the
//     default there; after a conversion it leaves the null.
//   - An array is no string. The API server lets arrays through where a string must have a format.
//   - A number with a fraction is never an integer. The API server accepts 2.0000000001, a billionth off.
//   - Numbers are compared exactly. The API server cuts the fraction off a bound that it compares with an integer, and finds integers to
//     be no multiple of a fraction.
//   - The elements of a set, the keys of a list map and the values of an enum are compared by what they are in JSON: 1 and 1.0 are equal,
//     and 97 is not "a".
package schema

import (
	"slices"
	"sync"
)

// CRD is a CustomResourceDefinition, made ready to check objects with. It is immutable and may be shared between goroutines; nobody may
// change its fields.
type CRD struct {
	Group, Kind, Plural string
	Namespaced          bool
	Versions            []Version // in the order of the file; one of them has Storage

	// Warnings are what Parse found odd and went on without, such as a pattern that is no regular expression. Each names its field.
	Warnings []string

	// Skipped are rules that are over a bound, which Check leaves out, such as a pattern that compiles to a million instructions. Each
	// names its field.
	Skipped []string

	unpruned bool      // spec.preserveUnknownFields: the API server drops neither fields nor nulls
	checkers sync.Pool // of *checker
}

// Version is one version of the custom resource.
type Version struct {
	Name       string
	Served     bool
	Storage    bool // the version that objects are written to storage in
	Stored     bool // objects of this version may be in storage, by status.storedVersions; the storage version always is
	Deprecated bool

	root *node
}

// FileName is what a file with this definition is called beside the modules: <plural>.<group>.crd.yaml.
func (c *CRD) FileName() string { return c.Plural + "." + c.Group + ".crd.yaml" }

// storage returns the storage version.
func (c *CRD) storage() *Version {
	return &c.Versions[slices.IndexFunc(c.Versions, func(v Version) bool { return v.Storage })]
}
