// Package links tests that every relative link in a Markdown page leads to a file, every anchor to a
// heading, and every mention of a page in code, messages and manifests to that page.
package links

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/docs"
)

const root = "../../.."

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code = regexp.MustCompile("`[^`]*`")
)

// TestLinksResolve follows every relative link of every page.
func TestLinksResolve(t *testing.T) {
	pages := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".md"):
			return nil
		}
		pages++
		for _, broken := range brokenLinks(path) {
			t.Error(broken)
		}
		return nil
	})
	if err != nil || pages < 30 {
		t.Fatalf("%d pages: %v", pages, err)
	}
}

// TestBrokenLinks shows that missing files and missing anchors are found, and code is left alone.
func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("other.md", "# A `code` title, twice\n## /modules: fields\n## /modules: fields\n```\n# no heading\n```\n")
	for text, want := range map[string]int{
		"[a](other.md) [b](other.md#a-code-title-twice) [c](#here)\n# Here\n":   0,
		"[a](other.md#modules-fields) [b](other.md#modules-fields-1)":           0,
		"[a](https://example.com/x#y) [b](mailto:a@example.com) `[c](gone.md)`": 0,
		"```\n[a](gone.md)\n```\n":                        0,
		"[a](gone.md)":                                    1,
		"[a](other.md#gone) [b](#gone)":                   2,
		"[a](other.md#no-heading)":                        1,
		"[a](other.md#)":                                  1,
		"[a](other.md#modules-fields-2) [b](../gone#any)": 2,
	} {
		if got := brokenLinks(write("page.md", text)); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// brokenLinks returns a line for each relative link of a page that leads nowhere.
func brokenLinks(path string) (broken []string) {
	for n, line := range lines(path) {
		if line.Code {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line.Text, ""), -1) {
			file, anchor, anchored := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue // a URL
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			_, err := os.Stat(target)
			switch {
			case err != nil:
				broken = append(broken, fmt.Sprintf("%s:%d: there is no file %s", path, n+1, file))
			case anchored && !anchors(target)[anchor]:
				broken = append(broken, fmt.Sprintf("%s:%d: %s has no heading #%s", path, n+1, target, anchor))
			}
		}
	}
	return broken
}

// TestRunbooksResolve follows the links of alerts and dashboards, which are URLs of this
// repository's pages because those who read them have no checkout.
func TestRunbooksResolve(t *testing.T) {
	url := regexp.MustCompile(`https://github\.com/crosswalk-gateway/crosswalk/blob/main/([^\s"'#)]+)(?:#([^\s"')]+))?`)
	links := 0
	err := filepath.WalkDir(filepath.Join(root, "deploy"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range url.FindAllStringSubmatch(string(text), -1) {
			links++
			resolve(t, path, m[1], m[2])
		}
		return err
	})
	if err != nil || links < 20 {
		t.Fatalf("%d links: %v", links, err)
	}
}

// TestMentionsResolve looks up the pages that comments, messages, help texts, manifests and
// templates name, as docs/spec/abi.md or docs/spec/abi.md#wasi.
func TestMentionsResolve(t *testing.T) {
	mention := regexp.MustCompile(`(?:^|[^\w/.-]|blob/main/)(docs/[\w/-]+\.(?:md|svg))(?:#([\w-]+))?`)
	mentions := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "target" || d.Name() == ".git"):
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(path, ".wasm") || strings.HasSuffix(path, ".zst") || filepath.Base(path) == "links_test.go":
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range mention.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "docs/book/") {
				continue // a page of an operator
			}
			mentions++
			resolve(t, path, m[1], m[2])
		}
		return err
	})
	if err != nil || mentions < 100 {
		t.Fatalf("%d mentions: %v", mentions, err)
	}
}

// resolve looks up a page, by its path in the repository, and its anchor if there is one.
func resolve(t *testing.T, from, page, anchor string) {
	t.Helper()
	file := filepath.Join(root, page)
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s: there is no file %s", from, page)
	} else if anchor != "" && !anchors(file)[anchor] {
		t.Errorf("%s: %s has no heading #%s", from, page, anchor)
	}
}

// anchors returns the anchors of a page.
func anchors(path string) map[string]bool {
	found := map[string]bool{}
	for _, line := range lines(path) {
		found[line.Anchor] = line.Anchor != ""
	}
	return found
}

// lines returns the lines of a page.
func lines(path string) []docs.Line {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return slices.Collect(docs.Lines(string(text)))
}
