package words

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// roles are what each reader reads, with the most words of it, as wc -w counts them: with code, and
// the bars of tables. A page that grows pays for it by a cut elsewhere.
var roles = []struct {
	name  string
	most  int
	pages []string
}{
	{"an operator", 12_000, []string{"deploy/README.md", "docs/use/*.md"}},
	{"an author", 14_000, []string{"sdk/README.md", "docs/author/*.md", "docs/spec/stash.md"}},
	{"a reviewer", 8_000, []string{"docs/spec/threat-model.md", "docs/spec/contract.md", "docs/spec/abi.md", "docs/spec/leaves.md", "docs/develop/rationale.md"}},
}

// references are searched, not read: each is a list that a test compares with the source.
var references = []string{"docs/use/cli.md", "docs/use/flags-and-metrics.md", "docs/use/failures.md", "docs/author/operators.md"}

// TestWordsOfRoles holds the sum of the pages of each reader.
func TestWordsOfRoles(t *testing.T) {
	for _, role := range roles {
		sum := 0
		for _, pattern := range role.pages {
			pages, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
			if err != nil || len(pages) == 0 {
				t.Fatalf("%s has no pages (%v)", pattern, err)
			}
			for _, page := range pages {
				name, err := filepath.Rel(root, page)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(references, filepath.ToSlash(name)) {
					continue
				}
				text, err := os.ReadFile(page)
				if err != nil {
					t.Fatal(err)
				}
				sum += len(strings.Fields(string(text)))
			}
		}
		t.Logf("%s reads %d words", role.name, sum)
		if sum > role.most {
			t.Errorf("%s reads %d words, at most %d: say each fact once, and cut what another page says", role.name, sum, role.most)
		}
	}
}
