package compat

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
)

var (
	pairs = flag.Int("pairs", 120, "number of random pairs of schemas")
	seed  = flag.Uint64("pairs-seed", 1, "seed of the first pair")
)

// TestNoSilentBreak compares random schemas with changed copies of them. If an object that OLD has
// stored is invalid with NEW, or loses a value, a change must say so.
func TestNoSilentBreak(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles many schemas")
	}
	tried, broken, reported := 0, 0, 0
	for n := *seed; tried < *pairs; n++ {
		if n > *seed+uint64(*pairs)*40 {
			t.Fatalf("only %d pairs of %d are valid", tried, n)
		}
		m := &mutator{rand.New(rand.NewPCG(n, 7))}
		old := m.object(0)
		new := old.DeepCopy()
		for range 1 + m.IntN(3) {
			m.mutate(new)
		}
		before, after := thing(old), thing(new)
		if !accepted(t, before) || !accepted(t, after) {
			continue
		}
		tried++
		changes, err := Compare(context.Background(), before, after)
		if err != nil {
			t.Fatal(err)
		}
		says := len(changes) > 0 && changes[0].Class == BreaksObjects
		if says {
			reported++
		}
		object, why := breaking(t, m, before, after)
		if object == "" {
			continue
		}
		broken++
		if !says {
			t.Errorf("seed %d: %s\nobject: %s\nold: %s\nnew: %s\nchanges: %s", n, why, object, encoded(old), encoded(new), encoded(changes))
		}
	}
	t.Logf("%d pairs: %d break an object, %d are reported", tried, broken, reported)
	if broken < tried/10 || reported == tried {
		t.Errorf("%d pairs, of which %d break an object and %d are reported, test too little", tried, broken, reported)
	}
}

// breaking returns an object of OLD that NEW rejects or cuts, and the reason.
func breaking(t *testing.T, m *mutator, before, after *crd) (object, why string) {
	t.Helper()
	was, err := apiserver.New(before)
	if err != nil {
		t.Fatal(err)
	}
	is, err := apiserver.New(after)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	old, new := was.Versions[0], is.Versions[0]
	g := generate.New(ctx, old, m.Uint64())
	for range 25 {
		value := g.Next(ctx)
		if value == nil {
			return "", ""
		}
		if m.IntN(2) == 0 {
			other := copied(t, value)
			m.disturb(other)
			old.Store(other)
			if len(old.ValidateSchema(ctx, other)) == 0 {
				value = other
			}
		}
		other := copied(t, value)
		cut := new.Store(other)
		errs := new.ValidateSchema(ctx, other)
		if strings.Contains(fmt.Sprint(errs), "compilation failed") {
			return "", "" // an API server rejects the definition
		}
		lost := lost(value, other, "")
		if len(cut) > 0 || len(errs) > 0 || lost != "" {
			return encoded(value), fmt.Sprintf("cut %v, invalid %v, lost %q", cut, errs, lost)
		}
	}
	return "", ""
}

func copied(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	other, err := apiserver.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// lost returns the path of a value that is gone or another one.
func lost(was, is any, path string) string {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return path + " "
		}
		for key, value := range was {
			other, has := is[key]
			if !has {
				return path + "." + key
			}
			if at := lost(value, other, path+"."+key); at != "" {
				return at
			}
		}
		return ""
	case []any:
		is, ok := is.([]any)
		if !ok || len(is) != len(was) {
			return path + " "
		}
		for i := range was {
			if at := lost(was[i], is[i], path+"[]"); at != "" {
				return at
			}
		}
		return ""
	}
	if !reflect.DeepEqual(was, is) {
		return path + " "
	}
	return ""
}

func thing(s *props) *crd {
	return &crd{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", ListKind: "ThingList", Plural: "things", Singular: "thing"},
		Versions: []version{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s}}},
	}}
}

