// Command site prepares the pages of docs/ for a generator of sites: it copies them, and makes links
// that leave docs/ lead to the repository. make site runs it.
package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed mkdocs.yml
var config []byte

const repository = "https://github.com/crosswalk-gateway/crosswalk"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: site DIRECTORY")
		os.Exit(2)
	}
	if err := prepare(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// prepare writes the generator's configuration into a directory, and the pages and pictures of a
// repository below it.
func prepare(root, out string) error {
	pages := filepath.Join(out, "pages")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "mkdocs.yml"), config, 0o644); err != nil {
		return err
	}
	docs := os.DirFS(filepath.Join(root, "docs"))
	return fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(docs, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			text, err := outward(root, name, string(content))
			if err != nil {
				return fmt.Errorf("docs/%s: %w", name, err)
			}
			content = []byte(text)
		}
		file := filepath.Join(pages, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, content, 0o644)
	})
}

// link is a link of Markdown to a path that begins with a directory above.
var link = regexp.MustCompile(`\]\((\.\./[^)#\s]*)`)

// outward returns a page with the links that leave docs/ as links to the repository.
func outward(root, page, text string) (string, error) {
	var missing error
	text = link.ReplaceAllStringFunc(text, func(found string) string {
		target := path.Join("docs", path.Dir(page), strings.TrimPrefix(found, "]("))
		if strings.HasPrefix(target, "docs/") {
			return found
		}
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(target)))
		if err != nil {
			missing = err
			return found
		}
		kind := "blob"
		if info.IsDir() {
			kind = "tree"
		}
		return "](" + repository + "/" + kind + "/main/" + target
	})
	return text, missing
}
