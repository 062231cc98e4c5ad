package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/docs"
)

// TestLogLinesHaveRows compares the warnings and errors that the source of the gateway logs with the
// table of failures.md: somebody on call who reads a line finds what to do.
func TestLogLinesHaveRows(t *testing.T) {
	page, err := docs.Find("failures")
	if err != nil {
		t.Fatal(err)
	}
	section, err := page.Section("lines-of-the-log")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(section, -1) {
		rows = append(rows, m[1])
	}
	var logged []string
	for _, dir := range []string{"../../host", "../../runtime", "../../internal", "../../cmd/gateway"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testing" || d.Name() == "testdata"):
				return filepath.SkipDir
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err == nil {
				logged = append(logged, warnings(file)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(logged)
	logged = slices.Compact(logged)
	if len(logged) < 40 {
		t.Fatalf("%d lines: the test does not see the source any more", len(logged))
	}
	for _, line := range logged {
		if !slices.Contains(rows, line) {
			t.Errorf("failures.md#lines-of-the-log has no row for %q", line)
		}
	}
	for _, row := range rows {
		if !slices.Contains(logged, row) {
			t.Errorf("failures.md#lines-of-the-log has a row for %q, which nothing logs", row)
		}
	}
}

// warnings returns the messages that a file logs at level warn, error, or one that is computed. A
// computed message is each text that its variable gets.
func warnings(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		body, ok := n.(*ast.FuncDecl)
		if !ok {
			return true
		}
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			at := 0
			switch {
			case !ok:
				return true
			case method.Sel.Name == "Log" && len(call.Args) > 2 && !quiet(call.Args[1]):
				at = 2
			case method.Sel.Name != "Warn" && method.Sel.Name != "Error" || len(call.Args) == 0:
				return true
			}
			found = append(found, textsOf(call.Args[at], body)...)
			return true
		})
		return false
	})
	return slices.DeleteFunc(found, func(text string) bool { return text == "review converted" }) // the debug form of "review failed"
}

// quiet reports whether a level is slog.LevelInfo or slog.LevelDebug.
func quiet(level ast.Expr) bool {
	s, ok := level.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "LevelInfo" || s.Sel.Name == "LevelDebug")
}

// textsOf returns the texts that an expression of a function may have, or begin with.
func textsOf(e ast.Expr, in ast.Node) (texts []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return []string{text}
		}
	case *ast.BinaryExpr:
		return textsOf(e.X, nil)
	case *ast.Ident:
		if in == nil {
			return nil
		}
		ast.Inspect(in, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
				for i, left := range a.Lhs {
					if name, ok := left.(*ast.Ident); ok && name.Name == e.Name {
						texts = append(texts, textsOf(a.Rhs[i], nil)...)
					}
				}
			}
			return true
		})
	}
	return texts
}