// accepted reports whether an API server accepts a definition, as far as random ones may be invalid.
func accepted(t *testing.T, c *crd) bool {
	t.Helper()
	d, err := apiserver.New(c)
	if err != nil {
		return false
	}
	errs, err := defaulting.ValidateDefaults(context.Background(), nil, d.Versions[0].Schema, true, true)
	if err != nil {
		t.Fatal(err)
	}
	return len(errs) == 0 && goodLists(c.Spec.Versions[0].Schema.OpenAPIV3Schema)
}

// goodLists reports whether sets have comparable elements, and associative lists have keys.
func goodLists(s *props) bool {
	for _, p := range s.Properties {
		if !goodLists(&p) {
			return false
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && !goodLists(s.AdditionalProperties.Schema) {
		return false
	}
	if s.Items == nil {
		return s.Type != "array"
	}
	items := s.Items.Schema
	if s.XListType != nil && *s.XListType == "set" && (items.Type == "object" || items.Type == "array" || items.Nullable) {
		return false
	}
	if s.XListType != nil && *s.XListType == "map" {
		if items.Type != "object" || items.Nullable || len(s.XListMapKeys) == 0 {
			return false
		}
		for _, key := range s.XListMapKeys {
			p, has := items.Properties[key]
			if !has || p.Nullable || p.Type == "object" || p.Type == "array" || p.Default == nil && !slices.Contains(items.Required, key) {
				return false
			}
		}
	}
	return goodLists(items)
}

// mutator makes and changes schemas at random.
type mutator struct{ *rand.Rand }

var names = []string{"a", "b", "c", "kind"}

func (m *mutator) one(in int) bool { return m.IntN(in) == 0 }

func pick[T any](m *mutator, list ...T) T { return list[m.IntN(len(list))] }

func raw(v any) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: []byte(encoded(v))} }

// value makes the schema of a value.
func (m *mutator) value(depth int) *props {
	s := &props{}
	kinds := 8
	if depth > 2 {
		kinds = 5
	}
	switch m.IntN(kinds) {
	case 0, 1:
		s.Type = "string"
	case 2:
		s.Type = pick(m, "integer", "number")
	case 3:
		s.Type = "boolean"
	case 4:
		s.XIntOrString = true
	case 5:
		s = m.list(depth)
	default:
		s = m.object(depth)
	}
	for range m.IntN(3) {
		m.restrict(s)
	}
	s.Nullable = m.one(6)
	if m.one(4) {
		m.standard(s)
	}
	return s
}

func (m *mutator) standard(s *props) {
	var v any
	switch s.Type {
	case "string":
		v = pick(m, "a", "bb", "")
	case "integer", "number":
		v = pick(m, 0, 2, 7)
	case "boolean":
		v = m.one(2)
	case "object":
		v = map[string]any{}
	default:
		return
	}
	d := raw(v)
	s.Default = &d
}

