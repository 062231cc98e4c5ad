package manifest

import (
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	for _, test := range []struct{ name, text, value, want string }{
		{"nothing", "# a\na:   1 # b\n", `{"a":1}`, "# a\na:   1 # b\n"},
		{"a version", "apiVersion: g/v1 # old\nkind: 'A'\n", `{"apiVersion":"g/v2","kind":"A"}`, "apiVersion: g/v2 # old\nkind: 'A'\n"},
		{"quotes stay", "a: \"x\"\nb: 'y'\n", `{"a":"p","b":"q"}`, "a: \"p\"\nb: 'q'\n"},
		{"a renamed field keeps its value's text", "spec:\n  # how many\n  replicas: 3   # three\n  b: 1\n", `{"spec":{"size":3,"b":1}}`, "spec:\n  # how many\n  size: 3   # three\n  b: 1\n"},
		{"a removed field goes with its comments", "spec:\n  a: 1\n  # about b\n  b: 2 # two\n    # more\n\n  # about c\n  c: 3\n", `{"spec":{"a":1,"c":3}}`, "spec:\n  a: 1\n\n  # about c\n  c: 3\n"},
		{"a new field after the one before it", "spec:\n  a: 1\n  c: 3\n", `{"spec":{"a":1,"b":{"x":[1,{"y":"z"}]},"c":3}}`, "spec:\n  a: 1\n  b:\n    x:\n    - 1\n    - \"y\": z\n  c: 3\n"},
		{"a field moves with its comments", "spec:\n    # where\n    host: \"db\" # here\n    port: 1\n", `{"spec":{"endpoint":{"host":"db"},"port":1}}`, "spec:\n    endpoint:\n        # where\n        host: \"db\" # here\n    port: 1\n"},
		{"two fields move and are renamed", "spec:\n  hostName: db # here\n  x: 0\n  text: |\n    a\n\n    # no comment\n  y: 1\n", `{"spec":{"to":{"host":"db","note":"a\n\n# no comment\n"},"x":0,"y":1}}`, "spec:\n  to:\n    host: db # here\n    note: |\n      a\n\n      # no comment\n  x: 0\n  y: 1\n"},
		{"comments of a field that goes stay beside the one that comes", "spec:\n  # pinned\n  image: \"pg:v1\" # by us\n  n: 1\n", `{"spec":{"n":1,"name":"pg","tag":"v1"}}`, "spec:\n  # pinned\n  # by us\n  name: pg\n  tag: v1\n  n: 1\n"},
		{"a text becomes an object", "spec:\n  cron: \"* 1\" # daily\n  b: 1\n", `{"spec":{"cron":{"min":"*","hour":"1"},"b":1}}`, "spec:\n  cron: # daily\n    min: \"*\"\n    hour: \"1\"\n  b: 1\n"},
		{"an object becomes a text", "spec:\n  cron:\n    min: \"*\"\n    hour: 1\n  b: 1\n", `{"spec":{"cron":"* 1","b":1}}`, "spec:\n  cron: \"* 1\"\n  b: 1\n"},
		{"items of a list", "l:\n  - a: 1 # one\n    b: 2\n  # two\n  - a: 3\n  - c\n", `{"l":[{"b":2},{"z":3},"d"]}`, "l:\n  - b: 2\n  # two\n  - z: 3\n  - d\n"},
		{"the first member after a dash", "l:\n- a: 1\n  # about b\n  b: 2\n", `{"l":[{"b":2}]}`, "l:\n- # about b\n  b: 2\n"},
		{"a shorter list", "l:\n- name: a # 1\n  x: 1\n# about b\n- name: b\n- name: c # 3\n", `{"l":[{"name":"a","x":1},{"name":"c"}]}`, "l:\n- name: a # 1\n  x: 1\n- name: c # 3\n"},
		{"a longer list", "l:\n- a # 1\n- c\n", `{"l":["a","b","c","d"]}`, "l:\n- a # 1\n- b\n- c\n- d\n"},
		{"a list becomes empty", "l:\n- a\nb: 1\n", `{"l":[],"b":1}`, "l: []\nb: 1\n"},
		{"an object becomes empty", "spec:\n  a: 1\n", `{"spec":{}}`, "spec: {}\n"},
		{"names become objects", "users:\n- alice # admin\n- bob\n", `{"users":[{"name":"alice"},{"name":"bob"}]}`, "users:\n# admin\n- name: alice\n- name: bob\n"},
		{"braces", "spec: {a: 1, b: 'x', c: [1, 2]} # all\n", `{"spec":{"a":1,"d":{"x":"y"},"c":[1,2,3]}}`, "spec: {a: 1, c: [1, 2, 3], d: {x: \"y\"}} # all\n"},
		{"a field in braces goes", "spec: {a: 1, b: 'x', c: 3}\n", `{"spec":{"b":"x"}}`, "spec: {b: 'x'}\n"},
		{"JSON", "{\n  \"a\": 1,\n  \"spec\": {\n    \"x\": 1,\n    \"y\": \"z\"\n  }\n}\n", `{"a":1,"spec":{"x":2,"n":{"m":[1]}}}`, "{\n  \"a\": 1,\n  \"spec\": {\n    \"x\": 2,\n    \"n\": {\n      \"m\": [\n        1\n      ]\n    }\n  }\n}\n"},
		{"JSON on one line", `{"a":1,"b":{"c":2}}`, `{"a":1,"b":{"c":2,"d":"e"}}`, `{"a":1,"b":{"c":2, "d": "e"}}`},
		{"no line's end", "a: 1\nb: 2", `{"a":1,"b":2,"c":3}`, "a: 1\nb: 2\nc: 3\n"},
		{"a null", "a:\nb: 1\n", `{"a":{"x":1},"b":1}`, "a:\n  x: 1\nb: 1\n"},
		{"a list of lists", "l:\n- - a\n  - b\n- - c\n", `{"l":[["b"],["c","d"]]}`, "l:\n- - b\n- - c\n  - d\n"},
		{"folded text", "a: >-\n  one\n  two\n# about b\nb: 1\n", `{"a":"three","b":1}`, "a: three\n# about b\nb: 1\n"},
		{"a plain text on two lines", "a: one\n  two # c\nb: 1\n", `{"a":"three","b":1}`, "a: three # c\nb: 1\n"},
		{"letters", "a: {ä: 'ö', b: 1}\n", `{"a":{"ä":"ö","b":2}}`, "a: {ä: 'ö', b: 2}\n"},
		{"a document's beginning", "# licence\n---\n# about\na: 1\n", `{"a":1,"b":2}`, "# licence\n---\n# about\na: 1\nb: 2\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Edit([]byte(test.text), []byte(test.value))
			if err != nil || string(got) != test.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"- a\n": "in place", "a: 1\n---\nb: 1\n": "more than one",
	} {
		if got, err := Edit([]byte(text), []byte(`{"a":[2],"b":[1]}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}
