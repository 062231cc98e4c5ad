// Package compat compares two definitions of a custom resource and lists the changes that a stored
// object or a client would notice.
package compat

import (
	"cmp"
	"slices"
	"strings"
)

// Class is the effect of a change, the worst first.
type Class string

// The classes.
const (
	Rejected      Class = "rejected"              // the API server accepts no such definition, or no such update
	BreaksObjects Class = "breaks stored objects" // the API server rejects or cuts an object that it accepted before
	BreaksClients Class = "breaks clients"        // a request that succeeded before fails
	Behaviour     Class = "changes behaviour"     // requests succeed, with another result
	Safe          Class = "safe"
)

var order = []Class{Rejected, BreaksObjects, BreaksClients, Behaviour, Safe}

// Change is one difference between two definitions.
type Change struct {
	Definition string `json:"definition"` // <plural>.<group> of OLD
	Version    string `json:"version,omitempty"`
	Path       string `json:"path,omitempty"` // spec.list[].name; * stands for the keys of a map
	Rule       string `json:"rule"`           // such as field-removed
	Class      Class  `json:"class"`
	Text       string `json:"text"`
	Fix        string `json:"fix,omitempty"`
	To         string `json:"to,omitempty"`         // the version that objects of Version must convert to
	Covered    string `json:"covered,omitempty"`    // how a conversion covers the change
	NotCovered string `json:"notCovered,omitempty"` // why the given conversion does not

	Steps []string `json:"-"` // of Path
}

// Breaks reports whether the API server rejects the change, or it breaks objects or clients and no
// conversion covers it.
func (c *Change) Breaks() bool {
	return c.Covered == "" && (c.Class == Rejected || c.Class == BreaksObjects || c.Class == BreaksClients)
}

// Place returns the version and path of the change, for people.
func (c *Change) Place() string { return strings.TrimSpace(c.Version + " " + c.Path) }

// Rules describes each rule, for reports that list them.
func Rules() map[string]string {
	return map[string]string{
		"definition-rejected":    "The API server rejects the definition.",
		"update-rejected":        "The API server rejects the update of the definition.",
		"definition-removed":     "A definition is gone.",
		"group-changed":          "The group is another one.",
		"names-changed":          "A name of the resource is another one.",
		"version-removed":        "A version is gone.",
		"version-unserved":       "A version is no longer served.",
		"version-added":          "A version is new.",
		"version-deprecated":     "A version is now deprecated.",
		"storage-changed":        "Objects are stored at another version.",
		"conversion-removed":     "Versions with different schemas are no longer converted by a webhook.",
		"conversion-added":       "A webhook converts between versions.",
		"subresource-changed":    "A subresource is new, gone or different.",
		"printed-columns":        "The columns that kubectl prints are different.",
		"selectable-fields":      "A field can no longer be selected by.",
		"field-removed":          "A field is gone from the schema: the API server drops it.",
		"field-added":            "A field is new.",
		"field-specified":        "A field that could have any value now has a schema.",
		"field-unspecified":      "A field is gone from the schema: the API server keeps it, and accepts any value.",
		"map-removed":            "Keys that the schema does not name are dropped.",
		"type-narrowed":          "The schema no longer accepts a type.",
		"type-widened":           "The schema accepts another type.",
		"required-added":         "A field is now required.",
		"required-removed":       "A field is no longer required.",
		"default-added":          "A default is new.",
		"default-changed":        "A default is another value.",
		"default-removed":        "A default is gone.",
		"enum-narrowed":          "Values are gone from an enum, or an enum is new.",
		"enum-widened":           "An enum accepts more values, or is gone.",
		"bound-narrowed":         "A bound, a pattern or a format accepts fewer values.",
		"bound-widened":          "A bound, a pattern or a format accepts more values.",
		"null-removed":           "The schema no longer accepts null.",
		"null-added":             "The schema accepts null.",
		"unknown-fields-dropped": "Unknown fields are no longer kept.",
		"unknown-fields-kept":    "Unknown fields are kept.",
		"embedded-changed":       "A value begins or ceases to be an embedded resource.",
		"list-type":              "The type of a list, or the keys of its elements, are different.",
		"map-type":               "Server-side apply owns an object as a whole, or no longer does.",
		"validation-added":       "A CEL rule, allOf, anyOf, oneOf or not is new or different.",
		"validation-removed":     "A CEL rule, allOf, anyOf, oneOf or not is gone.",
	}
}

// sortChanges orders changes by class, the worst first, then as they are.
func sortChanges(list []Change) {
	slices.SortStableFunc(list, func(a, b Change) int {
		return cmp.Or(slices.Index(order, a.Class)-slices.Index(order, b.Class), strings.Compare(a.Definition, b.Definition))
	})
}
