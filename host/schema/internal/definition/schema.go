package definition

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
)

// Schema is one schema of the file, consistent in itself, without the keywords that only describe.
type Schema struct {
	Type        string // empty if there is none
	Format      string
	Nullable    bool
	IntOrString bool
	Preserve    bool // x-kubernetes-preserve-unknown-fields
	Embedded    bool // x-kubernetes-embedded-resource
	HasDefault  bool

	Maximum, Minimum, MultipleOf       *float64
	ExclusiveMaximum, ExclusiveMinimum bool
	MaxLength, MinLength               *int64
	Pattern                            *regexp.Regexp // nil if there is none, if it does not compile, or if it exceeds a bound
	PatternSize                        int            // about as many instructions as its program has
	Check                              *format.Format // nil if the format is not checked
	MaxItems, MinItems                 *int64
	MaxProperties, MinProperties       *int64
	UniqueItems                        bool
	ListType                           string
	ListKeys                           []string
	Required                           []string
	Enum                               []json.RawMessage

	Properties []Property
	Additional *Schema // schema of additionalProperties
	Anything   bool    // additionalProperties: true
	Items      *Schema

	AllOf, AnyOf, OneOf []*Schema
	Not                 *Schema
}

// Property is a property of an object, with its schema.
type Property struct {
	Name string
	*Schema
}

// property returns the schema of a property, or nil.
func (d *Schema) property(name string) *Schema {
	if i := slices.IndexFunc(d.Properties, func(p Property) bool { return p.Name == name }); i >= 0 {
		return d.Properties[i].Schema
	}
	return nil
}
