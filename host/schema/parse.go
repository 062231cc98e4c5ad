package schema

import "github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"

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
