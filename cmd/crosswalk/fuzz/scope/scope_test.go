package scope

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

const head = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: `

func version(t *testing.T, fields string) *apiserver.Version {
	t.Helper()
	all, err := definition.Read([]byte(head + fields + "}}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := apiserver.New(all[0].CRD)
	if err != nil {
		t.Fatal(err)
	}
	return d.Versions[0]
}

// specs returns the specs of the objects with so many choices, sorted.
func specs(s *Scope, choices int) (all []string) {
	for object := range s.Objects(context.Background(), choices) {
		text, _ := json.Marshal(object["spec"])
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}

// TestObjects tests that a scope has exactly the objects that it says.
func TestObjects(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		declared     []string
		want         [][]string // by the choices
	}{
		{"booleans", `{a: {type: boolean}, b: {type: boolean}}`, nil, [][]string{
			{`null`},
			{`{"a":false}`, `{"a":true}`, `{"b":false}`, `{"b":true}`, `{}`},
			{`{"a":false,"b":false}`, `{"a":false,"b":true}`, `{"a":true,"b":false}`, `{"a":true,"b":true}`},
			nil}},
		{"declared", `{a: {type: boolean}, b: {type: boolean}, c: {type: object, required: [x, y], properties: {x: {type: boolean}, y: {type: boolean}, z: {type: boolean}}}}`,
			[]string{"spec.a", "spec.c.x", "spec.unknown"}, [][]string{
				{`null`},
				{`{"a":false}`, `{"a":true}`, `{"c":{"x":false,"y":true}}`, `{"c":{"x":true,"y":true}}`, `{}`},
				{`{"a":false,"c":{"x":false,"y":true}}`, `{"a":false,"c":{"x":true,"y":true}}`, `{"a":true,"c":{"x":false,"y":true}}`, `{"a":true,"c":{"x":true,"y":true}}`}}},
		{"lists and maps", `{l: {type: array, maxItems: 2, items: {type: boolean}}, m: {type: object, additionalProperties: {type: string, enum: [q]}}}`, nil, [][]string{
			{`null`},
			{`{"l":[]}`, `{"l":[false]}`, `{"l":[true]}`, `{"m":{"a":"q"}}`, `{"m":{}}`, `{}`},
			{`{"l":[],"m":{"a":"q"}}`, `{"l":[],"m":{}}`, `{"l":[false,false]}`, `{"l":[false,true]}`, `{"l":[false],"m":{"a":"q"}}`, `{"l":[false],"m":{}}`, `{"l":[true,false]}`, `{"l":[true,true]}`,
				`{"l":[true],"m":{"a":"q"}}`, `{"l":[true],"m":{}}`, `{"m":{"a":"q","b.example.com/c":"q"}}`}}},
		{"null, defaults and bounds", `{n: {type: boolean, nullable: true}, d: {type: integer, default: 3, minimum: 3, maximum: 4}}`, nil, [][]string{
			{`null`},
			{`{"d":3,"n":false}`, `{"d":3,"n":null}`, `{"d":3,"n":true}`, `{"d":3}`, `{"d":4}`},
			{`{"d":4,"n":false}`, `{"d":4,"n":null}`, `{"d":4,"n":true}`}}},
	} {
		s := New(version(t, c.fields), c.declared, c.declared == nil)
		for choices, want := range c.want {
			if got := specs(s, choices); !slices.Equal(got, want) {
				t.Errorf("%s, %d choices:\n%v\n%v", c.name, choices, got, want)
			}
		}
	}
}

// TestCount tests that there are as many values as the tree says, and that no two are equal.
func TestCount(t *testing.T) {
	v := version(t, `{a: {type: string}, b: {type: integer, nullable: true}, l: {type: array, minItems: 1, items: {type: object, required: [k], properties: {k: {type: boolean}, o: {type: number}}}},
		m: {type: object, additionalProperties: {type: array, items: {type: string, enum: [x, z]}}}, deep: {type: object, properties: {in: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {p: {x-kubernetes-int-or-string: true}}}}}}`)
	s := New(v, nil, true)
	seen := map[string]bool{}
	for choices := range 4 {
		n := 0
		for value := range eachOf(s, choices) {
			n++
			text, _ := json.Marshal(value)
			if seen[string(text)] {
				t.Fatalf("%d choices: twice: %s", choices, text)
			}
			seen[string(text)] = true
		}
		if float64(n) != s.root.count(choices) || n == 0 {
			t.Errorf("%d choices: %d objects, counted %v", choices, n, s.root.count(choices))
		}
	}
}

func eachOf(s *Scope, choices int) func(func(any) bool) {
	return func(yield func(any) bool) { s.root.each(choices, yield) }
}

// count returns how many values each has, computed from the tree.
func (n *node) count(choices int) (sum float64) {
	if n.nullable && choices == 1 {
		sum++
	}
	switch n.kind {
	case object:
		ways := make([]float64, choices+1) // by the choices in the fields so far
		ways[0] = 1
		for _, f := range n.fields {
			ways = convolved(ways, f.ways(choices, f.required))
		}
		sum += ways[choices]
	case list, mapping:
		ways := make([]float64, choices+1)
		ways[0] = 1
		for range n.least {
			ways = convolved(ways, n.inner.ways(choices, true))
		}
		sum += ways[choices]
		for range min(n.most-n.least, choices) {
			element := n.inner.ways(choices, false)
			element[0] = 0 // it is there
			ways = convolved(ways, element)
			sum += ways[choices]
		}
	default:
		switch {
		case len(n.values) == 0:
		case choices == 0:
			sum++
		case choices == 1:
			sum += float64(len(n.values) - 1)
		}
	}
	return sum
}

// ways returns the counts of a value by its choices, that it is absent included unless it is
// required.
func (n *node) ways(most int, required bool) []float64 {
	ways := make([]float64, most+1)
	for choices := range ways {
		switch {
		case required:
			ways[choices] = n.count(choices)
		case choices == 0:
			ways[0] = 1
		case choices == 1:
			ways[1] = n.count(0) + n.count(1)
		default:
			ways[choices] = n.count(choices)
		}
	}
	return ways
}

func convolved(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		for j := range len(a) - i {
			sum[i+j] += a[i] * b[j]
		}
	}
	return sum
}
