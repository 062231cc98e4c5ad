package docs

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAnchors finds the section of every link between pages that has an anchor.
func TestAnchors(t *testing.T) {
	found := 0
	link := regexp.MustCompile(`\]\((?:\.\./)?((?:[a-z]+/)?[a-z-]+\.md)?#([^)]+)\)`)
	for _, p := range All() {
		for _, m := range link.FindAllStringSubmatch(p.Text, -1) {
			target := p
			if m[1] != "" {
				var err error
				if target, err = Find(strings.TrimSuffix(m[1][strings.LastIndex(m[1], "/")+1:], ".md")); err != nil {
					continue // a page elsewhere in the repository
				}
			}
			found++
			section, err := target.Section(m[2])
			if err != nil {
				t.Errorf("%s: %v", p.Path, err)
			} else if !strings.HasPrefix(section, "#") {
				t.Errorf("%s: the section %s begins with %.40q", p.Path, m[2], section)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d links with anchors", found)
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"failures", "use/failures.md", "docs/use/failures.md", "https://example.com/blob/main/docs/use/failures.md"} {
		if p, err := Find(name); err != nil || p.Path != "use/failures.md" {
			t.Errorf("%s: %v, %v", name, p.Path, err)
		}
	}
	if _, err := Find("failure"); err == nil || !strings.Contains(err.Error(), `there is no page "failure": the pages are abi, adopt, `) {
		t.Error(err)
	}
	if _, err := (Page{Path: "use/a.md", Text: "# A\n```\n# b\n```\n"}).Section("b"); err == nil || err.Error() != `the page a has no section "b": its sections are a` {
		t.Error(err)
	}
	if text, err := (Page{Text: "|A|\n|-|\n|b|\n|<a id=\"c\"></a>d|\n|e|\n"}).Section("c"); err != nil || text != "|A|\n|-|\n|d|\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := (Page{Text: "# A\n## B `c`, d\none\n### E\ntwo\n## F\n"}).Section("b-c-d"); err != nil || text != "## B `c`, d\none\n### E\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestLines finds the anchors that GitHub makes.
func TestLines(t *testing.T) {
	const page = "# A `code` title, twice\n## /modules: fields\n- item\n  ```yaml\n  # no heading\n  ```\n## /modules: fields\n" +
		"| <a id=\"row\"></a>x |\n````\n```\n# none\n````\n~~~\n# none\n```\n~~~\n#no\n### Größe_1\n"
	want := []string{"a-code-title-twice 1", "modules-fields 2", "modules-fields-1 2", "row 0", "größe_1 3"}
	var got []string
	code := 0
	for line := range Lines(page) {
		if line.Anchor != "" {
			got = append(got, fmt.Sprintf("%s %d", line.Anchor, line.Level))
		}
		if line.Code {
			code++
		}
	}
	if !slices.Equal(got, want) || code != 11 {
		t.Errorf("%q, want %q; %d lines of code", got, want, code)
	}
}

// TestNamesAreUnique tests that a page's name is enough to find it.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]string{}
	for _, p := range All() {
		if seen[p.Name()] != "" {
			t.Errorf("%s and %s have one name", seen[p.Name()], p.Path)
		}
		seen[p.Name()] = p.Path
		if p.Title() == "" {
			t.Errorf("%s has no title", p.Path)
		}
		if _, err := os.Stat(p.Path); err != nil {
			t.Error(err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d pages", len(seen))
	}
}
