package generate

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

func load(t testing.TB, file string) *apiserver.Definition {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		inflated, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = io.ReadAll(inflated); err != nil {
			t.Fatal(err)
		}
	}
	all, err := definition.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := apiserver.New(all[0].CRD)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func next(t testing.TB, g *Generator) map[string]any {
	t.Helper()
	object := g.Next(context.Background())
	if object == nil {
		t.Fatal("the generator finds no valid object")
	}
	return object
}

// TestObjectsAreValid generates objects from every definition in the repository, the large real
// ones included: an API server accepts each, and would not change it.
func TestObjectsAreValid(t *testing.T) {
	files, err := filepath.Glob("../../../../host/schema/testdata/*.yaml.gz")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d definitions, %v", len(files), err)
	}
	examples, err := filepath.Glob("../../../../plugins/*/crd.yaml")
	if err != nil || len(examples) < 7 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	files = append(append(files, "testdata/keywords.yaml"), examples...)
	for _, file := range files {
		d := load(t, file)
		for _, v := range d.Versions {
			t.Run(d.Kind+" "+v.Name, func(t *testing.T) {
				g := New(context.Background(), v, 1)
				seen := map[string]bool{}
				const objects = 120
				for range objects {
					object := next(t, g)
					if errs := v.Validate(context.Background(), object); len(errs) > 0 {
						t.Fatalf("invalid: %v\n%s", errs, encode(object))
					}
					before := encode(object)
					if v.Store(object); encode(object) != before {
						t.Fatalf("the API server changes %s\nto %s", before, encode(object))
					}
					seen[before] = true
				}
				if len(seen) < objects/4 {
					t.Errorf("%d different objects of %d", len(seen), objects)
				}
			})
		}
	}
}

// excluded are goals that rules about surrounding values make unreachable.
var excluded = []string{
	"spec.auth: empty", "spec.shape: empty", "spec.source: empty", "spec.shape.kind: absent", "spec.shape.kind: empty", "spec.window.kind: empty",
	"status.replicas: an integer that a float64 does not hold", // a field of the scale subresource
}

// TestGoalsAreReached generates objects from schemas: all goals are reached that valid objects can
// show.
func TestGoalsAreReached(t *testing.T) {
	for _, c := range []struct {
		file    string
		objects int
	}{{"testdata/keywords.yaml", 1000}, {"../../../../plugins/certificate/crd.yaml", 1500}, {"../../../../plugins/database/crd.yaml", 300}, {"../../../../plugins/environment/crd.yaml", 300}} {
		d := load(t, c.file)
		for _, v := range d.Versions {
			t.Run(d.Kind+" "+v.Name, func(t *testing.T) {
				g := New(context.Background(), v, 1)
				if goals, _ := g.Coverage(); goals < 20 {
					t.Errorf("%d goals", goals)
				}
				missing := func() []Unreached {
					_, unreached := g.Coverage()
					return slices.DeleteFunc(unreached, func(u Unreached) bool {
						return d.Kind == "Keyword" && slices.Contains(excluded, u.Path+": "+u.What)
					})
				}
				for n := 0; n < c.objects && len(missing()) > 0; n++ {
					next(t, g)
				}
				for _, u := range missing() {
					t.Errorf("not reached: %s: %s (%s)", u.Path, u.What, u.Why)
				}
			})
		}
	}
}

func TestGoalsOfKeywords(t *testing.T) {
	g := New(context.Background(), load(t, "testdata/keywords.yaml").Versions[0], 1)
	var all []string
	for _, goal := range g.goals {
		all = append(all, goal.node.path+": "+goal.what)
	}
	for _, want := range []string{
		"spec.mode: the value \"Fast\"", "spec.mode: the value \"\"", "spec.level: the value 5", "spec.note: null", "spec.port: an integer", "spec.port: a string",
		"spec.source: branch 3 of 3 of a union", "spec.auth: branch 2 of 2 of a union", "spec.shape: branch 2 of 2 of a union", "spec.shape.radius: absent",
		"spec.labels: empty", "spec.labels: 3 members, the maximum", "spec.matrix: 2 elements, the minimum", "spec.matrix: 3 elements, the maximum",
		"spec.step: 5, the minimum", "spec.step: 50, the maximum", "spec.big: an integer that a float64 does not hold", "spec.percent: 100, the maximum",
		"spec.code: 40 characters, the maximum", "spec.ports: several elements", "spec.ports: empty", "spec.free: absent",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not a goal", want)
		}
	}
	for _, not := range []string{"spec.name: empty", "spec.name: absent", "spec.defaulted: absent", "spec.when: empty", "spec.limits: empty", "spec.replicas: an integer that a float64 does not hold"} {
		if slices.Contains(all, not) {
			t.Errorf("%s is a goal, and the schema excludes it", not)
		}
	}
}

