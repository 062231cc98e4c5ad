// Package words tests the English of the project. A page or a package with many free relatives
// ("what serves") or with a form that docs/develop/contributing.md bans is hard to read and hard to search.
package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/docs"
)

const (
	root = "../../.."

	// perThousand is the most free relatives in 1,000 words. Kubernetes' documentation and Go's
	// standard library have 0 to 3.
	perThousand = 3
	// fewWords is the length below which a text may have one free relative: a share of a short text
	// says nothing.
	fewWords = 1000 / perThousand
)

// relatives are the words that begin a free relative, and also questions. Headings ask questions
// and are not counted.
var relatives = regexp.MustCompile(`(?i)\b(?:what|whatever|whoever|whichever)\b`)

// banned are forms that a reader has to decode, with the plain form.
var banned = []struct{ form, instead string }{
	{"is no ", "is not a, has no, there is no"},
	{"are none", "there are no"},
	{"that is none", "repeat the noun"},
	{"came to nothing", "failed"},
	{"held on to", "kept"},
	{"the version before", "the previous version"},
	{"puts off", "rejects, delays"},
	{"answers nobody", "results are discarded"},
}

// exceptions contain a banned form and read well.
var exceptions = strings.NewReplacer("there is no ", "", "is no longer", "", "there are none", "")

// text is the prose of a page or a package.
type text struct {
	name  string
	lines []line
}

type line struct {
	at    string // file:line
	words string
}

// problems says what is wrong with a text; nothing if it reads well.
func (t text) problems() []string {
	var out []string
	words, count := 0, 0
	var where []string
	for _, l := range t.lines {
		words += len(strings.Fields(l.words))
		if n := len(relatives.FindAllString(l.words, -1)); n > 0 {
			count += n
			where = append(where, l.at)
		}
		plain := exceptions.Replace(strings.ToLower(l.words))
		for _, b := range banned {
			if strings.Contains(plain, b.form) {
				out = append(out, fmt.Sprintf("%s: %q (write: %s)", l.at, b.form, b.instead))
			}
		}
	}
	if most := max(1, words*perThousand/1000); count > most {
		out = append(out, fmt.Sprintf("%s: %d of what/whatever/whoever/whichever in %d words, at most %d: %s", t.name, count, words, most, strings.Join(where, " ")))
	}
	return out
}

// TestWords holds every Markdown page, and the comments and messages of every Go package, to the
// rules.
func TestWords(t *testing.T) {
	for _, text := range slices.Concat(pages(t), packages(t)) {
		for _, p := range text.problems() {
			t.Error(p)
		}
	}
}

// TestProblems shows that the rules find each thing they are for.
func TestProblems(t *testing.T) {
	filler := strings.Repeat("word ", fewWords)
	for _, c := range []struct {
		words string
		want  int
	}{
		{"The gateway converts objects.", 0},
		{"There is no module. It is no longer there, for there are none.", 0},
		{"What serves goes on.", 0},
		{"What serves goes on with whatever it has.", 1},
		{filler + "what " + filler + "what " + filler, 0},
		{"This is no module.", 1},
		{"The modules are none of ours, and the version before stays.", 2},
	} {
		if got := (text{"page", []line{{"page:1", c.words}}}).problems(); len(got) != c.want {
			t.Errorf("%q: %q, want %d problems", c.words, got, c.want)
		}
	}
}

func walk(t *testing.T, ending string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "target" || d.Name() == "vendor" || d.Name() == ".git"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ending):
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func at(path string, n int) string {
	short, err := filepath.Rel(root, path)
	if err != nil {
		short = path
	}
	return short + ":" + strconv.Itoa(n)
}

var code = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d")

// pages returns the prose of every Markdown page, without code, quotations and headings.
func pages(t *testing.T) (texts []text) {
	walk(t, ".md", func(path string) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := text{name: strings.TrimSuffix(at(path, 0), ":0")}
		n := 0
		for l := range docs.Lines(string(content)) {
			if n++; !l.Code && l.Level == 0 && !strings.HasPrefix(l.Text, "    ") {
				page.lines = append(page.lines, line{at(path, n), code.ReplaceAllString(l.Text, "")})
			}
		}
		texts = append(texts, page)
	})
	return texts
}

// packages returns the comments of every Go package and the string literals that are sentences.
// Tests are packages of their own.
func packages(t *testing.T) (texts []text) {
	found := map[string]*text{}
	var names []string
	walk(t, ".go", func(path string) {
		if filepath.Base(path) == "words_test.go" {
			return
		}
		name := filepath.Dir(strings.TrimSuffix(at(path, 0), ":0"))
		if strings.HasSuffix(path, "_test.go") {
			name += " (tests)"
		}
		if found[name] == nil {
			found[name] = &text{name: name}
			names = append(names, name)
		}
		found[name].lines = append(found[name].lines, proseOf(t, path)...)
	})
	for _, n := range names {
		texts = append(texts, *found[n])
	}
	return texts
}

func proseOf(t *testing.T, path string) (lines []line) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i, l := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), "*/"), "\n") {
				lines = append(lines, line{at(path, fset.Position(c.Pos()).Line+i), code.ReplaceAllString(l, "")})
			}
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		return lines // the literals of tests are data
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && len(strings.Fields(s)) >= 4 {
				lines = append(lines, line{at(path, fset.Position(l.Pos()).Line), s})
			}
		}
		return true
	})
	return lines
}
