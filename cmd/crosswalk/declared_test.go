package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

const things = "Thing.example.com_v1_v2"

// TestCheckDeclared: declared fields that no schema has are pointed out.
func TestCheckDeclared(t *testing.T) {
	const declared = `fields:
  v1: [spec.size, spec.host.name, spec.hots, "spec.host['name']", "metadata.annotations['a/b']", "spec.host[].name", status]
  v2: [spec.address, spec.host, spec.address.*.x]
`
	const doubts = "DOUBTFUL " + things + ".wasm: declares spec.hots of v1, which its schema does not have (FILE): is it misspelt?\n" +
		"DOUBTFUL " + things + ".wasm: declares spec.host[].name of v1, which its schema does not have (FILE): is it misspelt?\n" +
		"DOUBTFUL " + things + ".wasm: declares status of v1, which its schema does not have (FILE): is it misspelt?\n" +
		"DOUBTFUL " + things + ".wasm: declares spec.host of v2, which its schema does not have (FILE): is it misspelt?\n" +
		"DOUBTFUL " + things + ".wasm: declares spec.address.*.x of v2, which its schema does not have (FILE): is it misspelt?\n"
	const statusDoubt = "DOUBTFUL " + things + ".wasm: declares status of v1, which its schema does not have (FILE): is it misspelt?\n" // Crossplane adds it
	other := strings.NewReplacer("Thing", "Thong", "things", "thongs").Replace(twoVersions)
	for _, c := range []struct {
		name, sidecar, beside, definition, named string
		code                                     int
		want, errors                             string
	}{
		{"nothing declared", "", "things.example.com.crd.yaml", twoVersions, "", command.ExitOK, "", ""},
		{"no definition", declared, "", "", "", command.ExitOK, "", ""},
		{"beside it", declared, "things.example.com.crd.yaml", twoVersions, "", command.ExitFinding, strings.ReplaceAll(doubts, "FILE", "things.example.com.crd.yaml"), ""},
		{"another kind beside it", declared, "thongs.example.com.crd.yaml", other, "", command.ExitOK, "", ""},
		{"named", declared, "my.yaml", twoVersions, "my.yaml", command.ExitFinding, strings.ReplaceAll(doubts, "FILE", "my.yaml"), ""},
		{"named, a composite one", declared, "my.yaml", composite, "my.yaml", command.ExitFinding, strings.ReplaceAll(strings.Replace(doubts, statusDoubt, "", 1), "FILE", "my.yaml"), ""},
		{"named, among others", declared, "my.yaml", other + "---" + twoVersions, "my.yaml", command.ExitFinding, strings.ReplaceAll(doubts, "FILE", "my.yaml"), ""},
		{"others named", declared, "my.yaml", other + "---" + strings.ReplaceAll(other, "Thong", "Song"), "my.yaml", command.ExitError, "",
			"crosswalk check: DIR/my.yaml defines 2 kinds: Song.example.com, Thong.example.com\n"},
		{"another kind named", declared, "my.yaml", other, "my.yaml", command.ExitError, "", "crosswalk check: DIR/my.yaml defines Thong.example.com, and the module converts Thing.example.com\n"},
		{"none named", declared, "", "", "my.yaml", command.ExitError, "", "crosswalk check: open DIR/my.yaml: no such file or directory\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := moduleFile(t, "good_echo", things, c.sidecar)
			dir := filepath.Dir(path)
			args := []string{"check", path}
			if c.beside != "" {
				writeFile(t, filepath.Join(dir, c.beside), c.definition)
			}
			if c.named != "" {
				args = append(args, "--for", "0", "--crd", filepath.Join(dir, c.named))
			}
			code, out, errors := crosswalk("", args...)
			first, rest, _ := strings.Cut(out, "\n")
			if code != c.code || c.errors == "" && !strings.HasPrefix(first, "serves   "+things) || rest != c.want || strings.ReplaceAll(errors, dir, "DIR") != c.errors {
				t.Errorf("%d: %s%s\nwant %d: %s%s", code, out, errors, c.code, c.want, c.errors)
			}
		})
	}
}

// composite is twoVersions as Crossplane's CompositeResourceDefinition.
var composite = strings.NewReplacer("apiextensions.k8s.io/v1", "apiextensions.crossplane.io/v1", "CustomResourceDefinition", "CompositeResourceDefinition",
	"served: true, storage: true", "served: true, referenceable: true", "storage: true", "referenceable: true", "storage: false", "referenceable: false").Replace(twoVersions)

