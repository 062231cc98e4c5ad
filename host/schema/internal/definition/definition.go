// Package definition reads the file of a CustomResourceDefinition: hostile bytes, under bounds, into
// schemas that are consistent in themselves. It checks no objects.
package definition

// Definition is a CustomResourceDefinition as its file has it.
type Definition struct {
	Group, Kind, Plural string
	Versions            []Version // in the order of the file; one of them has Storage

	Warnings []string // oddities that Parse ignored
	Skipped  []string // rules that are over a bound
	Unpruned bool     // spec.preserveUnknownFields
}

// Version is one version of a definition.
type Version struct {
	Name                                string
	Served, Storage, Stored, Deprecated bool
	Schema                              *Schema
}
