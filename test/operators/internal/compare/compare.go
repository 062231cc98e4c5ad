// Package compare compares converter modules built from an operator's types with direct calls of these types, as controller-runtime's
// webhook calls them.
package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/randfill"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// Edge is one conversion, as the operator's types do it.
type Edge struct {
	From, To string                        // apiVersions
	Source   func() any                    // a new object of version From
	Convert  func(source any) (any, error) // the operator's own code
}

// Config defines a comparison.
type Config struct {
	Module string // file name of the module, which names its conversions
	Kind   string
	Edges  []Edge
	Fill   []any         // functions for sigs.k8s.io/randfill, for types that cannot be filled with just anything
	Limits module.Limits // limits of a gateway that the module needs beyond the defaults
	Count  int           // objects for each edge
}

// Main is for TestMain: the process may be the child in which a module is vetted.
func Main(m *testing.M) int {
	if len(os.Args) == 2 && os.Args[1] == module.VetArgument {
		return module.VetMain(os.Stdin, os.Stdout)
	}
	return m.Run()
}

// Run converts generated objects with the types, and with the module of the package under test: compiled into the test, and as
// WebAssembly loaded by a gateway's loader under c.Limits. The results must be the same to the byte, once members are
// sorted and without the metadata that an API server restores.
func Run(t *testing.T, c Config) {
	objects := map[direction][]object{}
	for i, e := range c.Edges {
		objects[direction{e.From, e.To}] = generate(t, c, e, int64(i))
	}
	t.Run("native", func(t *testing.T) {
		for edge, list := range objects {
			for _, o := range list {
				got, err := crosswalk.Convert(o.text, edge.To)
				o.check(t, edge, got, err)
			}
		}
	})
	t.Run("wasm", func(t *testing.T) {
		if testing.Short() {
			t.Skip("building and loading the module takes seconds to minutes (run without -short)")
		}
		m := open(t, c)
		for edge, list := range objects {
			texts := make([][]byte, len(list))
			for i, o := range list {
				texts[i] = o.text
			}
			converted, refused, err := m.Convert(context.Background(), edge.From, edge.To, texts)
			if err != nil {
				t.Fatalf("%s to %s: %v", edge.From, edge.To, err)
			}
			for i, o := range list {
				var refusal error
				if text, ok := refused[i]; ok {
					refusal = fmt.Errorf("%s", text)
				}
				o.check(t, edge, converted[i], refusal)
			}
		}
	})
}

// direction identifies an edge.
type direction struct{ From, To string }

// object is a generated object and its conversions by the operator's types.
type object struct {
	text    []byte
	want    []byte // normalised
	refusal string // instead of want
}

// generate makes random objects of an edge's source, and converts them with the operator's types.
func generate(t *testing.T, c Config, e Edge, seed int64) (list []object) {
	t.Helper()
	fill := randfill.NewWithSeed(seed).NilChance(0.4).NumElements(0, 3).MaxDepth(20).Funcs(c.Fill...)
	refused := 0
	for i := range c.Count {
		source := e.Source()
		fill.Fill(source)
		text, err := json.Marshal(source)
		if err != nil {
			t.Fatalf("%s: %v", e.From, err)
		}
		o := object{text: identify(t, text, e.From, c.Kind, i)}
		again := e.Source() // as a webhook gets it
		if err := json.Unmarshal(o.text, again); err != nil {
			t.Fatalf("%s: %v: %s", e.From, err, o.text)
		}
		if out, err := e.Convert(again); err != nil {
			o.refusal = err.Error()
			refused++
		} else {
			result, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			o.want = normal(t, result)
		}
		list = append(list, o)
	}
	if refused > c.Count/2 {
		t.Errorf("%s to %s: %d of %d generated objects are refused (%s): too few are compared", e.From, e.To, refused, c.Count, list[0].refusal)
	}
	return list
}

// identify sets the members that make a text an object of a version.
func identify(t *testing.T, text []byte, apiVersion, kind string, i int) []byte {
	o := decode(t, text)
	o["apiVersion"], o["kind"] = apiVersion, kind
	metadata, _ := o["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["uid"] = fmt.Sprintf("n%d", i), fmt.Sprintf("u%d", i)
	o["metadata"] = metadata
	return encode(t, o)
}

// check compares the module's answer with that of the types.
func (o object) check(t *testing.T, edge direction, got []byte, err error) {
	t.Helper()
	switch {
	case err != nil && err.Error() == o.refusal:
	case err != nil:
		t.Errorf("%s to %s: refused with %q instead of %q: %s", edge.From, edge.To, err, o.refusal, o.text)
	case o.refusal != "":
		t.Errorf("%s to %s: not refused with %q: %s", edge.From, edge.To, o.refusal, o.text)
	default:
		if version := decode(t, got)["apiVersion"]; version != edge.To {
			t.Errorf("%s to %s: the apiVersion is %v", edge.From, edge.To, version)
		}
		if normalised := normal(t, got); !bytes.Equal(normalised, o.want) {
			t.Errorf("%s to %s: %s\nbecame  %s\ninstead %s", edge.From, edge.To, o.text, normalised, o.want)
		}
	}
}

// normal sorts members and drops the parts that the gateway and the API server set: apiVersion, kind, and the metadata except labels and
// annotations.
func normal(t *testing.T, text []byte) []byte {
	o := decode(t, text)
	metadata, _ := o["metadata"].(map[string]any)
	delete(o, "apiVersion")
	delete(o, "kind")
	delete(o, "metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, _ := metadata[name].(map[string]any); len(value) > 0 {
			o["metadata."+name] = value
		}
	}
	return encode(t, o)
}

func decode(t *testing.T, text []byte) (o map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

func encode(t *testing.T, o any) []byte {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// open builds the module of the package under test and loads it as a gateway does, vetted in a process of its own.
func open(t *testing.T, c Config) *module.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), c.Module)
	build := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", file, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(file); err == nil {
		t.Logf("the module has %.1f MB", float64(info.Size())/1e6)
	}
	c.Limits.CompileTime = 10 * time.Minute // the machine may do other things as well
	c.Limits.CallTime = time.Minute
	m, err := runtime.Open(context.Background(), file, runtime.OpenConfig{Limits: c.Limits, Vet: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}
