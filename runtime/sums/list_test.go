package sums

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // of the empty string

func TestParse(t *testing.T) {
	const twice = digest + "  a\n" + digest + "  a\n"
	for content, want := range map[string][]string{
		"":                                    nil,
		"# by the release pipeline\n\n":       nil,
		digest + "  a.wasm\n":                 {"a.wasm"},
		digest + " *a.wasm\n":                 {"a.wasm"},
		digest + "  a.wasm":                   {"a.wasm"}, // as YAML's |- leaves it
		strings.ToUpper(digest) + "  ./a\n":   {"a"},
		digest + "  a\n" + digest + "  b b\n": {"a", "b b"},
		digest + "  *a\n":                     {"*a"},
		digest + "   a\n":                     {" a"},
		twice:                                 {"a"},
	} {
		l, err := parse([]byte(content))
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		for _, name := range want {
			if sum, ok := l[name]; !ok || hex.EncodeToString(sum[:]) != digest {
				t.Errorf("%q: has %x for %q", content, sum, name)
			}
		}
		if len(l) != len(want) {
			t.Errorf("%q: %d names, want %d", content, len(l), len(want))
		}
	}
}

func TestParseErrors(t *testing.T) {
	other := strings.Replace(digest, "e", "f", 1)
	const form = "is not as sha256sum writes it: "
	for content, want := range map[string]string{
		"\n" + digest + "\n":                     "line 2 " + form + "64 hexadecimal digits, two spaces, the name of a file",
		digest + "  \n":                          "line 1 " + form + "64 hexadecimal digits, two spaces, the name of a file",
		digest + "  ./\n":                        "line 1 has no name after the digest",
		digest + " a.wasm\n":                     "line 1 " + form + "64 hexadecimal digits, two spaces, the name of a file",
		digest + "\ta\n":                         "line 1 " + form + "64 hexadecimal digits, two spaces, the name of a file",
		"g" + digest[1:] + "  a\n":               "line 1 " + form + "it does not begin with 64 hexadecimal digits",
		"a\n":                                    "line 1 " + form + "64 hexadecimal digits, two spaces, the name of a file",
		"\\" + digest + "  a\\nb\n":              "line 1 has an escaped name: rename the file, for no name that the gateway reads has a backslash or an end of line in it",
		digest + "  a.wasm\r\n":                  "line 1 ends with a carriage return: write the list with sha256sum, or with the line ends of Unix",
		"SHA256 (a.wasm) = " + digest + "\n":     "line 1 is of the tagged kind: write the list with sha256sum without --tag",
		digest + "  modules/a.wasm\n":            `line 1 names "modules/a.wasm", which is a path: run sha256sum in the directory of the files`,
		digest + "  ../a.wasm\n":                 `line 1 names "../a.wasm", which is a path: run sha256sum in the directory of the files`,
		digest + "  a\n" + other + "  a\n":       `line 2 lists "a" a second time, with another digest`,
		strings.Repeat(digest+"  abc\n", 15_421): "it has 1079470 bytes; a list may have 1048576",
	} {
		if _, err := parse([]byte(content)); err == nil || err.Error() != want {
			t.Errorf("%.90q:\n got %v\nwant %s", content, err, want)
		}
	}
}

// TestParseTool reads the output of a distribution's sha256sum, in both of its modes.
func TestParseTool(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"K.g_v1_v2.wasm": "module", "K.g_v1_v2.yaml": "sidecar"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"sha256sum *", "sha256sum -b *", "sha256sum ./*", "printf 'a\\n' > 'b\\'; sha256sum b*"} {
		run := exec.Command("sh", "-c", command)
		run.Dir = dir
		out, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		l, err := parse(out)
		if strings.HasPrefix(command, "printf") {
			if err == nil || !strings.Contains(err.Error(), "has an escaped name") {
				t.Errorf("%s: error %v", command, err)
			}
		} else if err != nil || len(l) != 2 || l["K.g_v1_v2.wasm"] != sha256.Sum256([]byte("module")) {
			t.Errorf("%s: %v, %v", command, l, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(digest + "  a\n"))
	f.Add([]byte("\\" + digest + " *b\r\n#"))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, err := parse(content)
		if err != nil && l != nil {
			t.Error("a list beside an error")
		}
		for name := range l {
			if name == "" || strings.ContainsAny(name, "/\n") {
				t.Errorf("lists %q", name)
			}
		}
	})
}
