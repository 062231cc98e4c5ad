package definition

import (
	"encoding/json"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/format"
)

const (
	// maxDepth is how deep schemas may be nested. Of the real definitions in testdata and some
	// dozens more, the deepest has 30 levels (a pod template inside); the limit bounds how deep a
	// check recurses.
	maxDepth = 200
	// maxNodes is how many schemas a definition may hold, all versions together: 25 times as many
	// as the largest one in testdata. At some 250 bytes each that is 25 MiB at most.
	maxNodes = 100_000
)

// schemas reads the schemas of one definition.
type schemas struct {
	*reader
	into         *Definition               // gets the warnings
	nodes        int                       // read so far
	instructions int                       // of the patterns compiled so far, see pattern.go
	formats      map[string]*format.Format // those in use, by name
}

func (s *schemas) warn(format string, args ...any) { s.note(&s.into.Warnings, format, args...) }

func (s *schemas) skipped(format string, args ...any) { s.note(&s.into.Skipped, format, args...) }

// maxNotes is how many warnings a definition keeps, and how many rules it names as skipped: each
// becomes a line of a log.
const maxNotes = 20

func (s *schemas) note(list *[]string, format string, args ...any) {
	switch n := len(*list); {
	case n < maxNotes:
		*list = append(*list, s.where()+fmt.Sprintf(format, args...))
	case n == maxNotes:
		*list = append(*list, "and more of the kind")
	}
}

// schema reads one schema. It returns nil if there is null in its place.
func (s *schemas) schema(depth int) (*Schema, error) {
	token, err := s.token()
	if err != nil || token == nil {
		return nil, err
	}
	return s.begun(token, depth)
}

// begun reads a schema after its first token.
func (s *schemas) begun(token json.Token, depth int) (*Schema, error) {
	if depth > maxDepth {
		return nil, s.fail("schemas are nested deeper than %d levels", maxDepth)
	}
	if s.nodes++; s.nodes > maxNodes {
		return nil, s.fail("the file has more than %d schemas", maxNodes)
	}
	var d Schema
	var pattern string
	err := s.rest(token, ".", "", func(key string) error {
		if key == "pattern" {
			return s.text(&pattern)
		}
		return s.keyword(&d, key, depth)
	})
	if err == nil {
		err = s.consistent(&d, pattern)
	}
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// keyword reads the value of one keyword.
func (s *schemas) keyword(d *Schema, key string, depth int) (err error) {
	switch key {
	case "type":
		return s.text(&d.Type)
	case "format":
		return s.text(&d.Format)
	case "nullable":
		return s.flag(&d.Nullable)
	case "default":
		value, err := s.raw()
		d.HasDefault = string(value) != "null"
		return err
	case "enum":
		return s.array(func(int) error {
			value, err := s.raw()
			d.Enum = append(d.Enum, value)
			return err
		})
	case "maximum":
		return s.number(&d.Maximum)
	case "minimum":
		return s.number(&d.Minimum)
	case "multipleOf":
		return s.number(&d.MultipleOf)
	case "exclusiveMaximum":
		return s.flag(&d.ExclusiveMaximum)
	case "exclusiveMinimum":
		return s.flag(&d.ExclusiveMinimum)
	case "maxLength":
		return s.count(&d.MaxLength)
	case "minLength":
		return s.count(&d.MinLength)
	case "maxItems":
		return s.count(&d.MaxItems)
	case "minItems":
		return s.count(&d.MinItems)
	case "uniqueItems":
		return s.flag(&d.UniqueItems)
	case "maxProperties":
		return s.count(&d.MaxProperties)
	case "minProperties":
		return s.count(&d.MinProperties)
	case "required":
		return s.texts(&d.Required)
	case "x-kubernetes-preserve-unknown-fields":
		return s.flag(&d.Preserve)
	case "x-kubernetes-embedded-resource":
		return s.flag(&d.Embedded)
	case "x-kubernetes-int-or-string":
		return s.flag(&d.IntOrString)
	case "x-kubernetes-list-type":
		return s.text(&d.ListType)
	case "x-kubernetes-list-map-keys":
		return s.texts(&d.ListKeys)
	default:
		return s.subschema(d, key, depth+1)
	}
}

// subschema reads the value of a keyword that contains schemas, or of a keyword without effect
// here.
func (s *schemas) subschema(d *Schema, key string, depth int) (err error) {
	switch key {
	case "properties":
		return s.named(func(name string) error {
			p, err := s.schema(depth)
			if p == nil {
				p = &Schema{}
			}
			d.Properties = append(d.Properties, Property{name, p})
			return err
		})
	case "additionalProperties":
		d.Additional, d.Anything, err = s.additional(depth)
		return err
	case "items":
		d.Items, err = s.schema(depth)
		return err
	case "not":
		d.Not, err = s.schema(depth)
		return err
	case "allOf":
		return s.list(&d.AllOf, depth)
	case "anyOf":
		return s.list(&d.AnyOf, depth)
	case "oneOf":
		return s.list(&d.OneOf, depth)
	case "$ref", "$schema", "id", "additionalItems", "definitions", "dependencies", "patternProperties":
		return s.fail("is not allowed in a structural schema")
	default: // title, description, example, externalDocs, x-kubernetes-map-type, x-kubernetes-validations
		return s.skip()
	}
}

func (s *schemas) list(list *[]*Schema, depth int) error {
	return s.array(func(int) error {
		d, err := s.schema(depth)
		if d == nil {
			d = &Schema{}
		}
		*list = append(*list, d)
		return err
	})
}

// additional reads additionalProperties, a schema or a boolean.
func (s *schemas) additional(depth int) (d *Schema, anything bool, err error) {
	token, err := s.token()
	switch {
	case err != nil || token == nil:
		return nil, false, err
	case token == true:
		return nil, true, nil
	case token == false:
		return nil, false, s.fail("must be true or a schema, not false")
	}
	d, err = s.begun(token, depth)
	return d, false, err
}
