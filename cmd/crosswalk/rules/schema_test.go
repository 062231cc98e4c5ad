package rules

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

var update = flag.Bool("update", false, "write sdk/rules/rules.schema.json")

const schemaFile = "../../../sdk/rules/rules.schema.json"

// TestSchemaFile compares the schema in the repository with the one that follows the parser's
// table.
func TestSchemaFile(t *testing.T) {
	if *update {
		if err := os.WriteFile(schemaFile, vocabulary.JSONSchema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(schemaFile); err != nil || string(got) != string(vocabulary.JSONSchema()) {
		t.Errorf("%s is not the schema of the parser (%v): run go test -C cmd/crosswalk ./rules -run TestSchemaFile -update", schemaFile, err)
	}
}

// TestSchemaAgreesWithParser compares the verdicts of the schema and of the parser about the shape
// of files: the examples, and each of them with one member removed, renamed or given another type.
func TestSchemaAgreesWithParser(t *testing.T) {
	var s map[string]any
	if err := json.Unmarshal(vocabulary.JSONSchema(), &s); err != nil {
		t.Fatal(err)
	}
	v := validator{s}
	accepted, rejected := 0, 0
	for _, text := range corpus(t) {
		var doc any
		node, err := plainyaml.Parse([]byte(text), plainyaml.Limits{Bytes: syntax.MaxFile, Nodes: syntax.MaxFile, Depth: 100})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := plainyaml.AppendJSON(nil, node, plainyaml.JSONNumber)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse([]byte(text)); err != nil || !v.valid(s, doc) {
			t.Errorf("%s\nparser: %v, schema: %v", text, err, v.valid(s, doc))
		}
		mutate(doc, func() {
			changed, _ := json.Marshal(doc)
			_, err := Parse(changed)
			switch ok := v.valid(s, doc); {
			case ok && err != nil && isShape(err):
				t.Errorf("the schema accepts %s, but the parser reports: %v", changed, err)
			case !ok && err == nil:
				t.Errorf("the schema rejects %s, but the parser does not", changed)
			case ok:
				accepted++
			default:
				rejected++
			}
		})
	}
	if accepted < 50 || rejected < 500 {
		t.Errorf("only %d changed files were accepted and %d rejected", accepted, rejected)
	}
}

// isShape reports whether a mistake is one that a schema can find.
func isShape(err error) bool {
	if strings.Contains(err.Error(), "the condition cannot be inverted") { // the schema does not know the versions
		return false
	}
	for _, text := range []string{"has the unknown member", "needs the member", "not a mapping", "not a list", "not text", "true or false", "is empty"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// corpus returns the rules of the example converters and of the documentation.
func corpus(t *testing.T) (texts []string) {
	t.Helper()
	files, err := filepath.Glob("../../../plugins/*/rules/rules.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	page, err := os.ReadFile("../../../docs/author/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range example.FindAllStringSubmatch(string(page), -1) {
		texts = append(texts, inFile(e[1]))
	}
	return append(texts, inFile("- {rename: spec.a, to: spec.b, when: {v1: {path: spec.t, equals: 1}, v2: {path: spec.u, in: [1], not: true}}}\n"+
		"- {rename: spec.c, to: spec.d, when: [{path: spec.t, equals: 1}, {path: spec.u, exists: true}]}")+
		"cases:\n- {name: a, from: v1, to: v2, object: {}, want: {}, stash: {}, thereAndBack: true}\n- {from: v1, to: v2, object: {}, wantError: a}\n"+
		"lossy:\n- {from: v1, to: v2, path: spec.a, reason: b}\n")
}

// TestSidecarMembers compares the members of cases and losses with those that the reader of
// sidecars knows.
func TestSidecarMembers(t *testing.T) {
	name, err := artifact.ParseName("Thing.example.com_v1_v2.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for list, members := range map[string][]vocabulary.Member{"cases": vocabulary.CaseMembers, "lossy": vocabulary.LossMembers} {
		var names []string
		for _, m := range members {
			names = append(names, m.Name)
		}
		_, err = artifact.ReadSidecar(name, &watch.File{Name: "Thing.example.com_v1_v2.yaml", Content: []byte(list + ": [{unknown: 1}]")})
		if want := "it may have " + strings.Join(names, ", "); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: the reader of sidecars reports %v, want the members %s", list, err, want)
		}
	}
}

// mutate changes a document in one place after another, calls check, and undoes the change.
func mutate(v any, check func()) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(keysOf(v)) {
			old := v[key]
			delete(v, key)
			check()
			v["unknown"] = old
			check()
			delete(v, "unknown")
			for _, other := range []any{map[string]any{}, []any{}, true, "word"} {
				v[key] = other
				check()
			}
			v[key] = old
			mutate(old, check)
		}
	case []any:
		for i, old := range v {
			for _, other := range []any{map[string]any{}, true} {
				v[i] = other
				check()
			}
			v[i] = old
			mutate(old, check)
		}
	}
}

func keysOf(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// validator judges by the part of JSON Schema that Schema uses.
type validator struct{ root map[string]any }

func (v validator) valid(s, doc any) bool {
	m, ok := s.(map[string]any)
	if !ok {
		return s == true
	}
	if r, ok := m["$ref"].(string); ok {
		return v.valid(v.root["definitions"].(map[string]any)[strings.TrimPrefix(r, "#/definitions/")], doc)
	}
	for name, rule := range m {
		if !v.keyword(name, rule, m, doc) {
			return false
		}
	}
	return true
}

func (v validator) keyword(name string, rule any, s map[string]any, doc any) bool {
	object, isObject := doc.(map[string]any)
	list, isList := doc.([]any)
	text, isText := doc.(string)
	switch name {
	case "type":
		return isType(rule, doc)
	case "enum":
		return slices.Contains(rule.([]any), doc)
	case "const":
		return rule == doc
	case "not":
		return !v.valid(rule, doc)
	case "if":
		if v.valid(rule, doc) {
			return s["then"] == nil || v.valid(s["then"], doc)
		}
		return s["else"] == nil || v.valid(s["else"], doc)
	case "allOf", "anyOf", "oneOf":
		n := 0
		for _, one := range rule.([]any) {
			if v.valid(one, doc) {
				n++
			}
		}
		return name == "allOf" && n == len(rule.([]any)) || name == "anyOf" && n > 0 || name == "oneOf" && n == 1
	case "required":
		return !isObject || !slices.ContainsFunc(rule.([]any), func(m any) bool { return object[m.(string)] == nil })
	case "properties":
		for key, one := range rule.(map[string]any) {
			if member, ok := object[key]; ok && !v.valid(one, member) {
				return false
			}
		}
	case "additionalProperties":
		known, _ := s["properties"].(map[string]any)
		for key, member := range object {
			if known[key] == nil && (rule == false || !v.valid(rule, member)) {
				return false
			}
		}
	case "items":
		return !isList || !slices.ContainsFunc(list, func(item any) bool { return !v.valid(rule, item) })
	case "minItems":
		return !isList || len(list) >= int(rule.(float64))
	case "maxItems":
		return !isList || len(list) <= int(rule.(float64))
	case "minProperties":
		return !isObject || len(object) >= int(rule.(float64))
	case "maxProperties":
		return !isObject || len(object) <= int(rule.(float64))
	case "minLength":
		return !isText || len(text) >= int(rule.(float64))
	}
	return true
}

func isType(rule, doc any) bool {
	if several, ok := rule.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return isType(one, doc) })
	}
	switch doc := doc.(type) {
	case map[string]any:
		return rule == "object"
	case []any:
		return rule == "array"
	case string:
		return rule == "string"
	case bool:
		return rule == "boolean"
	case float64:
		return rule == "number" || rule == "integer" && doc == math.Trunc(doc)
	}
	return false
}
