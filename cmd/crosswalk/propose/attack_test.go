package propose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// TestProposalsOfMutatedDefinitions changes one version of a definition of an operator in some places, as
// a new version would, and converts more objects, and others, with the rules that are proposed: they lose
// nothing that the file does not name. PROPOSALS is the number of definitions, and PROPOSAL_SEED the first.
func TestProposalsOfMutatedDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds for each definition")
	}
	count, objects := 3, 400
	if n, err := strconv.Atoi(os.Getenv("PROPOSALS")); err == nil {
		count = n
	}
	first, _ := strconv.ParseUint(os.Getenv("PROPOSAL_SEED"), 10, 64)
	files, _ := filepath.Glob("../../../host/schema/testdata/*.yaml.gz")
	more, _ := filepath.Glob("../prove/testdata/real/*.yaml.gz")
	files = append(files, more...)
	attacked := 0
	for seed := first; attacked < count && seed < first+uint64(20*count); seed++ {
		r := &mutator{rand.New(rand.NewPCG(seed, 27))}
		file := files[r.IntN(len(files))]
		text, made := r.mutated(t, unpacked(t, file))
		all, err := definition.Read(text)
		if err != nil {
			continue
		}
		if _, err := apiserver.New(all[0].CRD); err != nil {
			continue
		}
		attacked++
		t.Run(fmt.Sprintf("%s %d", strings.TrimSuffix(filepath.Base(file), ".yaml.gz"), seed), func(t *testing.T) {
			p, d := proposed(t, text, objects)
			written := p.Text()
			for _, f := range again(t, written, d, 2*objects).Findings {
				if loses(&f) && !regained(&f) && !bytes.Contains(written, []byte(f.Path+": ")) {
					t.Errorf("%v: the file does not name: %s\nobject: %s", made, f.Text(), f.Object)
				}
			}
		})
	}
	if attacked < count {
		t.Errorf("only %d definitions of %d are valid", attacked, count)
	}
}

type mutator struct{ *rand.Rand }

// mutated changes 1 to 3 places of one version of a definition.
func (r *mutator) mutated(t *testing.T, text []byte) ([]byte, []string) {
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	versions := crd["spec"].(map[string]any)["versions"].([]any)
	for _, v := range versions {
		plain(v.(map[string]any)["schema"])
	}
	root := versions[r.IntN(len(versions))].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	var made []string
	for range 1 + r.IntN(3) {
		if one := r.mutate(root); one != "" {
			made = append(made, one)
		}
	}
	out, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	return out, made
}

// plain removes the rules of a schema that name fields, because a changed schema would contradict them.
func plain(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"x-kubernetes-validations", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "description"} {
			if _, isSchema := v[key].(map[string]any); !isSchema {
				delete(v, key)
			}
		}
		for _, inner := range v {
			plain(inner)
		}
	case []any:
		for _, inner := range v {
			plain(inner)
		}
	}
}

// place is an object of a schema with properties.
type place struct {
	at     string
	schema map[string]any
}

func places(s map[string]any, at string) (all []place) {
	properties, _ := s["properties"].(map[string]any)
	if len(properties) > 0 && at != "" {
		all = append(all, place{at, s})
	}
	for name, property := range properties {
		if at == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			continue
		}
		all = append(all, places(property.(map[string]any), at+"."+name)...)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := s[name].(map[string]any); ok {
			all = append(all, places(inner, at+"["+name+"]")...)
		}
	}
	return all
}

// mutate changes one field of a schema, and says how.
func (r *mutator) mutate(root map[string]any) string {
	all := places(root, "")
	slices.SortFunc(all, func(a, b place) int { return strings.Compare(a.at, b.at) })
	if len(all) == 0 {
		return ""
	}
	one := all[r.IntN(len(all))]
	properties := one.schema["properties"].(map[string]any)
	var names []string
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[r.IntN(len(names))]
	old := properties[name].(map[string]any)
	text := map[string]any{"type": "string"}
	object := func(members map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": members}
	}
	gone := func() {
		delete(properties, name)
		required, _ := one.schema["required"].([]any)
		one.schema["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		delete(one.schema, "default")
	}
	what := r.IntN(13)
	switch what {
	case 0:
		gone()
		properties[name+[]string{"Name", "Ref", "s", "Seconds", "Mi"}[r.IntN(5)]] = old
	case 1:
		gone()
	case 2:
		properties["added"] = []map[string]any{text, {"type": "integer", "default": 1}, object(map[string]any{"a": text}), {"type": "array", "items": text}, {"type": "boolean", "nullable": true}}[r.IntN(5)]
	case 3:
		gone()
		properties[name+"Seconds"] = map[string]any{"type": "integer"}
	case 4:
		gone()
		properties["config"] = object(map[string]any{name: old})
	case 5:
		properties[name] = object(map[string]any{"name": old})
		delete(old, "default")
	case 6:
		properties[name] = map[string]any{"type": "array", "items": object(map[string]any{"name": text, "value": text})}
	case 7:
		properties[name] = map[string]any{"type": "object", "additionalProperties": text}
	case 8:
		switch old["type"] {
		case "string":
			if old["enum"] == nil && old["pattern"] == nil && old["format"] == nil {
				old["default"] = "x"
			}
		case "boolean":
			old["default"] = true
		case "object":
			old["default"] = map[string]any{}
		}
	case 9:
		old["nullable"] = true
	case 10:
		required, _ := one.schema["required"].([]any)
		if !slices.Contains(required, any(name)) {
			one.schema["required"] = append(required, name)
		}
	case 11:
		if values, ok := old["enum"].([]any); ok {
			for i, v := range values {
				if s, ok := v.(string); ok {
					values[i] = strings.ToLower(s)
				}
			}
			delete(old, "default")
		} else {
			properties[name] = map[string]any{"type": "array", "items": old}
		}
	case 12:
		properties[name] = map[string]any{"type": []string{"integer", "boolean", "string", "number"}[r.IntN(4)]}
	}
	return fmt.Sprintf("%d at %s.%s", what, one.at, name)
}
