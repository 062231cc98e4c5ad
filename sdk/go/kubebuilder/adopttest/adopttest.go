// Package adopttest compares a module that crosswalk adopt made with the operator's own Go code.
// The test that crosswalk adopt writes calls it, built with the operator's packages as they are.
package adopttest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"testing"
	"time"
)

// Version is one version of a kind, with the operator's own conversions.
type Version struct {
	apiVersion string
	of         reflect.Type
	to, from   func(spoke, hub any) error
}

// Hub is the version H that all others convert to and from.
func Hub[H any](apiVersion string) Version {
	return Version{apiVersion: apiVersion, of: reflect.TypeFor[H]()}
}

// Spoke is a version S with its conversions to the hub H and from it.
func Spoke[S, H any](apiVersion string, to func(spoke *S, hub *H) error, from func(hub *H, spoke *S) error) Version {
	return Version{
		apiVersion: apiVersion, of: reflect.TypeFor[S](),
		to:   func(spoke, hub any) error { return to(spoke.(*S), hub.(*H)) },
		from: func(spoke, hub any) error { return from(hub.(*H), spoke.(*S)) },
	}
}

// Kind is a kind and the module that converts it.
type Kind struct {
	Name, Module string
	Hub          Version
	Spokes       []Version
	// Opaque reports whether the module copies the text of some values without decoding it. Compare
	// such values after decoding them with the types.
	Opaque bool
}

const (
	randomObjects = 100 // for each pair of versions, with few to many members
	mutatedPaths  = 300 // of one object with many members: each absent, and each null
	fragments     = 60
)

// Report is the result of a run, for crosswalk adopt.
type Report struct {
	Pairs []Pair
}

// Pair is one direction.
type Pair struct {
	From, To                    string
	Compared, Refused, Panicked int
	Native, NativeInAList       time.Duration   // CPU of the types, for one object in a review: by itself, and among 1,000
	Sample                      json.RawMessage // the object
}

// Run compares, for each pair of versions: random objects, objects with one member absent or null,
// and fragments. Results must be equal byte for byte after sorting members and removing the
// metadata that an API server restores. Refusals must have the same text.
func Run(t *testing.T, k Kind) {
	var report Report
	versions := append([]Version{k.Hub}, k.Spokes...)
	for _, v := range versions {
		if reduced(v.of, map[reflect.Type]bool{}) {
			t.Fatalf("the test was built with the module's own copy of the types: run it with go test -mod=mod")
		}
	}
	seed := int64(0)
	for _, from := range versions {
		for _, to := range versions {
			if from.apiVersion == to.apiVersion {
				continue
			}
			seed++
			t.Run(from.apiVersion+" to "+to.apiVersion, func(t *testing.T) {
				c := comparison{kind: k, from: from, to: to, r: rand.New(rand.NewSource(seed))}
				report.Pairs = append(report.Pairs, c.run(t))
			})
		}
	}
	if name := os.Getenv("CROSSWALK_ADOPT_REPORT"); name != "" && !t.Failed() {
		text, err := json.Marshal(report)
		if err == nil {
			err = os.WriteFile(name, text, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// reduced says whether a type has a part that crosswalk adopt made opaque.
func reduced(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return reduced(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).Name == "crosswalkOpaque" || reduced(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// comparison is one direction between two versions.
type comparison struct {
	kind     Kind
	from, to Version
	r        *rand.Rand
}

// object is the text of an object, with the result of the operator's code.
type object struct {
	text     []byte
	want     any // the result, decoded
	refusal  string
	fragment bool
}

func (c *comparison) run(t *testing.T) (pair Pair) {
	pair.From, pair.To = c.from.apiVersion, c.to.apiVersion
	var objects []object
	add := func(text []byte, fragment bool) {
		o, paniced := c.native(t, text)
		if paniced {
			pair.Panicked++ // a crash in the module too, which answers nothing that could be compared
			return
		}
		o.fragment = fragment
		objects = append(objects, o)
	}
	var full []byte
	for i := range randomObjects {
		text := c.random(t, float64(i+1)/randomObjects, i)
		add(text, false)
		if i < fragments {
			add(c.fragment(t, text), true)
		}
		if o, paniced := c.native(t, text); !paniced && o.refusal == "" && len(text) > len(full) {
			full = text
		}
	}
	for _, text := range mutations(t, full, mutatedPaths, c.r) {
		add(text, false)
	}
	answers := c.module(t, objects)
	for i, o := range objects {
		c.compare(t, o, answers[i])
		pair.Compared++
		if o.refusal != "" {
			pair.Refused++
		}
		if t.Failed() {
			return pair
		}
	}
	if pair.Refused*10 > pair.Compared*9 {
		t.Errorf("%d of %d objects are refused, by the types too, such as with %q: too few are compared", pair.Refused, pair.Compared, objects[0].refusal)
	}
	pair.Sample = c.sample(t)
	pair.Native, pair.NativeInAList = c.measure(t, pair.Sample, 1, 100), c.measure(t, pair.Sample, 1000, 1)
	return pair
}

// convert converts an object as a webhook does.
func (c *comparison) convert(text []byte) (result []byte, err error) {
	in, hub, out := reflect.New(c.from.of).Interface(), reflect.New(c.kind.Hub.of).Interface(), reflect.New(c.to.of).Interface()
	if err := json.Unmarshal(text, in); err != nil {
		return nil, fmt.Errorf("decoding: %w", err)
	}
	switch {
	case c.from.to == nil:
		err = c.to.from(out, in)
	case c.to.from == nil:
		err = c.from.to(in, out)
	default:
		if err = c.from.to(in, hub); err == nil {
			err = c.to.from(out, hub)
		}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func (c *comparison) native(t *testing.T, text []byte) (o object, paniced bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			paniced = true
		}
	}()
	o.text = text
	result, err := c.convert(text)
	if err != nil {
		o.refusal = err.Error()
		if o.refusal == "" {
			o.refusal = fmt.Sprintf("the conversion failed with an error without a text, a %T", err)
		}
		return o, false
	}
	o.want = normal(t, result)
	return o, false
}
