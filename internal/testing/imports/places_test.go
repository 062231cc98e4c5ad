package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the directory of the repository.
const root = "../../.."

// modules are the directories of the Go modules that users run.
func modules() []string { return []string{".", "cmd/crosswalk", "deploy"} }

// packageOf returns the directory of a file below the root.
func packageOf(name string) string {
	dir, err := filepath.Rel(root, filepath.Dir(name))
	if err != nil {
		panic(err) // both are below the root
	}
	return filepath.ToSlash(dir)
}

// sources calls do for each Go file that is not a test.
func sources(t *testing.T, do func(name string, file *ast.File)) {
	t.Helper()
	lookAt(t, root)
	files := 0
	for _, top := range []string{"cmd", "deploy", "host", "internal", "runtime"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil {
				files++
				do(name, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 {
		t.Errorf("only %d files were found", files)
	}
}

// mostLines is the number of lines that a file may have: a longer one is about several things. It is no
// reason to split a file that is about one.
const mostLines = 400

// TestFileLengths counts the lines of each file.
func TestFileLengths(t *testing.T) {
	sources(t, func(name string, _ *ast.File) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines > mostLines {
			t.Errorf("%s has %d lines, more than %d: give a part a file of its own, named for the thing in it", name, lines, mostLines)
		}
	})
}

// TestPackageCommentsNameFiles tests that the files that a package comment names are there: readers
// follow a review, a reload and a run of crosswalk fuzz by them.
func TestPackageCommentsNameFiles(t *testing.T) {
	named := regexp.MustCompile(`(?:^|[\s(])([a-z][a-z0-9_]*\.go)\b`)
	found := 0
	sources(t, func(name string, file *ast.File) {
		for _, m := range named.FindAllStringSubmatch(file.Doc.Text(), -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: the package comment names %s, and there is no such file", name, m[1])
			}
		}
	})
	if found < 40 {
		t.Errorf("package comments name only %d files", found)
	}
}

// TestMetricsHaveTheirFiles tests that each package has its metrics in metrics.go, or in a file whose
// name begins with metrics_.
func TestMetricsHaveTheirFiles(t *testing.T) {
	makes := regexp.MustCompile(`^New(Gauge|Counter|Histogram|Summary|Desc)`)
	found := 0
	sources(t, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok || !makes.MatchString(selector.Sel.Name) {
				return true
			}
			if pkg, ok := selector.X.(*ast.Ident); !ok || pkg.Name != "prometheus" && pkg.Name != "auto" { // auto registers what it makes
				return true
			}
			found++
			if base := filepath.Base(name); base != "metrics.go" && !strings.HasPrefix(base, "metrics_") {
				t.Errorf("%s makes a metric: move it to metrics.go", name)
			}
			return true
		})
	})
	if found < 20 {
		t.Errorf("only %d metrics were found", found)
	}
}
