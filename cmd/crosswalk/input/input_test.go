package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // objects, one on a line
		yaml       bool
		err        string
	}{
		{"an object", `{"kind":"A","n":1.50}`, `{"kind":"A","n":1.50}`, false, ""},
		{"objects one after the other", "{\"a\":1}{\"a\":2}\n{\"a\":3}", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}", false, ""},
		{"an array", `[{"a":1},{"a":2}]`, "{\"a\":1}\n{\"a\":2}", false, ""},
		{"a list", `{"kind":"List","items":[{"a":1},{"a":2}]}`, "{\"a\":1}\n{\"a\":2}", false, ""},
		{"an empty list", `{"kind":"List","items":[]}`, "", false, ""},
		{"a list of an API server", `{"apiVersion":"g/v1","kind":"AList","items":[{"a":1},{},{"kind":"A"}]}`, "{\"apiVersion\":\"g/v1\",\"kind\":\"A\",\"a\":1}\n{\"apiVersion\":\"g/v1\",\"kind\":\"A\"}\n{\"kind\":\"A\"}", false, ""},
		{"a kind that ends in List", `{"kind":"AllowList","spec":{}}`, `{"kind":"AllowList","spec":{}}`, false, ""},
		{"a review", `{"kind":"ConversionReview","request":{"objects":[{"a":1}]}}`, `{"a":1}`, false, ""},
		{"YAML", "# a comment\nkind: A\nn: 1.50\nbig: 9007199254740993\n", `{"kind":"A","n":1.50,"big":9007199254740993}`, true, ""},
		{"documents of YAML", "---\na: 1\n---\n# nothing\n---\na: 2\n", "{\"a\":1}\n{\"a\":2}", true, ""},
		{"a list in YAML", "kind: List\nitems:\n- a: 1\n- {a: 2}\n", "{\"a\":1}\n{\"a\":2}", true, ""},
		{"YAML that begins like JSON", "{a: 1}\n---\na: 2\n", "{\"a\":1}\n{\"a\":2}", true, ""},
		{"nothing", " \n", "", false, "it is empty: it must have objects, a list or a ConversionReview, as YAML or JSON"},
		{"comments", "# a\n---\n# b\n", "", false, "it is empty: it must have objects, a list or a ConversionReview, as YAML or JSON"},
		{"half of JSON", "{\"a\":\n[1,", "", false, "it is neither JSON nor YAML: line 1: unexpected EOF"},
		{"text", "a text", "", false, "it: document 1 is not an object as kubectl get -o yaml or -o json writes it"},
		{"a kind that is a number", "{\"kind\":1}", "", false, "it: document 1 is not an object as kubectl writes it: its kind is a JSON number"},
		{"a syntax error of JSON", "{\"a\":\n[\n1}", "", false, "it is neither JSON nor YAML: line 3: invalid character '}' after array element"},
		{"an alias in the second document", "a: 1\n---\nb: &x 1\nc: *x\n", "", false, "it is neither JSON nor YAML: line 4: aliases (*x) are not read: write the value out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects, err := Parse("it", []byte(c.text))
			var got []string
			for _, o := range objects {
				got = append(got, string(o.JSON))
				if o.YAML != c.yaml {
					t.Errorf("YAML: %v", o.YAML)
				}
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if strings.Join(got, "\n") != c.want || text != c.err {
				t.Errorf("%s, %s\nwant %s, %s", strings.Join(got, "\n"), text, c.want, c.err)
			}
		})
	}
}

// TestLines tests that messages name the lines of objects.
func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"# a\n---\na: 1\n---\n\nb: 2\n":               "f:3, f:6",
		"kind: List\nitems:\n- a: 1\n- # b\n  b: 2\n": "f:3, f:5",
		"\n{\"a\": 1}\n\n{\n\"b\": 2}":                "f:2, f:4",
		"\n[{\"a\": 1}, {\"b\": 2}]":                  "f:2, object 1, f:2, object 2",
	} {
		objects, err := Parse("f", []byte(text))
		var got []string
		for _, o := range objects {
			got = append(got, o.From)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := Parse("f", []byte("a: 1\n---\nb: 1\nb: 2\n")); err == nil || !strings.Contains(err.Error(), "line 4:") {
		t.Errorf("an error in the second document: %v", err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.json": `{"a":2}`, "a.yaml": "a: 1\n---\na: 1.0\n", "c.yml": "a: 3", "readme.md": "[", "d/e.yaml": "a: 4"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := Read(strings.NewReader("a: 5"), []string{dir, "-", filepath.Join(dir, "d", "e.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objects {
		got = append(got, strings.ReplaceAll(o.From, dir+string(filepath.Separator), "")+" "+string(o.JSON))
	}
	const want = `a.yaml:1 {"a":1}; a.yaml:3 {"a":1.0}; b.json:1 {"a":2}; c.yml:1 {"a":3}; standard input:1 {"a":5}; ` // and the last
	if text := strings.Join(got, "; "); text != want+filepath.Join("d", "e.yaml")+`:1 {"a":4}` {
		t.Errorf("got %s", text)
	}
	if objects, err := ReadTree(nil, []string{dir}, true); err != nil || len(objects) != 5 || string(objects[4].JSON) != `{"a":4}` {
		t.Errorf("the directories below: %v, %v", objects, err)
	}
	if _, err := Read(nil, []string{filepath.Join(dir, "none.yaml")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Read(nil, []string{t.TempDir()}); err == nil || !strings.HasSuffix(err.Error(), "has no .yaml, .yml or .json files in it") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, _, err := read(strings.NewReader("12345"), "-", 4); err == nil || !strings.Contains(err.Error(), "more than 256 MiB: use several runs") {
		t.Errorf("too much: %v", err)
	}
}

// TestParseBoundsObjectsT6 tests that a message names the object that is too large, in JSON and YAML, and
// that a list of objects may be larger.
func TestParseBoundsObjectsT6(t *testing.T) {
	const most = 100
	small, large := `{"a":"`+strings.Repeat("x", most-8)+`"}`, `{"a":"`+strings.Repeat("x", most-7)+`"}`
	if objects, err := parse("f", []byte(small+small+small), most); err != nil || len(objects) != 3 {
		t.Errorf("three objects: %d, %v", len(objects), err)
	}
	const want = ": the object has 101 bytes, of at most 100: no API server stores one of that size; remove it from the file"
	for text, at := range map[string]string{
		large:                     "f:1",
		small + "\n" + large:      "f:2",
		"# YAML\n" + large:        "f:2",
		`[{"a":1},` + large + `]`: "f:1, object 2",
	} {
		if objects, err := parse("f", []byte(text), most); objects != nil || err == nil || err.Error() != at+want {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := Parse("f", []byte(`{"a":"`+strings.Repeat("x", maxObject)+`"}`)); err == nil || !strings.Contains(err.Error(), "of at most 33554432") {
		t.Errorf("the real bound: %.200v", err)
	}
}

// TestYAMLBoundsValuesT6 tests that a document of YAML with too many values is refused at its line, and
// that each document has the bound for itself.
func TestYAMLBoundsValuesT6(t *testing.T) {
	const fits = "a: [1, 2]\n" // a mapping, a key, a list and its two elements
	if documents, err := splitYAML([]byte(fits+"---\n"+fits+"---\n"+fits), 5); err != nil || len(documents) != 3 {
		t.Errorf("%d documents, %v", len(documents), err)
	}
	if _, err := splitYAML([]byte(fits+"---\na: [1, 2, 3]\n"), 5); err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("six values of five: %v", err)
	}
}
