package prove

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestKeysThatCollide converts maps and lists whose keys a client chose so that a usual hash puts all
// of them beside each other: they take no more work than others.
func TestKeysThatCollide(t *testing.T) {
	const count, slots = 8000, 16384
	var names []string
	for i := 0; len(names) < count; i++ {
		name := fmt.Sprint("k", i)
		h := fnv.New32a()
		h.Write([]byte(name))
		if hash := h.Sum32(); (hash^hash>>15)%slots < slots/16 {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the stash keeps another order
	f := fixture{specs: []string{
		`{l: {type: array, items: {type: object, required: [name, v], properties: {name: {type: string}, v: {type: string}}}}, k: {type: object, additionalProperties: {type: string}}}`,
		`{m: {type: object, additionalProperties: {type: string}}, k: {type: object, additionalProperties: {type: string}}}`},
		rules: "- {mapFromList: spec.l, to: spec.m, key: name, value: v}\n- {renameKeys: spec.k, values: [[a, b]]}\n"}
	file, _ := f.parsed(t)
	wasm, err := file.Module()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), file.ModuleName())
	if err := os.WriteFile(path, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	limits := fuzz.Limits(module.Limits{FuelPerObject: 100_000_000, FuelPerByte: 1})
	m, err := runtime.Open(t.Context(), path, runtime.OpenConfig{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, c := range []struct{ name, before, each, after string }{
		{"a list", `"l": [`, `{"name": "%s", "v": ""}`, `]`},
		{"a map", `"k": {`, `"%s": ""`, `}`},
	} {
		var members []string
		for _, name := range names {
			members = append(members, fmt.Sprintf(c.each, name))
		}
		object := `{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "uid": "u"}, "spec": {` + c.before + strings.Join(members, ",") + c.after + `}}`
		out, refused, err := m.Convert(t.Context(), "example.com/v1", "example.com/v2", [][]byte{[]byte(object)})
		if err != nil || refused != nil && refused[0] != "" {
			t.Errorf("%s: %v, %v", c.name, err, refused)
		} else if !strings.Contains(string(out[0]), `"`+names[count-1]+`":""`) && !strings.Contains(string(out[0]), `"`+names[count-1]+`": ""`) {
			t.Errorf("%s: the last key is absent", c.name)
		}
	}
}
