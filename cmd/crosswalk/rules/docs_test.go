package rules

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

// guest is an instance of a module of rules.
type guest struct {
	t      *testing.T
	module api.Module
}

func newGuest(t *testing.T, f *File) *guest {
	t.Helper()
	wasm, err := f.Module()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { r.Close(ctx) })
	_, err = r.NewHostModuleBuilder("crosswalk_v1").NewFunctionBuilder().
		WithFunc(func(context.Context, uint32, uint32, uint32) {}).Export("log").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return &guest{t, m}
}

// convert returns the converted object, or the refusal.
func (g *guest) convert(to, object string) (string, bool) {
	g.t.Helper()
	le := binary.LittleEndian
	request := le.AppendUint32(le.AppendUint32(nil, 1), uint32(len(to)))
	request = le.AppendUint32(append(request, to...), uint32(len(object)))
	request = append(request, object...)
	at, err := g.module.ExportedFunction("crosswalk_alloc").Call(context.Background(), uint64(len(request)))
	if err != nil || !g.module.Memory().Write(uint32(at[0]), request) {
		g.t.Fatalf("crosswalk_alloc: %v, %v", at, err)
	}
	out, err := g.module.ExportedFunction("crosswalk_convert").Call(context.Background(), at[0], uint64(len(request)))
	if err != nil {
		g.t.Fatal(err)
	}
	response, ok := g.module.Memory().Read(uint32(out[0]>>32), uint32(out[0]))
	if !ok || len(response) < 8 {
		g.t.Fatalf("crosswalk_convert returned %#x", out[0])
	}
	return string(response[8:]), le.Uint32(response) == 0
}

var (
	example = regexp.MustCompile("(?s)```yaml\n(- .*?)```\n\n((?:    v[12]  [^\n]*\n)+)")
	line    = regexp.MustCompile(`^    (v[12])  (.*)$`)
)

// TestDocumentedRules runs the examples of docs/author/rules.md: each line is converted to the next
// one, and the second line is converted back to the first.
func TestDocumentedRules(t *testing.T) {
	page, err := os.ReadFile("../../../docs/author/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	all := example.FindAllStringSubmatch(string(page), -1)
	for _, e := range all {
		f, err := Parse([]byte(inFile(e[1])))
		if err != nil {
			t.Errorf("%s\n%v", e[1], err)
			continue
		}
		for _, v := range vocabulary.Verbs {
			if strings.Contains(e[1], v.Name+": ") {
				documented[v.Name], documented[v.Inverse] = true, true
			}
		}
		g := newGuest(t, f)
		lines := strings.Split(strings.TrimRight(e[2], "\n"), "\n")
		if len(lines) == 2 {
			lines = append(lines, lines[0])
		}
		now := ""
		for i, text := range lines {
			version, want := line.FindStringSubmatch(text)[1], line.FindStringSubmatch(text)[2]
			if i == 0 {
				now = complete(t, version, want)
				continue
			}
			got, ok := g.convert("example.com/"+version, now)
			if now = got; !ok || normal(t, got, strings.Contains(want, `"metadata"`)) != normal(t, complete(t, version, want), strings.Contains(want, `"metadata"`)) {
				t.Errorf("%sline %d became %s, want %s", e[1], i+1, got, want)
			}
		}
	}
	for _, v := range vocabulary.Verbs {
		if !documented[v.Name] {
			t.Errorf("docs/author/rules.md has no example for %s", v.Name)
		}
		if !bytes.Contains(page, []byte("### "+v.Name)) && !bytes.Contains(page, []byte(", "+v.Name+"\n")) {
			t.Errorf("docs/author/rules.md has no section for %s", v.Name)
		}
	}
	if len(all) < len(vocabulary.Verbs)-5 {
		t.Errorf("docs/author/rules.md has %d examples", len(all))
	}
}

// inFile returns a file with these rules between v1 and v2.
func inFile(rules string) string {
	return "kind: Thing\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n  " + strings.ReplaceAll(strings.TrimSpace(rules), "\n", "\n  ") + "\n"
}

// complete adds the members that every object of example.com has.
func complete(t *testing.T, version, text string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rest := strings.TrimPrefix(text, "{")
	if members["metadata"] == nil {
		rest = `"metadata":{"name":"a","uid":"u"},` + rest
	}
	return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Thing",%s`, version, rest)
}

// normal returns an object for comparison: members sorted, name and uid and the text of a stash
// left out.
func normal(t *testing.T, text string, metadata bool) string {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return text
	}
	if m, _ := o["metadata"].(map[string]any); !metadata {
		delete(o, "metadata")
	} else {
		delete(m, "name")
		delete(m, "uid")
		if a, _ := m["annotations"].(map[string]any); a["conversion.example.com/stash"] != nil {
			a["conversion.example.com/stash"] = "…"
		}
	}
	out, _ := json.Marshal(o)
	return string(out)
}

func replace(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not contain %s", text, old)
	}
	return strings.Replace(text, old, new, 1)
}