// restrict adds, changes or removes a bound.
func (m *mutator) restrict(s *props) {
	length := func() *int64 {
		if m.one(3) {
			return nil
		}
		n := int64(m.IntN(4))
		return &n
	}
	number := func() *float64 {
		if m.one(3) {
			return nil
		}
		n := float64(m.IntN(12) - 4)
		return &n
	}
	switch s.Type {
	case "string":
		switch m.IntN(5) {
		case 0:
			s.MaxLength = length()
		case 1:
			s.MinLength = length()
		case 2:
			s.Pattern = pick(m, "", "^a", "^[a-z]*$", "b$")
		case 3:
			s.Format = pick(m, "", "date-time", "uuid", "ipv4", "go-duration", "byte")
		default:
			s.Enum = nil
			for _, v := range []string{"a", "bb", "", "zzz"} {
				if m.one(2) {
					s.Enum = append(s.Enum, raw(v))
				}
			}
		}
	case "integer", "number":
		switch m.IntN(6) {
		case 0:
			s.Maximum = number()
		case 1:
			s.Minimum = number()
		case 2:
			s.ExclusiveMinimum, s.ExclusiveMaximum = m.one(2), m.one(2)
		case 3:
			s.MultipleOf = pick(m, nil, new(1.0), new(2.0), new(4.0))
		case 4:
			s.Format = pick(m, "", "int32", "int64", "float", "double")
		default:
			s.Enum = nil
			for _, v := range []int{0, 2, 7} {
				if m.one(2) {
					s.Enum = append(s.Enum, raw(v))
				}
			}
		}
	case "array":
		switch m.IntN(6) {
		case 0:
			s.MaxItems = length()
		case 1:
			s.MinItems = length()
		default:
			m.listType(s)
		}
	case "object":
		switch m.IntN(7) {
		case 0:
			s.MaxProperties = length()
		case 1:
			s.MinProperties = length()
		case 2:
			name := pick(m, names...)
			if i := slices.Index(s.Required, name); i >= 0 {
				s.Required = slices.Delete(slices.Clone(s.Required), i, i+1)
			} else {
				s.Required = append(slices.Clone(s.Required), name)
			}
		case 3:
			s.OneOf = pick(m, nil, []props{{Required: []string{"a"}}, {Required: []string{"b"}}})
		case 4:
			s.AnyOf = pick(m, nil, []props{{Required: []string{"a"}}, {Required: []string{"b"}}}, []props{{Required: []string{"a"}}, {Required: []string{"b"}}, {Required: []string{"c"}}})
		case 5:
			s.Not = pick(m, nil, &props{Required: []string{"b", "c"}})
		default:
			m.rule(s)
		}
	default:
		if s.XIntOrString {
			s.AnyOf = pick(m, nil, []props{{Type: "integer"}, {Type: "string"}})
			s.Pattern = pick(m, "", "^[0-9]+%?$")
		}
	}
}

// rule changes the CEL rules of an object.
func (m *mutator) rule(s *props) {
	if len(s.Properties) == 0 || m.one(3) {
		s.XValidations = nil
		return
	}
	name := pick(m, names...)
	field, has := s.Properties[name]
	if !has || name == "kind" {
		return
	}
	rules := []string{"has(self." + name + ")", "!has(self." + name + ")"}
	switch field.Type {
	case "string":
		rules = append(rules, "!has(self."+name+") || size(self."+name+") < 3")
	case "integer":
		rules = append(rules, "!has(self."+name+") || self."+name+" % 2 == 0", "!has(self."+name+") || self."+name+" == oldSelf."+name)
	case "object":
		if _, deep := field.Properties["a"]; deep {
			rules = append(rules, "!has(self."+name+") || !has(self."+name+".a)")
		}
	}
	s.XValidations = append(slices.Clone(s.XValidations), apiextensionsv1.ValidationRule{Rule: pick(m, rules...)})
}

func (m *mutator) list(depth int) *props {
	s := &props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: m.value(depth + 1)}}
	if m.one(2) {
		m.listType(s)
	}
	return s
}

func (m *mutator) listType(s *props) {
	s.XListType, s.XListMapKeys = nil, nil
	kind := pick(m, "atomic", "set", "map")
	s.XListType = &kind
	if kind != "map" || s.Items == nil || s.Items.Schema.Type != "object" {
		return
	}
	for _, name := range names {
		if p, has := s.Items.Schema.Properties[name]; has && m.one(2) && p.Type != "object" && p.Type != "array" {
			s.XListMapKeys = append(s.XListMapKeys, name)
			if p.Default == nil && !slices.Contains(s.Items.Schema.Required, name) {
				s.Items.Schema.Required = append(s.Items.Schema.Required, name)
			}
		}
	}
}

