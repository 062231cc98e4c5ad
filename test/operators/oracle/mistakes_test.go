package oracle

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCheckNoticesMistakes lets modules with mistakes answer for a kind with all that makes conversions
// hard: a lossy version whose values an annotation keeps, a namespace that the result names, and
// refusals. The check must notice each mistake, must not doubt the module without one, and must say where
// equal results have other texts.
func TestCheckNoticesMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program (run without -short)")
	}
	toy, err := filepath.Abs(filepath.Join("testdata", "toy"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module oracle\n\ngo 1.26.0\n\nrequire example.com/toy v0.0.0\n\nreplace example.com/toy => "+toy+"\n"))
	of := source{Kind: "Pool", Hub: "toy.example.com/v1", Packages: []string{"example.com/toy/v1", "example.com/toy/v2"}, Add: []string{"AddToScheme", "AddToScheme"}}
	compile(t, dir, of, webhook{hub: of.Hub, setUp: "mistakes"}, of.Packages)
	program := filepath.Join(dir, "webhook")
	t.Setenv("GOCOVERDIR", t.TempDir())
	words := filepath.Join(toy, "v1") + string(filepath.ListSeparator) + filepath.Join(toy, "v2")
	objects := run(t, ".", nil, program, "generate", "1", "200", toy, words, words)

	text, err := os.ReadFile(filepath.Join("testdata", "mistakes.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t"([^"]+)":`).FindAllSubmatch(text, -1)
	if len(names) < 15 {
		t.Fatalf("found %d mistakes", len(names))
	}
	for _, found := range names {
		name := string(found[1])
		t.Setenv("MISTAKE", name)
		answered := run(t, ".", objects, program, "answer")
		report := string(run(t, ".", answered, program, "check"))
		o := read(t, report)
		if name == "writes empty lists" {
			if o.differing > 0 || o.written < 100 || !regexp.MustCompile(`written otherwise in \d{3,} results at \.spec\.ports\n  module:  \[\]\n  webhook: none\n`).MatchString(report) {
				t.Errorf("another text of equal results is not reported:\n%s", report)
			}
			continue
		}
		if name == "writes a member that is not known" {
			if !strings.HasSuffix(o.unlike, `such as at .spec.other: "a" and none`) {
				t.Errorf("an unlike text is not reported: %q\n%s", o.unlike, report)
			}
			continue
		}
		if name != "none" {
			if o.differing == 0 {
				t.Errorf("a module that %s is not noticed:\n%s", name, report)
			}
			continue
		}
		if doubts := o.doubts(bytes.Count(objects, []byte("\n"))); o.differing > 0 || len(doubts) > 0 {
			t.Errorf("a right module is doubted, %q:\n%s", doubts, report)
		}
		noticed(t, program, answered)
	}
}
