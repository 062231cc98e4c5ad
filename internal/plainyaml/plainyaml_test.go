package plainyaml

import (
	"errors"
	"strings"
	"testing"
)

func limits() Limits { return Limits{Bytes: 1 << 10, Nodes: 20, Depth: 5} }

func TestParseAndAppendJSON(t *testing.T) {
	for _, tc := range []struct{ name, text, want, err string }{
		{"a mapping", "# a comment\n---\na: [1, 1.0, 9007199254740993, 18446744073709551616]\nb: {c: null, d: ~, e: True, f: '1', g: 2026-08-01}\n---\n# another\n",
			`{"a":[1,1.0,9007199254740993,18446744073709551616],"b":{"c":null,"d":null,"e":true,"f":"1","g":"2026-08-01"}}`, ""},
		{"nothing", "# a\n---\n", "", "it is empty"},
		{"two documents", "a: 1\n---\nb: 1\n", "", "it has more than one YAML document"},
		{"a syntax error", "a: [\n", "", "line 1: did not find expected node content"},
		{"too many bytes", strings.Repeat(" ", 1<<10+1), "", "it has 1025 bytes, of at most 1024"},
		{"a syntax error in the first line", "a: [}\nb: 1\n", "", "line 1: did not find expected node content"},
		{"a syntax error in a later line", "a: 1\nb: {{- x}}\n", "", "line 2: did not find expected node content"},
		{"a list among members", "a: 1\n- b\n", "", "line 2: did not find expected key"},
		{"an open list", "a: [1,\n2\nb: 3\n", "", "line 3: did not find expected ',' or ']'"},
		{"an open mapping", "a: {b: 1\n\nc: 2\n", "", "line 3: did not find expected ',' or '}'"},
		{"a mapping in a list", "a: 1\nb:\n  - 1\n  c: 2\n", "", "line 3: did not find expected '-' indicator"}, // where the list begins
		{"text after a document", "a: 1\n...\nb: 2\n", "", "line 3: did not find expected <document start>"},
		{"an unknown tag", "a: 1\nb: !x!y 1\n", "", "line 2: found undefined tag handle"},
		{"an indentation", "a: 1\n b: 2\n", "", "line 2: mapping values are not allowed in this context"},
		{"a tab", "a: 1\nb:\n\t- x\n", "", "line 3: found character that cannot start any token"},
		{"too many values", "a: [" + strings.Repeat("1,", 30) + "]", "", "line 1: the document has more than 20 values"},
		{"as many values as allowed", "[" + strings.Repeat("1,", 19) + "]", "[" + strings.Repeat("1,", 18) + "1]", ""},
		{"too deep", "a:\n - - - - 1\n", "", "line 2: mappings and lists are nested deeper than 5 levels"},
		{"as deep as allowed", "a:\n - - - 1\n", `{"a":[[[1]]]}`, ""},
		{"an alias", "a: &x [1]\nb: *x\n", "", "line 2: aliases (*x) are not read: write the value out"},
		{"a merge", "a: &x {b: 1}\nc:\n  <<: *x\n", "", "line 3: merge keys (<<) are not read: write the members out"},
		{"a key twice", "a: 1\na: 2\n", "", `line 2: the key "a" is there twice`},
		{"a number as a key", "1: a\n", "", "line 1: a key is a number, not text: put it into quotes"},
		{"a hexadecimal number", "a: 0x1F\n", "", "line 1: 0x1F is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text"},
		{"an infinite number", "a: .inf\n", "", "line 1: .inf is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text"},
		{"a word", "a: on\n", "", "line 1: on is text to some readers of YAML and a boolean to others: write true or false, or put it into quotes"},
		{"the word in quotes", "a: 'on'\n", `{"a":"on"}`, ""},
		{"a binary value", "a: !!binary aGk=\n", "", "line 1: a value has the type !!binary, which JSON does not have"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root, err := Parse([]byte(tc.text), limits())
			var got []byte
			if err == nil {
				got, err = AppendJSON(nil, root, JSONNumber)
			}
			if text := ""; err != nil {
				if text = err.Error(); text != tc.err {
					t.Errorf("error %s\nwant  %s", text, tc.err)
				}
			} else if string(got) != tc.want || tc.err != "" {
				t.Errorf("got  %s\nwant %s %s", got, tc.want, tc.err)
			}
		})
	}
}

// An alias bomb of nine lines stays nine lines.
func TestParseExpandsNoAlias(t *testing.T) {
	text := "a0: &a0 [x, x]\n"
	for i := byte('1'); i <= '8'; i++ {
		text += "a" + string(i) + ": &a" + string(i) + " [*a" + string(i-1) + ", *a" + string(i-1) + "]\n"
	}
	root, err := Parse([]byte(text), Limits{Bytes: 1 << 10, Nodes: 46, Depth: 5}) // 9 lines of 5 nodes, and the root
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AppendJSON(nil, root, JSONNumber); err == nil || err.Error() != "line 2: aliases (*a0) are not read: write the value out" {
		t.Errorf("error %v", err)
	}
}

func TestParseEmpty(t *testing.T) {
	if _, err := Parse(nil, limits()); !errors.Is(err, ErrEmpty) {
		t.Errorf("error %v", err)
	}
}