func TestUnreachedGoalHasReason(t *testing.T) {
	v := load(t, "testdata/keywords.yaml").Versions[0]
	g := New(context.Background(), v, 1)
	for range 5 {
		next(t, g)
	}
	_, unreached := g.Coverage()
	if len(unreached) < 20 {
		t.Errorf("%d goals are not reached after five objects", len(unreached))
	}
}

func TestSameSeedSameObjects(t *testing.T) {
	v := load(t, "testdata/keywords.yaml").Versions[0]
	made := func(seed uint64, given ...map[string]any) (all []string) {
		g := New(context.Background(), v, seed, given...)
		for range 200 {
			all = append(all, encode(next(t, g)))
		}
		return all
	}
	first := made(7)
	if !slices.Equal(first, made(7)) {
		t.Error("two generators with one seed made different objects")
	}
	if slices.Equal(first, made(8)) {
		t.Error("another seed made the same objects")
	}
	given := next(t, New(context.Background(), v, 3))
	if !slices.Equal(made(7, given), made(7, given)) {
		t.Error("two generators with one seed and one given object made different objects")
	}
}

// TestGivenObjects uses given objects as they are, then their values as examples in others.
func TestGivenObjects(t *testing.T) {
	v := load(t, "testdata/keywords.yaml").Versions[0]
	given := next(t, New(context.Background(), v, 3))
	given["spec"].(map[string]any)["shape"] = map[string]any{"kind": "Circle", "radius": int64(4711)}
	given["spec"].(map[string]any)["labels"] = map[string]any{"known-key": "known"}
	g := New(context.Background(), v, 1, given)
	if first := next(t, g); encode(first) != encode(given) {
		t.Errorf("the first object is %s, want %s", encode(first), encode(given))
	}
	values := map[string]int{}
	for range 600 {
		text := encode(next(t, g))
		for _, part := range []string{`"radius":4711`, `"known-key":`, `"known-key":"known"`} {
			values[part] += strings.Count(text, part)
		}
	}
	for part, n := range values {
		if n < 5 {
			t.Errorf("%s occurs %d times", part, n)
		}
	}
	invalid := map[string]any{"apiVersion": v.APIVersion, "kind": v.Kind, "spec": "text"}
	if first := next(t, New(context.Background(), v, 1, invalid)); first["spec"] == "text" {
		t.Error("an invalid given object was used")
	}
}

func TestChange(t *testing.T) {
	v := load(t, "testdata/keywords.yaml").Versions[0]
	object := next(t, New(context.Background(), v, 3))
	before := encode(object)
	g := New(context.Background(), v, 1)
	seen := map[string]bool{}
	for n := range uint64(100) {
		other := g.Change(context.Background(), object, n)
		if other == nil {
			continue
		}
		if errs := v.Validate(context.Background(), other); len(errs) > 0 {
			t.Fatal(errs)
		}
		seen[encode(other)] = true
	}
	if encode(object) != before {
		t.Error("Change changed the given object")
	}
	if len(seen) < 50 || seen[before] {
		t.Errorf("100 changes made %d different objects", len(seen))
	}
}

func TestPatterns(t *testing.T) {
	for _, text := range []string{
		`^(http|https|socks5)://.+$`, `^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)ms)?)$`, `^((([01][0-9])|(2[0-3])):[0-5][0-9])$|(^24:00$)`,
		`^((?i)sun|mon|tues)day(?:((:(sun|mon|tues)day)$)|$)`, `^\[[0-9]+-[0-9]+\]$`, `^[^\s/]{3,8}$`, `\p{Greek}{2}`, `^(?:a{2,5}b{0,1}){3}$`, `^\d{5}(-\d{4})?$`, `^[[:alpha:]_.]*$`, `a.c`, `^$`,
	} {
		p := newPattern(text)
		if p == nil {
			t.Fatalf("%s is not compiled", text)
		}
		m := New(context.Background(), load(t, "../../../../plugins/hostport/crd.yaml").Versions[0], 1).newMaker(nil)
		good := 0
		for i := range 60 {
			if p.match.MatchString(p.make(m.rand, i%6)) {
				good++
			}
		}
		if good < 40 {
			t.Errorf("%d of 60 strings match %s", good, text)
		}
	}
	for _, text := range []string{"(", `(?=a)`, strings.Repeat("a", maxPattern+1)} {
		if newPattern(text) != nil {
			t.Errorf("%.20s is compiled", text)
		}
	}
	if p := newPattern(`^(((a{30}){30})*)*$`); p != nil {
		m := New(context.Background(), load(t, "../../../../plugins/hostport/crd.yaml").Versions[0], 1).newMaker(nil)
		if s := p.make(m.rand, 1000); len(s) > 2*maxMade {
			t.Errorf("a string of %d bytes was made", len(s))
		}
	}
}
