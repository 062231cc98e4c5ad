package artifact

import (
	"fmt"
	"testing"
)

func TestReadFields(t *testing.T) {
	name, err := ParseName("K.g_v1_v2_v3.wasm")
	if err != nil {
		t.Fatal(err)
	}
	one := func(path string) string { return fmt.Sprintf("fields: {v1: [%s], v2: [], v3: []}\n", path) }
	const of = "K.g_v1_v2.yaml: line 1: fields.v1: "
	for _, tc := range []struct{ name, in, want string }{
		{"right", "fields: {v1: [spec.a, \"spec.list[].b.*.c\", metadata.labels, \"metadata.annotations['a.b/c']\"], v2: [spec, 12], v3: []}\n", ""},
		{"no mapping", "fields: [spec]\n", "K.g_v1_v2.yaml: line 1: fields is a list, not a mapping"},
		{"no list", "fields: {v1: spec}\n", "K.g_v1_v2.yaml: line 1: fields.v1 is text, not a list of paths"},
		{"no path", "fields: {v1: [spec, {a: b}]}\n", "K.g_v1_v2.yaml: line 1: fields.v1[1] is a mapping, not text"},
		{"another version", "fields: {v1: [], v2: [], v3: [], v4: []}\n", `K.g_v1_v2.yaml: line 1: fields has version "v4", which K.g_v1_v2_v3.wasm does not name`},
		{"a version missing", "fields: {v1: [], v3: []}\n", "K.g_v1_v2.yaml: line 1: fields has no list for version v2: add one, empty if nothing of that version is read or written"},
		{"none at all", "fields: {}\n", "K.g_v1_v2.yaml: line 1: fields has no list for version v1: add one, empty if nothing of that version is read or written"},
		{"a wrong path", one("spec..a"), of + `path "spec..a": a name is missing at byte 5`},
		{"two versions that do not go together", "fields: {v1: [spec.m.*.a], v2: [spec.m.k.b], v3: []}\n",
			"K.g_v1_v2.yaml: line 1: fields of v1 and v2 together: spec.m.k and .* are both declared of one object: name its members, or none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ReadSidecar(name, beside(tc.in))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}
