// Package docs holds the pages of the documentation, for programs that show them where no site can be
// reached.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed */*.md
var pages embed.FS

// Page is one page. Goroutines may share it.
type Page struct {
	Path string // below docs, such as use/failures.md
	Text string // Markdown
}

// All returns all pages, by path. The list is shared: callers do not change it.
var All = sync.OnceValue(func() []Page {
	files, err := fs.Glob(pages, "*/*.md")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	list := make([]Page, len(files))
	for i, file := range files {
		text, err := pages.ReadFile(file)
		if err != nil {
			panic(err) // embedded files can be read
		}
		list[i] = Page{file, string(text)}
	}
	return list
})

// Find returns the page with a name: failures, use/failures.md, or a whole address that ends so.
func Find(name string) (Page, error) {
	all := All()
	file := name
	if before := strings.LastIndex("/"+name, "/docs/"); before >= 0 {
		file = name[before+len("docs/"):]
	}
	i := slices.IndexFunc(all, func(p Page) bool { return file == p.Path || file == p.Name() })
	if i < 0 {
		return Page{}, fmt.Errorf("there is no page %q: the pages are %s", name, strings.Join(names(all), ", "))
	}
	return all[i], nil
}

func names(pages []Page) (list []string) {
	for _, p := range pages {
		list = append(list, p.Name())
	}
	slices.Sort(list)
	return list
}

// Name returns the name that the page has alone: failures.
func (p Page) Name() string { return strings.TrimSuffix(path.Base(p.Path), ".md") }

// Title returns the page's first heading.
func (p Page) Title() string {
	_, title, _ := strings.Cut("\n"+p.Text, "\n# ") // a comment may precede it
	title, _, _ = strings.Cut(title, "\n")
	return title
}

// Section returns the part of the page below a heading, with the smaller headings in it, or a row of a
// table that has an anchor, with the table's head. The anchor is that of links: a-module-was-refused.
func (p Page) Section(anchor string) (string, error) {
	var anchors []string
	var section, head strings.Builder
	depth, fenced := 0, false
	for line := range strings.Lines(p.Text) {
		fenced = fenced != strings.HasPrefix(line, "```")
		if level, own := Heading(line); level > 0 && !fenced {
			anchors = append(anchors, own)
			if own == anchor && depth == 0 {
				depth = level
			} else if depth > 0 && level <= depth {
				break
			}
		}
		if depth > 0 {
			section.WriteString(line)
		}
		if !strings.HasPrefix(line, "|") {
			head.Reset()
		} else if strings.Count(head.String(), "\n") < 2 {
			head.WriteString(line)
		}
		if own, text, ok := Anchor(line); ok {
			anchors = append(anchors, own)
			if own == anchor {
				return head.String() + text, nil
			}
		}
	}
	if depth == 0 {
		return "", fmt.Errorf("the page %s has no section %q: its sections are %s", p.Name(), anchor, strings.Join(anchors, ", "))
	}
	return section.String(), nil
}

// Anchor returns the anchor that is written in a line, and the line without it.
func Anchor(line string) (anchor, text string, ok bool) {
	before, after, ok := strings.Cut(line, `<a id="`)
	if !ok {
		return "", "", false
	}
	anchor, after, ok = strings.Cut(after, `"></a>`)
	return anchor, before + after, ok
}

// Heading returns the level and the anchor of a line that is a heading, and 0 of any other line.
func Heading(line string) (level int, anchor string) {
	text := strings.TrimLeft(line, "#")
	if level = len(line) - len(text); level == 0 || !strings.HasPrefix(text, " ") {
		return 0, ""
	}
	return level, strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_', r > 127:
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(text)))
}
