package faults

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestAllNamesEveryConstant reads the constants from the source: counters are made for All, and a
// kind without a counter would end the process.
func TestAllNamesEveryConstant(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "faults.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, value := range spec.Values {
				kind, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				declared = append(declared, kind)
			}
		}
		return true
	})
	if len(declared) == 0 || !slices.Equal(declared, All()) {
		t.Errorf("All returns %q; the constants are %q", All(), declared)
	}
}

func TestBlamesModule(t *testing.T) {
	for _, kind := range All() {
		if got, want := BlamesModule(kind), kind != Busy && kind != Breaker && kind != Internal; got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}