// TestInspectDeclared tests that inspect shows the declared fields.
func TestInspectDeclared(t *testing.T) {
	_, out, _ := crosswalk("", "inspect", moduleFile(t, "good_echo", things, "fields: {v1: [spec.size, spec.host], v2: []}"))
	if want := "  sees         of v1 spec.size, spec.host; of v2 nothing\n"; !strings.Contains(out, want) {
		t.Errorf("missing %q in\n%s", want, out)
	}
}

// TestInitDeclares: a project made of a definition declares the fields in which the versions
// differ, in its code or in the sidecar.
func TestInitDeclares(t *testing.T) {
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	writeFile(t, crd, strings.Replace(twoVersions, "size: {type: integer}", `size: {type: integer}, "a.b/c'd": {type: string}, list: {type: array, items: {type: object, properties: {a: {type: string}}}}`, 1))
	for _, c := range []struct{ language, file, want string }{
		{"go", "main.go", `
	crosswalk.Fields("example.com/v1", "metadata.annotations['conversion.example.com/stash']", "spec.host", "spec.list", "spec.size", "spec['a.b/c\\'d']")
	crosswalk.Fields("example.com/v2", "metadata.annotations['conversion.example.com/stash']", "spec.address", "spec.size")
}`},
		{"c", "converter.c", `
static const cw_field fields[] = {
	{"example.com/v1", "metadata.annotations['conversion.example.com/stash']"},
	{"example.com/v1", "spec.host"},
	{"example.com/v1", "spec.list"},
	{"example.com/v1", "spec.size"},
	{"example.com/v1", "spec['a.b/c\\'d']"},
	{"example.com/v2", "metadata.annotations['conversion.example.com/stash']"},
	{"example.com/v2", "spec.address"},
	{"example.com/v2", "spec.size"},
};
CW_MODULE_FIELDS(conversions, fields, "thing", "0.1.0", "")
`},
		{"go", things + ".yaml", "/blob/main/docs/author/sidecar.md\ncases:\n"},
		{"cpp", "converter.cpp", `
static const crosswalk::field fields[] = {
	{"example.com/v1", "metadata.annotations['conversion.example.com/stash']"},
	{"example.com/v1", "spec.host"},
	{"example.com/v1", "spec.list"},
	{"example.com/v1", "spec.size"},
	{"example.com/v1", "spec['a.b/c\\'d']"},
	{"example.com/v2", "metadata.annotations['conversion.example.com/stash']"},
	{"example.com/v2", "spec.address"},
	{"example.com/v2", "spec.size"},
};
CW_MODULE_FIELDS(conversions, fields, "thing", "0.1.0", "")
`},
		{"rust", filepath.Join("src", "lib.rs"), `
    fields: [
        "example.com/v1" => [
            "metadata.annotations['conversion.example.com/stash']",
            "spec.host",
            "spec.list",
            "spec.size",
            "spec['a.b/c\\'d']",
        ],
        "example.com/v2" => [
            "metadata.annotations['conversion.example.com/stash']",
            "spec.address",
            "spec.size",
        ],
    ],
}
`},
		{"zig", "main.zig", `
    .fields = &.{
        .{ .version = "example.com/v1", .paths = &.{
            "metadata.annotations['conversion.example.com/stash']",
            "spec.host",
            "spec.list",
            "spec.size",
            "spec['a.b/c\\'d']",
        } },
        .{ .version = "example.com/v2", .paths = &.{
            "metadata.annotations['conversion.example.com/stash']",
            "spec.address",
            "spec.size",
        } },
    },
};
`},
	} {
		if text := readText(t, filepath.Join(newProject(t, c.language, "--crd", crd), c.file)); !strings.Contains(text, c.want) {
			t.Errorf("missing in %s:%s\nin\n%s", c.file, c.want, text)
		}
	}
	writeFile(t, crd, strings.Replace(twoVersions, "size: {type: integer}, host: {type: object, properties: {name: {type: string}}}", "size: {type: string}, address: {type: string}", 1))
	if text := readText(t, filepath.Join(newProject(t, "go", "--crd", crd), "main.go")); strings.Contains(text, "Fields") {
		t.Errorf("fields are declared of versions that do not differ:\n%s", text)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
