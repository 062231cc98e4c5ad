// Package schema checks objects against the structural schemas of a CustomResourceDefinition. An
// API server prunes the results of a conversion webhook but does not validate them. A converter
// that writes a number into a string field stores that number, and a converter that misspells a
// field loses its value. This check reports both.
//
// It judges a converted object as the API server would judge the same object in a client's write:
// it drops unknown fields, drops nulls where null is not allowed, and validates the rest against
// the schema. All keywords of structural schemas count: type, nullable, x-kubernetes-int-or-string,
// properties, additionalProperties, items, required, enum, minimum, maximum and their exclusive
// forms, multipleOf, minLength, maxLength (in characters), pattern, format, minItems, maxItems,
// uniqueItems, minProperties, maxProperties, allOf, anyOf, oneOf, not, x-kubernetes-list-type and
// -list-map-keys, x-kubernetes-preserve-unknown-fields and x-kubernetes-embedded-resource.
//
// # Limitations
//
//   - The rules of x-kubernetes-validations (CEL) are not evaluated.
//   - The host checks the object's own metadata, because it knows the original. In an embedded
//     resource, metadata must be an object that its schema allows; the rules for names and labels
//     are not checked.
//   - The formats isbn, isbn10, isbn13 and creditcard are ignored, like unknown formats.
//   - Defaults are not filled in. The API server does not fill them in after a conversion either.
//
// # Differences from the API server
//
//   - A null where null is not allowed is reported even if the field has a default. In a client's
//     write, the API server replaces the null by the default; after a conversion it keeps the null.
//   - An array is never a string. The API server accepts an array where a string must have a
//     format.
//   - A number with a fraction is never an integer. The API server accepts 2.0000000001, a
//     billionth off.
//   - Numbers are compared exactly. The API server cuts the fraction off a bound that it compares
//     with an integer, and never finds an integer to be a multiple of a fraction.
//   - The elements of a set, the keys of a list map and the values of an enum are compared as JSON
//     values: 1 and 1.0 are equal, and 97 is not "a".
//
// # Files
//
// The package definition reads the file, and compile.go makes nodes of its schemas, with the rules of
// size.go, number.go, text.go, list.go and enum.go. An object is checked by check.go (one object),
// checker.go (the state, and the report of a violation) on cursor.go (the place that is read) and
// budget.go (the work), and by value.go, object.go, array.go, combination.go and embedded.go, which
// call each other as values contain each other.
package schema

import (
	"slices"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
)

// CRD is a parsed CustomResourceDefinition. It is immutable and may be shared between goroutines;
// do not change its fields.
type CRD struct {
	Group, Kind, Plural string
	Versions            []Version // in the order of the file; one of them has Storage

	// Warnings are oddities that Parse ignored, such as a pattern that is not a regular expression.
	// Each names its field.
	Warnings []string

	// Skipped are rules that are over a bound, which Check leaves out, such as a pattern that
	// compiles to a million instructions. Each names its field.
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

// FileName returns the name of the definition's file beside the modules: <plural>.<group>.crd.yaml.
func (c *CRD) FileName() string { return c.Plural + "." + c.Group + ".crd.yaml" }

// storage returns the storage version.
func (c *CRD) storage() *Version {
	return &c.Versions[slices.IndexFunc(c.Versions, func(v Version) bool { return v.Storage })]
}

// ToJSON returns the one document that a file of at most 4 MiB holds, as JSON, for [Parse]. It
// parses YAML; Parse itself, given a file of JSON, does not.
func ToJSON(file []byte) ([]byte, error) { return definition.ToJSON(file) }

// Parse reads a CustomResourceDefinition of apiextensions.k8s.io/v1, as YAML or as JSON: one
// document of at most 4 MiB.
//
// # Errors
//
// The message begins with the field:
// spec.versions[0].schema.openAPIV3Schema.properties[spec].minimum: must be a number, not a string.
// Parse fails for a keyword that every API server rejects and that has no meaning here. It ignores
// a keyword that it merely cannot check, with a warning if the author should know.
func Parse(file []byte) (*CRD, error) {
	d, err := definition.Parse(file)
	if err != nil {
		return nil, err
	}
	c := &CRD{Group: d.Group, Kind: d.Kind, Plural: d.Plural, Warnings: d.Warnings, Skipped: d.Skipped, unpruned: d.Unpruned}
	c.checkers.New = func() any { return newChecker() }
	for _, v := range d.Versions {
		c.Versions = append(c.Versions, Version{
			Name: v.Name, Served: v.Served, Storage: v.Storage, Stored: v.Stored, Deprecated: v.Deprecated, root: compileRoot(v.Schema),
		})
	}
	return c, nil
}
