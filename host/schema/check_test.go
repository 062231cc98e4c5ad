package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// withSpec returns a definition with one version, v1, whose spec has the schema, in YAML's flow
// style or JSON.
func withSpec(schema string) string {
	return withRoot(`{type: object, properties: {spec: ` + schema + `}}`)
}

// withRoot returns a definition with one version, v1, of the schema.
func withRoot(schema string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + schema + `}}
`
}

// violations lists the violations that Check reports; a pruned field as its path and an arrow.
func violations(t testing.TB, crd *CRD, object string, opts Options) []string {
	t.Helper()
	var list []string
	err := crd.Check("v1", []byte(object), opts, func(v Violation) bool {
		if v.Pruned {
			if v.Message != "unknown field, the API server drops it" {
				t.Errorf("message of a pruned field: %s", v.Message)
			}
			v.Message = "<-"
		}
		list = append(list, v.String())
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	return list
}

// A ruling is a schema of the spec, a spec, and the violations that are wanted, each with its path
// from the spec on.
type ruling struct {
	name   string
	schema string
	spec   string
	want   []string
}

func runRulings(t *testing.T, opts Options, cases []ruling) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			crd := parse(t, []byte(withSpec(c.schema)))
			if len(crd.Warnings) > 0 {
				t.Errorf("warnings: %q", crd.Warnings)
			}
			got := violations(t, crd, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":`+c.spec+`}`, opts)
			want := slices.Clone(c.want)
			for i := range want {
				want[i] = "spec" + want[i]
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
	}
}

func TestCheckErrors(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: integer}`)))
	for _, c := range []struct{ name, version, object, want string }{
		{"version", "v2", `{}`, `Thing.example.com has no version "v2", only v1`},
		{"array", "v1", `[]`, "the object cannot be checked: expected an object, found an array at byte 0"},
		{"null", "v1", `null`, "the object cannot be checked: expected an object, found null at byte 0"},
		{"nothing", "v1", ``, "the object cannot be checked: unexpected end of JSON at byte 0"},
		{"cut", "v1", `{"spec":1`, "the object cannot be checked: unexpected end of JSON at byte 9"},
		{"cut in an unknown field", "v1", `{"speck":{"a":[`, "the object cannot be checked: unexpected end of JSON at byte 15"},
		{"trailing", "v1", `{} {}`, "the object cannot be checked: data after the end of the document at byte 3"},
		{"duplicate", "v1", `{"spec":1,"spec":2}`, `the object cannot be checked: duplicate key "spec" at byte 10`},
		{"bad number", "v1", `{"spec":1e999}`, "the object cannot be checked: number 1e999 is neither an int64 nor a finite float64 at byte 8"},
		{"bad string", "v1", `{"spec":"` + "\xff" + `"}`, "the object cannot be checked: invalid UTF-8 in a string at byte 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := crd.Check(c.version, []byte(c.object), Options{}, func(Violation) bool { return true })
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			var syntax *rawjson.SyntaxError
			if errors.As(err, &syntax) == (c.version == "v2") {
				t.Errorf("%T", err)
			}
		})
	}
}

func TestCheckStops(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: array, items: {type: integer}, maxItems: 1}`)))
	object := []byte(`{"spec":["a",1,"b","c"]}   and what follows is not read`)
	for most := 1; most <= 3; most++ {
		var got []string
		err := crd.Check("v1", object, Options{}, func(v Violation) bool {
			got = append(got, v.Path)
			return len(got) < most
		})
		want := []string{"spec[0]", "spec[2]", "spec[3]"}[:most]
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: got %q, %v, want %q", most, got, err, want)
		}
	}
}

// TestCheckAfterTrouble shows that a check that was stopped or failed leaves no state for the next
// check.
func TestCheckAfterTrouble(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object,
		required: [name], properties: {name: {type: string, maxLength: 1}, count: {type: integer, anyOf: [{minimum: 1}, {not: {minimum: -1}}]}}}}`)))
	good := []byte(`{"spec":[{"name":"a","count":1},{"name":"b","count":-2}]}`)
	for _, bad := range []string{
		`{"spec":[{"name":"aa"`, `{"spec":[{"name":"a"},{"name":"a"},{}]}`, `{"spec":[{"count":0},{}`, `{"spec":[{"name":"a","count":0},`, `{"spec":[{"nam`,
		`{"spec":[{"name":"a"},{"name":"b","count":"x"}]`, `{"spec":[[[`,
	} {
		for _, more := range []bool{true, false} {
			_ = crd.Check("v1", []byte(bad), Options{Partial: more}, func(Violation) bool { return more })
			err := crd.Check("v1", good, Options{}, func(v Violation) bool {
				t.Errorf("after %s: %s", bad, v)
				return true
			})
			if err != nil {
				t.Errorf("after %s: %v", bad, err)
			}
		}
	}
}

func TestCheckConcurrently(t *testing.T) {
	crd := parse(t, []byte(withSpec(`{type: array, x-kubernetes-list-type: set, items: {type: string, pattern: "^[a-z]+$", anyOf: [{maxLength: 3}, {minLength: 5}]}}`)))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for n := range 200 {
				word := strings.Repeat(string(rune('a'+i)), 1+n%6)
				want := 1
				if len(word) == 4 {
					want = 3
				}
				got := 0
				err := crd.Check("v1", fmt.Appendf(nil, `{"spec":[%q,%q]}`, word, word), Options{}, func(v Violation) bool {
					got++
					if v.Path != "spec[0]" && v.Path != "spec[1]" {
						t.Errorf("path %s", v.Path)
					}
					return true
				})
				if err != nil || got != want {
					t.Errorf("%s: %d violations, %v, want %d", word, got, err, want)
				}
			}
		})
	}
	wait.Wait()
}

// TestCheckAllocates shows that Check does not allocate for an object without violations, with
// every kind of schema.
func TestCheckAllocates(t *testing.T) {
	issued := parse(t, definitions(t)["certificates.cert-manager.io"])
	made := parse(t, []byte(withSpec(`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, properties: {a: {type: string}, b: {type: integer}},
		anyOf: [{required: [c]}, {properties: {a: {enum: [x]}}}, {properties: {b: {minimum: 9}}}, {properties: {a: {maxLength: 1, pattern: "^a"}}, minProperties: 1}],
		oneOf: [{maxProperties: 1}, {minProperties: 2}], not: {properties: {b: {multipleOf: 7}}}}}`)))
	for _, c := range []struct {
		name   string
		crd    *CRD
		object []byte
	}{
		{"real", issued, newGenerator(1, true).object(issued, issued.storage())},
		{"made", made, []byte(`{"spec":[{"a":"a","b":1},{"a":"a","b":2},{"a":"x","b":-3}]}`)},
	} {
		report := func(v Violation) bool {
			t.Errorf("%s: %s", c.name, v)
			return false
		}
		checker, root := newChecker(), c.crd.version("v1").root // not from the pool, which forgets some when the race detector is on
		if got := testing.AllocsPerRun(100, func() { _ = checker.run(c.crd, root, c.object, Options{}, report) }); got > 0 {
			t.Errorf("%s: %v allocations", c.name, got)
		}
	}
}
