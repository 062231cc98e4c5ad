package plugins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestFrames tests the ABI's rules for every converter on each module.
func TestFrames(t *testing.T) {
	forEach(t, func(t *testing.T, c converter, vectors []crosswalktest.Vector) {
		g := newGuest(t, c.file)
		good, bad := pair(t, vectors)
		desired, object, refused := good.DesiredAPIVersion, string(good.Objects[0]), string(bad.Objects[0])
		converted, refusal := g.answers(t, desired, object)[0], g.answers(t, desired, refused)[0]
		if converted.status != 0 || refusal.status != 1 {
			t.Fatalf("the vectors %q and %q were answered with %v and %v", good.Name, bad.Name, converted, refusal)
		}

		t.Run("empty batch", func(t *testing.T) {
			if got := g.answers(t, desired); len(got) != 0 {
				t.Errorf("got %v", got)
			}
		})
		t.Run("a thousand objects, one refused", func(t *testing.T) {
			batch := slices.Repeat([]string{object}, 1000)
			batch[500] = refused
			for i, got := range g.answers(t, desired, batch...) {
				want := converted
				if i == 500 {
					want = refusal
				}
				if got != want {
					t.Fatalf("object %d: got %v, want %v", i, got, want)
				}
			}
		})
		t.Run("a large object", func(t *testing.T) {
			padding := strings.Repeat(`{"a":["\"}]",1.50,null]},`, 1<<20/25)
			large := object[:len(object)-1] + `,"padding":[` + padding + `{}]}`
			got := g.answers(t, desired, large)[0]
			if got.status != 0 || !strings.Contains(got.body, padding) {
				t.Errorf("%d bytes: status %d, %d bytes: %.200s", len(large), got.status, len(got.body), got.body)
			}
		})
		t.Run("a deep object", func(t *testing.T) {
			if g.command != nil {
				t.Skip("how deep a program's own JSON library reads is its own affair")
			}
			deep := object[:len(object)-1] + `,"deep":` + strings.Repeat(`[{"a":`, 499) + "1" + strings.Repeat("}]", 499) + "}"
			if got := g.answers(t, desired, deep)[0]; got.status != 0 {
				t.Errorf("refused: %s", got.body)
			}
		})
		t.Run("no memory is lost", func(t *testing.T) {
			if g.command != nil {
				t.Skip("a program starts anew for every batch")
			}
			batch := slices.Repeat([]string{object}, 100)
			call := func(n int) uint32 {
				for range n {
					g.answers(t, desired, batch...)
				}
				return g.module.Memory().Size()
			}
			// A garbage collector may take its time, and Go's heap grows by megabytes; 105 bytes
			// lost for each of 40,000 objects are 4 MiB.
			before := call(100)
			if after := call(400); after > before+4<<20 {
				t.Errorf("memory grew from %d to %d bytes in 400 calls", before, after)
			}
		})
		t.Run("an answer depends on the object alone", func(t *testing.T) {
			if got := newGuest(t, c.file).answers(t, desired, object)[0]; got != converted {
				t.Errorf("a new instance says %v, the old one %v", got, converted)
			}
		})
		t.Run("white space", func(t *testing.T) {
			var indented bytes.Buffer
			if err := json.Indent(&indented, []byte(object), " \t", "\r\n\t"); err != nil {
				t.Fatal(err)
			}
			spaced := good
			spaced.Objects = []json.RawMessage{indented.Bytes()}
			if err := spaced.Check(split(g.answers(t, desired, indented.String()))); err != nil {
				t.Error(err)
			}
		})
		t.Run("description", func(t *testing.T) {
			if g.describe == nil {
				t.Skip("the module does not describe itself")
			}
			if got := describe(t, g); got.Name != c.plugin || got.Language != c.language || got.SDK == "" {
				t.Errorf("got %+v", got)
			}
		})
		if logged := newProgram(t, c.file).logged; len(logged) > 0 {
			t.Errorf("the module logged %q", logged)
		}
	})
}

// TestDeclaredFields compares the declared fields of a plugin's modules in all languages that
// declare fields.
func TestDeclaredFields(t *testing.T) {
	declared, derived := map[string]map[string][]string{}, map[string]map[string][]string{} // by plugin
	forEach(t, func(t *testing.T, c converter, _ []crosswalktest.Vector) {
		g := newGuest(t, c.file)
		if g.describe == nil {
			return
		}
		fields := describe(t, g).Fields
		if fields == nil {
			return
		}
		for _, paths := range fields {
			slices.Sort(paths)
		}
		if c.language == "rules" { // declares by itself; it may add fields that it removes
			derived[c.plugin] = fields
			return
		}
		if want, ok := declared[c.plugin]; ok && !reflect.DeepEqual(fields, want) {
			t.Errorf("declares %v, another language %v", fields, want)
		}
		declared[c.plugin] = fields
	})
	if declared["crontab"] == nil {
		t.Error("no crontab declares its fields")
	}
	for plugin, fields := range declared {
		for version, paths := range fields {
			for _, path := range paths {
				covers := func(wider string) bool { return path == wider || strings.HasPrefix(path, wider+".") }
				if derived[plugin] != nil && !slices.ContainsFunc(derived[plugin][version], covers) {
					t.Errorf("the rules of %s do not declare %s of %s", plugin, path, version)
				}
			}
		}
	}
}

// description is the result of crosswalk_describe.
type description struct {
	Name, Language, SDK string
	Fields              map[string][]string
}

func describe(t *testing.T, g *guest) (d description) {
	t.Helper()
	result, err := g.describe.Call(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := g.module.Memory().Read(uint32(result[0]>>32), uint32(result[0]))
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// pair returns a vector of one object that is converted, and one of one object to the same version
// that is refused. The converted one has no stash: converters log that a stash is stale.
func pair(t *testing.T, vectors []crosswalktest.Vector) (good, bad crosswalktest.Vector) {
	for _, bad := range vectors {
		if len(bad.Objects) != 1 || bad.WantError == "" {
			continue
		}
		for _, good := range vectors {
			if len(good.Objects) == 1 && good.WantError == "" && !strings.Contains(string(good.Objects[0]), "/stash") && good.DesiredAPIVersion == bad.DesiredAPIVersion {
				return good, bad
			}
		}
	}
	t.Fatal("the vectors have no refusal of one object")
	return
}
