// Package docs holds the pages of the documentation, for programs that show them where no site can be
// reached.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
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
	depth := 0
	for line := range Lines(p.Text) {
		if line.Anchor != "" {
			anchors = append(anchors, line.Anchor)
		}
		if depth > 0 && line.Level > 0 && line.Level <= depth {
			break
		}
		if line.Anchor == anchor && anchor != "" {
			if line.Level == 0 {
				return head.String() + line.Text, nil
			}
			depth = line.Level
		}
		if depth > 0 {
			section.WriteString(line.Text)
		}
		if !strings.HasPrefix(line.Text, "|") {
			head.Reset()
		} else if strings.Count(head.String(), "\n") < 2 {
			head.WriteString(line.Text)
		}
	}
	if depth == 0 {
		return "", fmt.Errorf("the page %s has no section %q: its sections are %s", p.Name(), anchor, strings.Join(anchors, ", "))
	}
	return section.String(), nil
}

// Line is a line of a page.
type Line struct {
	Text   string // with its end, without an anchor that is written in it
	Code   bool   // it is part of a fenced block, or its fence
	Level  int    // of a heading; 0 for other lines
	Anchor string // that links name; empty if the line has none
}

// Lines returns the lines of a page in Markdown. Anchors of headings are those that GitHub makes, and
// equal ones end in -1, -2 and so on; <a id="…"></a> is the anchor of its line.
func Lines(markdown string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		seen, fence := map[string]bool{}, ""
		for text := range strings.Lines(markdown) {
			line := Line{Text: text, Code: fence != ""}
			mark := fenceOf(text)
			switch {
			case fence == "" && mark != "":
				fence, line.Code = mark, true
			case fence != "":
				if strings.HasPrefix(mark, fence) && strings.TrimSpace(text) == mark {
					fence = ""
				}
			default:
				line.Text, line.Anchor = written(text)
				if line.Level = level(text); line.Level > 0 && line.Anchor == "" {
					line.Anchor = unique(slug(line.Text), seen)
				}
				seen[line.Anchor] = true
			}
			if !yield(line) {
				return
			}
		}
	}
}

// fenceOf returns the three or more backticks or tildes that a line begins with, behind any blanks: a
// fence may stand in an item of a list.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// written returns a line without the anchor that is written in it, and the anchor.
func written(line string) (text, anchor string) {
	before, after, _ := strings.Cut(line, `<a id="`)
	if anchor, after, ok := strings.Cut(after, `"></a>`); ok {
		return before + after, anchor
	}
	return line, ""
}

// level returns the level of a heading, and 0 of any other line.
func level(line string) int {
	text := strings.TrimLeft(line, "#")
	if !strings.HasPrefix(text, " ") {
		return 0
	}
	return len(line) - len(text)
}

// slug returns the anchor of a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(strings.TrimLeft(heading, "#")))
}

// unique returns an anchor with the first number that makes it unlike those before it.
func unique(anchor string, seen map[string]bool) string {
	free := anchor
	for i := 1; seen[free]; i++ {
		free = fmt.Sprintf("%s-%d", anchor, i)
	}
	return free
}
