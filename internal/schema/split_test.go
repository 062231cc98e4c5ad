package schema

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	definition := func(kind string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: example.com, names: {kind: " + kind + "}}\n"
	}
	const other = "apiVersion: v1\nkind: ConfigMap\ndata: {a: kind CustomResourceDefinition is not this one's}\n"
	for _, c := range []struct {
		name, file, kinds, err string
	}{
		{"nothing", "", "", ""},
		{"comments", "# nothing\n---\n# here\n", "", ""},
		{"one", definition("A"), "A.example.com", ""},
		{"one in JSON", `{"kind": "CustomResourceDefinition", "spec": {"group": "example.com", "names": {"kind": "A"}}}`, "A.example.com", ""},
		{"several and others", "---\n" + definition("A") + "---\n" + other + "---\n# B\n" + definition("B") + "---\n", "A.example.com B.example.com", ""},
		{"others only", other, "", ""},
		{"one with a wrong group", "kind: CustomResourceDefinition\nspec: {group: 1, names: {kind: A}}\n", "A.", ""},
		{"no YAML", "kind: CustomResourceDefinition\n\tspec: {}\n", "", "the file cannot be read as YAML: "},
		{"too large", strings.Repeat(" ", maxFiles+1), "", "the file has 33554433 bytes, more than 33554432"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := Split([]byte(c.file))
			var kinds []string
			for _, d := range found {
				kinds = append(kinds, d.Kind)
				if !strings.Contains(string(d.Text), strings.TrimRight(strings.TrimSuffix(d.Kind, "example.com"), ".")) {
					t.Errorf("%s has the text %q", d.Kind, d.Text)
				}
			}
			if got := strings.Join(kinds, " "); got != c.kinds || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%q, %v\nwant %q, %s", got, err, c.kinds, c.err)
			}
		})
	}
}
