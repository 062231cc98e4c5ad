// Package figures tests that pages have the values of the constants that they describe. Figures that
// need no constant have tests of their own: the defaults of flags in cmd/gateway, and measurements in
// test/bench/report.
package figures

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	root    = "../../.."
	project = "github.com/crosswalk-gateway/crosswalk/"
)

// TestFigures fails for each row of said that its page does not have. Change the page with the
// constant, or the row with the words of the page.
func TestFigures(t *testing.T) {
	constants := load(t)
	pages := map[string]string{}
	for _, row := range said() {
		if pages[row.page] == "" {
			text, err := os.ReadFile(filepath.Join(root, "docs", row.page))
			if err != nil {
				t.Fatal(err)
			}
			pages[row.page] = strings.Join(strings.Fields(string(text)), " ")
		}
		want, err := row.text(constants)
		if err != nil {
			t.Errorf("%s: %q: %v", row.page, row.words, err)
			continue
		}
		if !strings.Contains(pages[row.page], want) {
			t.Errorf("docs/%s does not say %q", row.page, want)
		}
	}
}

// load returns the integer constants of the packages in said, by "package.name" below the project.
func load(t *testing.T) map[string]int64 {
	t.Helper()
	set := token.NewFileSet()
	source := declarations{set, importer.ForCompiler(set, "source", nil), map[string]*types.Package{}}
	constants := map[string]int64{}
	for _, row := range said() {
		for _, f := range row.figures {
			_, names, _ := strings.Cut(f, " ")
			for name := range strings.SplitSeq(names, "*") {
				dir := name[:strings.LastIndex(name, ".")]
				p, err := source.Import(project + dir)
				if err != nil {
					t.Fatal(err)
				}
				c, ok := p.Scope().Lookup(name[len(dir)+1:]).(*types.Const)
				if !ok {
					continue
				}
				if value, exact := constant.Int64Val(constant.ToInt(c.Val())); exact {
					constants[name] = value
				}
			}
		}
	}
	return constants
}

// declarations reads the declarations of the project's packages from their source. Nothing is compiled, so
// other packages are empty, but for those whose constants the project's are made of; what refers to an
// empty one has no type, and is left out.
type declarations struct {
	set      *token.FileSet
	standard types.Importer
	read     map[string]*types.Package
}

// Import implements types.Importer.
func (d declarations) Import(name string) (*types.Package, error) {
	dir, ours := strings.CutPrefix(name, project)
	switch {
	case d.read[name] != nil:
		return d.read[name], nil
	case name == "time" || name == "math":
		return d.standard.Import(name)
	case !ours:
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		return p, nil
	}
	found, err := build.ImportDir(filepath.Join(root, dir), 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, file := range found.GoFiles {
		parsed, err := parser.ParseFile(d.set, filepath.Join(found.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	config := types.Config{Importer: d, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	d.read[name], _ = config.Check(name, d.set, files, nil)
	return d.read[name], nil
}

// text returns the words with their figures.
func (r row) text(constants map[string]int64) (string, error) {
	var args []any
	for _, f := range r.figures {
		unit, names, _ := strings.Cut(f, " ")
		value := int64(1)
		for name := range strings.SplitSeq(names, "*") {
			n, ok := constants[name]
			if !ok {
				return "", fmt.Errorf("there is no constant %s", name)
			}
			value *= n
		}
		text, err := written(unit, value)
		if err != nil {
			return "", fmt.Errorf("%s is %w", names, err)
		}
		args = append(args, text)
	}
	return fmt.Sprintf(r.words, args...), nil
}

// written returns a value as pages write it.
func written(unit string, value int64) (string, error) {
	switch unit {
	case "number":
		text := strconv.FormatInt(value, 10)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text, nil
	case "word":
		words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
		if value >= 0 && value < int64(len(words)) {
			return words[value], nil
		}
	case "Ki":
		if value%(1<<10) == 0 {
			return fmt.Sprintf("%d Ki", value>>10), nil
		}
	case "bytes":
		for _, u := range []struct {
			name string
			is   int64
		}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
			if value%u.is == 0 && value > 0 {
				return fmt.Sprintf("%d %s", value/u.is, u.name), nil
			}
		}
	case "time":
		switch d := time.Duration(value); {
		case d > time.Minute && d%time.Minute == 0:
			return fmt.Sprintf("%d minutes", d/time.Minute), nil
		case d >= time.Second && d%time.Second == 0:
			return fmt.Sprintf("%d s", d/time.Second), nil
		case d%time.Millisecond == 0:
			return fmt.Sprintf("%d ms", d/time.Millisecond), nil
		}
	}
	return "", fmt.Errorf("%d, which cannot be written as a %s", value, unit)
}

// TestWritten shows the form of each unit.
func TestWritten(t *testing.T) {
	for _, test := range []struct {
		unit  string
		value int64
		want  string // empty: an error
	}{
		{"number", 64, "64"}, {"number", 1000, "1,000"}, {"number", 131072, "131,072"}, {"number", 1234567, "1,234,567"},
		{"word", 8, "eight"}, {"word", 11, ""},
		{"Ki", 256 << 10, "256 Ki"}, {"Ki", 1000, ""},
		{"bytes", 2 << 30, "2 GiB"}, {"bytes", 512 << 20, "512 MiB"}, {"bytes", 16 << 10, "16 KiB"}, {"bytes", 1000, ""},
		{"time", int64(250 * time.Millisecond), "250 ms"}, {"time", int64(20 * time.Second), "20 s"}, {"time", int64(time.Minute), "60 s"},
		{"time", int64(5 * time.Minute), "5 minutes"}, {"time", 1, ""},
	} {
		got, err := written(test.unit, test.value)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%d as %s: %q, %v; want %q", test.value, test.unit, got, err, test.want)
		}
	}
	for name, constants := range map[string]map[string]int64{"another value": {"p.a": 3, "p.b": 4}, "no constant": {"p.a": 2}} {
		text, err := row{"page.md", "at most %s files", []string{"number p.a*p.b"}}.text(constants)
		if text == "at most 8 files" || (name == "no constant") != (err != nil) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
