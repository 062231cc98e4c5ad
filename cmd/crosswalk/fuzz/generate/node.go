package generate

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

const (
	// maxNodes bounds the values of a schema that the generator distinguishes. The largest known
	// definition, alertmanagerconfigs, has 9,000 in a version.
	maxNodes = 100_000
	// maxWords bounds the example values that are kept for one value of the schema.
	maxWords = 64
)

// node is one value of a schema: the object, a field, the elements of a list, the values of a map.
type node struct {
	path   string // spec.users[].name, spec.labels.*
	up     *node  // nil for the object
	name   string // of a field
	s      *schema.Structural
	meta   bool // the object's own metadata, which the generator makes by itself
	fields []*node
	byName map[string]*node
	items  *node
	values *node // of a map
	unions []*union
	words  []any // example values: of given objects, CEL rules, defaults
	goals  []*goal
	absent *goal    // of an optional field; nil otherwise
	others []string // names that other versions have for fields that this one keeps without naming them
	work   int      // for one value: see maxWork
}

// union is an anyOf or a oneOf of a schema.
type union struct {
	branches []*branch
}

// branch is one alternative of a union. Kubernetes' own validation decides whether a value fits.
type branch struct {
	nested *schema.NestedValueValidation
	fits   *validate.SchemaValidator
}

// compile returns the tree of a schema.
func compile(s *schema.Structural) *node {
	c := compiler{}
	return c.node(nil, "", "", s)
}

type compiler struct{ nodes, literals int }

// maxLiterals bounds how often a literal of a CEL rule becomes an example of some value.
const maxLiterals = 1_000_000

func (c *compiler) node(up *node, name, path string, s *schema.Structural) *node {
	c.nodes++
	n := &node{path: path, up: up, name: name, s: s}
	if path == "metadata" {
		n.meta = true
		return n
	}
	if c.nodes > maxNodes {
		return n
	}
	n.byName = map[string]*node{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if up == nil && (name == "apiVersion" || name == "kind") {
			continue
		}
		child := s.Properties[name]
		f := c.node(n, name, join(path, name), &child)
		n.fields = append(n.fields, f)
		n.byName[name] = f
	}
	if s.Items != nil {
		n.items = c.node(n, "[]", path+"[]", s.Items)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		n.values = c.node(n, "*", join(path, "*"), s.AdditionalProperties.Structural)
	}
	n.addUnions(s.ValueValidation)
	if s.Default.Object != nil {
		n.know(s.Default.Object)
	}
	if s.Example.Object != nil {
		n.know(s.Example.Object)
	}
	n.readRules(c)
	n.weighSchema()
	return n
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// know remembers an example value.
func (n *node) know(value any) {
	if len(n.words) < maxWords {
		n.words = append(n.words, value)
	}
}

// literal finds the strings and integers of a CEL rule.
var literal = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\b([0-9]{1,18})\b`)

// readRules remembers the literals of CEL rules as example values of everything below the rule.
func (n *node) readRules(c *compiler) {
	for _, rule := range n.s.XValidations {
		for _, m := range literal.FindAllStringSubmatch(rule.Rule, 100) {
			if number, err := strconv.ParseInt(m[3], 10, 64); err == nil {
				n.knowBelow(c, number, 3)
				n.knowBelow(c, number+1, 3)
			} else if m[3] == "" {
				n.knowBelow(c, m[1]+m[2], 3)
			}
		}
	}
}

func (n *node) knowBelow(c *compiler, value any, depth int) {
	if c.literals++; c.literals > maxLiterals {
		return
	}
	n.know(value)
	if depth == 0 {
		return
	}
	for _, f := range n.fields {
		f.knowBelow(c, value, depth-1)
	}
	for _, child := range []*node{n.items, n.values} {
		if child != nil {
			child.knowBelow(c, value, depth-1)
		}
	}
}

// addUnions collects the unions of a value, those within allOf included. Unions below a branch of
// another union, or about a member of the value, are not goals of their own.
func (n *node) addUnions(v *schema.ValueValidation) {
	if v == nil {
		return
	}
	for _, list := range [][]schema.NestedValueValidation{v.OneOf, v.AnyOf} {
		u := &union{}
		for i := range list {
			if list[i].ForbiddenGenerics.Type != "" {
				u = nil // the anyOf of an int-or-string
				break
			}
			u.branches = append(u.branches, &branch{nested: &list[i], fits: validatorOf(&list[i])})
		}
		if u != nil && len(u.branches) > 0 {
			n.unions = append(n.unions, u)
		}
	}
	for i := range v.AllOf {
		n.addUnions(&v.AllOf[i].ValueValidation)
	}
}

// validatorOf returns the API server's validator for a branch.
func validatorOf(nested *schema.NestedValueValidation) *validate.SchemaValidator {
	return validate.NewSchemaValidator(structuralOf(nested).ToKubeOpenAPI(), nil, "", strfmt.Default)
}

// structuralOf returns a branch as a schema of its own.
func structuralOf(nested *schema.NestedValueValidation) *schema.Structural {
	s := &schema.Structural{ValueValidation: &nested.ValueValidation}
	if nested.Items != nil {
		s.Items = structuralOf(nested.Items)
	}
	for name, property := range nested.Properties {
		if s.Properties == nil {
			s.Properties = map[string]schema.Structural{}
		}
		s.Properties[name] = *structuralOf(&property)
	}
	if nested.AdditionalProperties != nil {
		s.AdditionalProperties = &schema.StructuralOrBool{Structural: structuralOf(nested.AdditionalProperties)}
	}
	return s
}

// holds reports whether a value fits a branch.
func (b *branch) holds(_ context.Context, value any) bool {
	return len(b.fits.Validate(value).Errors) == 0
}

// required reports whether the schema alone, without unions, demands a field.
func (n *node) required(name string) bool {
	return n.s.ValueValidation != nil && slices.Contains(n.s.ValueValidation.Required, name)
}
