package schema

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// compileRoot compiles the schema of a version.
func compileRoot(d *definition.Schema) *node {
	n := compile(d, nil)
	n.root, n.embedded = true, true
	return n
}

// compile makes a node of a definition: a structural one if shape is nil, and else one that says
// more about shape.
func compile(d *definition.Schema, shape *node) *node {
	n := &node{
		shape:     shape,
		kinds:     accepted(d),
		dropsNull: !d.Nullable && !d.HasDefault,
		preserve:  d.Preserve,
		embedded:  d.Embedded,
		required:  distinct(d.Required),
		text:      textRulesOf(d),
		number:    numberRulesOf(d),
		members:   sizeRulesOf(d.MinProperties, d.MaxProperties, members),
		list:      listRulesOf(d),
		enum:      enumOf(d.Enum),
	}
	n.want = n.kinds.String()
	n.compileFields(d)
	if d.Items != nil {
		n.items = compile(d.Items, shape.part(shape.element()))
	} else if shape == nil {
		n.items = anything()
	}
	if d.ListType == "map" {
		n.items.setMapKeys(d.ListKeys)
	}
	n.combine(d)
	return n
}

func (n *node) compileFields(d *definition.Schema) {
	switch {
	case d.Additional != nil:
		n.additional = compile(d.Additional, n.shape.part(n.shape.other()))
	case d.Anything && n.shape == nil:
		n.additional = anything()
	}
	if len(d.Properties)+len(n.required) == 0 {
		return
	}
	n.fields = make(map[string]*field, len(d.Properties))
	for _, p := range d.Properties {
		n.fields[p.Name] = &field{node: compile(p.Schema, n.shape.part(n.shape.member(p.Name))), required: -1, mapKey: -1}
	}
	for i, name := range n.required {
		if f := n.fields[name]; f != nil {
			f.required = i
		} else {
			n.fields[name] = &field{required: i, mapKey: -1}
		}
	}
}

// setMapKeys makes n the node of the elements of a list map.
func (n *node) setMapKeys(names []string) {
	n.mapKeys = names
	for i, name := range names {
		n.fields[name].mapKey = i
	}
}

// combine compiles the combination of a definition.
func (n *node) combine(d *definition.Schema) {
	shape := n
	if n.shape != nil {
		shape = n.shape
	}
	var c combination
	for _, part := range d.AllOf {
		if d.IntOrString && len(part.AnyOf) == 2 && isIntOrString(part.AnyOf) {
			rest := *part
			rest.AnyOf = nil
			if reflect.DeepEqual(rest, definition.Schema{}) {
				continue // x-kubernetes-int-or-string already checks it
			}
		}
		c.all = append(c.all, compile(part, shape))
	}
	if !d.IntOrString || !isIntOrString(d.AnyOf) {
		for _, part := range d.AnyOf {
			c.any = append(c.any, compile(part, shape))
		}
	}
	for _, part := range d.OneOf {
		c.one = append(c.one, compile(part, shape))
	}
	if d.Not != nil {
		c.not = compile(d.Not, shape)
	}
	c.anyRule = ruleOf(d.AnyOf, "must have at least one of ", "must match at least one of the ", " schemas of anyOf")
	c.oneRule = ruleOf(d.OneOf, "must have exactly one of ", "must match exactly one of the ", " schemas of oneOf")
	if len(c.all)+len(c.any)+len(c.one) > 0 || c.not != nil {
		n.more = &c
	}
}

// ruleOf describes the schemas of an anyOf or a oneOf. If each of them only requires fields, it
// lists the names of these.
func ruleOf(parts []*definition.Schema, have, match, of string) string {
	var choices []string
	for _, part := range parts {
		if len(part.Required) == 0 || !reflect.DeepEqual(*part, definition.Schema{Required: part.Required}) {
			return match + strconv.Itoa(len(parts)) + of
		}
		choices = append(choices, strings.Join(part.Required, " and "))
	}
	return foreign.Shorten(have+strings.Join(choices, ", "), definition.MaxRule)
}

// isIntOrString says whether the schemas of an anyOf are just the types integer and string, as they
// often stand beside x-kubernetes-int-or-string.
func isIntOrString(anyOf []*definition.Schema) bool {
	return len(anyOf) == 2 && reflect.DeepEqual(*anyOf[0], definition.Schema{Type: "integer"}) && reflect.DeepEqual(*anyOf[1], definition.Schema{Type: "string"})
}

// distinct returns the names without repetitions.
func distinct(names []string) []string {
	var once []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			once = append(once, name)
		}
	}
	return once
}
