package artifact

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

var testName = Name{File: "K.g_v1_v2.wasm", Base: "K.g_v1_v2", Kind: "K", Group: "g", Versions: []string{"v1", "v2"}}

func fixture(t testing.TB, name string) watch.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return watch.File{Name: name, Content: content, Sum: sha256.Sum256(content)}
}

// beside is a sidecar of the module that testName names.
func beside(text string) *watch.File {
	return &watch.File{Name: "K.g_v1_v2.yaml", Content: []byte(text), Sum: sha256.Sum256([]byte(text))}
}

// oneCase is a sidecar with one case, which differs from a good one in a single line.
func oneCase(line string) string {
	c := "cases:\n- name: keeps\n"
	key, _, _ := strings.Cut(line, ":")
	for _, good := range []string{"from: v1", "to: v2", "object: {}", "want: {}"} {
		if !strings.HasPrefix(good, key+":") {
			c += "  " + good + "\n"
		}
	}
	return c + "  " + line + "\n"
}