// object makes the schema of an object or a map.
func (m *mutator) object(depth int) *props {
	s := &props{Type: "object"}
	switch {
	case depth > 0 && m.one(5):
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: m.value(depth + 1)}
		return s
	case depth > 0 && m.one(8):
		s.XPreserveUnknownFields = yes()
	case depth > 0 && m.one(12):
		s.XEmbeddedResource, s.XPreserveUnknownFields = true, yes()
	}
	s.Properties = map[string]props{}
	for _, name := range names {
		if (depth > 0 || name != "kind") && m.one(2) {
			s.Properties[name] = *m.value(depth + 1)
			if m.one(4) {
				s.Required = append(s.Required, name)
			}
		}
	}
	if m.one(2) {
		m.restrict(s)
	}
	return s
}

// mutate changes one value of a schema.
func (m *mutator) mutate(s *props) {
	depth := 0
	for { // go down
		switch {
		case len(s.Properties) > 0 && !m.one(4):
			name := pick(m, sortedNames(s)...)
			p := s.Properties[name]
			depth++
			if m.one(6) {
				delete(s.Properties, name)
				if m.one(2) {
					s.Required = slices.DeleteFunc(slices.Clone(s.Required), func(n string) bool { return n == name })
				}
				return
			}
			m.mutate1(&p, depth)
			s.Properties[name] = p
			return
		case s.Items != nil && !m.one(3):
			s = s.Items.Schema
		case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && !m.one(3):
			s = s.AdditionalProperties.Schema
		default:
			m.mutate1(s, depth)
			return
		}
		depth++
	}
}

func sortedNames(s *props) (list []string) {
	for _, name := range names {
		if _, has := s.Properties[name]; has {
			list = append(list, name)
		}
	}
	return list
}

// mutate1 changes a value or, if it has others, one of these.
func (m *mutator) mutate1(s *props, depth int) {
	if depth > 0 && depth < 6 && (len(s.Properties) > 0 || s.Items != nil || s.AdditionalProperties != nil) && m.one(2) {
		m.mutate(s)
		return
	}
	switch m.IntN(9) {
	case 0:
		if depth > 0 {
			*s = *m.value(depth)
		}
	case 1:
		s.Nullable = !s.Nullable && depth > 0
	case 2:
		if s.Default != nil && m.one(2) {
			s.Default = nil
		} else if depth > 0 {
			m.standard(s)
		}
	case 3:
		if s.Type == "object" && s.AdditionalProperties == nil && depth > 0 {
			if s.XPreserveUnknownFields = yes(); m.one(2) {
				s.XPreserveUnknownFields = nil
			}
		}
	case 4, 5:
		if s.Type == "object" && s.AdditionalProperties == nil {
			name := pick(m, names[:3]...)
			if s.Properties == nil {
				s.Properties = map[string]props{}
			}
			s.Properties[name] = *m.value(depth + 1)
		} else if s.Type == "integer" {
			s.Type = "number"
		} else if s.Type == "string" {
			*s = props{XIntOrString: true}
		}
	default:
		m.restrict(s)
	}
}

// disturb puts nulls and unknown fields into an object.
func (m *mutator) disturb(object map[string]any) {
	for _, key := range append(names, "zz") {
		switch value := object[key].(type) {
		case map[string]any:
			m.disturb(value)
		case []any:
			for i := range value {
				if inner, ok := value[i].(map[string]any); ok {
					m.disturb(inner)
				}
			}
			if len(value) > 0 && m.one(3) {
				object[key] = append(slices.Clone(value), value[0])
			}
		}
		switch m.IntN(8) {
		case 0:
			if key != "kind" || object["apiVersion"] == nil {
				object[key] = nil
			}
		case 1:
			if key == "zz" {
				object[key] = map[string]any{"a": "x", "zz": int64(1)}
			}
		}
	}
}

// TestRulesAreDescribed tests that each rule in a change has a description.
func TestRulesAreDescribed(t *testing.T) {
	for rule, text := range Rules() {
		if !strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q", rule, text)
		}
	}
}
