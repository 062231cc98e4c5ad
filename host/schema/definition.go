package schema

import (
	"encoding/json"
	"regexp"
	"slices"
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

// definition is one schema of the file, consistent in itself, without the keywords that only
// describe.
type definition struct {
	kind        string // "type"; empty if there is none
	format      string
	nullable    bool
	intOrString bool
	preserve    bool // x-kubernetes-preserve-unknown-fields
	embedded    bool // x-kubernetes-embedded-resource
	hasDefault  bool

	maximum, minimum, multipleOf       *float64
	exclusiveMaximum, exclusiveMinimum bool
	maxLength, minLength               *int64
	pattern                            *regexp.Regexp // nil if there is none, if it does not compile, or if it exceeds a bound
	patternSize                        int
	checks                             *format // nil if the format is not checked
	maxItems, minItems                 *int64
	maxProperties, minProperties       *int64
	uniqueItems                        bool
	listType                           string
	listKeys                           []string
	required                           []string
	enum                               []json.RawMessage

	properties []property
	additional *definition // schema of additionalProperties
	anything   bool        // additionalProperties: true
	items      *definition

	allOf, anyOf, oneOf []*definition
	not                 *definition
}

type property struct {
	name string
	*definition
}

// property returns the schema of a property, or nil.
func (d *definition) property(name string) *definition {
	if i := slices.IndexFunc(d.properties, func(p property) bool { return p.name == name }); i >= 0 {
		return d.properties[i].definition
	}
	return nil
}

// definition reads one schema. It returns nil if there is null in its place.
func (r *reader) definition(depth int) (*definition, error) {
	token, err := r.token()
	if err != nil || token == nil {
		return nil, err
	}
	return r.begun(token, depth)
}

// begun reads a schema after its first token.
func (r *reader) begun(token json.Token, depth int) (*definition, error) {
	if depth > maxDepth {
		return nil, r.fail("schemas are nested deeper than %d levels", maxDepth)
	}
	if r.nodes++; r.nodes > maxNodes {
		return nil, r.fail("the file has more than %d schemas", maxNodes)
	}
	var d definition
	var pattern string
	err := r.rest(token, ".", "", func(key string) error {
		if key == "pattern" {
			return r.text(&pattern)
		}
		return r.keyword(&d, key, depth)
	})
	if err == nil {
		err = r.consistent(&d, pattern)
	}
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// keyword reads the value of one keyword.
func (r *reader) keyword(d *definition, key string, depth int) (err error) {
	switch key {
	case "type":
		return r.text(&d.kind)
	case "format":
		return r.text(&d.format)
	case "nullable":
		return r.flag(&d.nullable)
	case "default":
		value, err := r.raw()
		d.hasDefault = string(value) != "null"
		return err
	case "enum":
		return r.array(func(int) error {
			value, err := r.raw()
			d.enum = append(d.enum, value)
			return err
		})
	case "maximum":
		return r.number(&d.maximum)
	case "minimum":
		return r.number(&d.minimum)
	case "multipleOf":
		return r.number(&d.multipleOf)
	case "exclusiveMaximum":
		return r.flag(&d.exclusiveMaximum)
	case "exclusiveMinimum":
		return r.flag(&d.exclusiveMinimum)
	case "maxLength":
		return r.count(&d.maxLength)
	case "minLength":
		return r.count(&d.minLength)
	case "maxItems":
		return r.count(&d.maxItems)
	case "minItems":
		return r.count(&d.minItems)
	case "uniqueItems":
		return r.flag(&d.uniqueItems)
	case "maxProperties":
		return r.count(&d.maxProperties)
	case "minProperties":
		return r.count(&d.minProperties)
	case "required":
		return r.texts(&d.required)
	case "x-kubernetes-preserve-unknown-fields":
		return r.flag(&d.preserve)
	case "x-kubernetes-embedded-resource":
		return r.flag(&d.embedded)
	case "x-kubernetes-int-or-string":
		return r.flag(&d.intOrString)
	case "x-kubernetes-list-type":
		return r.text(&d.listType)
	case "x-kubernetes-list-map-keys":
		return r.texts(&d.listKeys)
	default:
		return r.subschema(d, key, depth+1)
	}
}

// subschema reads the value of a keyword that contains schemas, or of a keyword without effect
// here.
func (r *reader) subschema(d *definition, key string, depth int) (err error) {
	switch key {
	case "properties":
		return r.named(func(name string) error {
			p, err := r.definition(depth)
			if p == nil {
				p = &definition{}
			}
			d.properties = append(d.properties, property{name, p})
			return err
		})
	case "additionalProperties":
		d.additional, d.anything, err = r.additional(depth)
		return err
	case "items":
		d.items, err = r.definition(depth)
		return err
	case "not":
		d.not, err = r.definition(depth)
		return err
	case "allOf":
		return r.definitions(&d.allOf, depth)
	case "anyOf":
		return r.definitions(&d.anyOf, depth)
	case "oneOf":
		return r.definitions(&d.oneOf, depth)
	case "$ref", "$schema", "id", "additionalItems", "definitions", "dependencies", "patternProperties":
		return r.fail("is not allowed in a structural schema")
	default: // title, description, example, externalDocs, x-kubernetes-map-type, x-kubernetes-validations
		return r.skip()
	}
}

func (r *reader) definitions(list *[]*definition, depth int) error {
	return r.array(func(int) error {
		d, err := r.definition(depth)
		if d == nil {
			d = &definition{}
		}
		*list = append(*list, d)
		return err
	})
}

// additional reads additionalProperties, a schema or a boolean.
func (r *reader) additional(depth int) (d *definition, anything bool, err error) {
	token, err := r.token()
	switch {
	case err != nil || token == nil:
		return nil, false, err
	case token == true:
		return nil, true, nil
	case token == false:
		return nil, false, r.fail("must be true or a schema, not false")
	}
	d, err = r.begun(token, depth)
	return d, false, err
}
