package imports

import (
	"go/ast"
	"testing"
)

// mostMethods is the number of methods that a type may have: with more, it is for several things.
const mostMethods = 20

// TestMethods counts the methods that the files of each package declare for each type.
func TestMethods(t *testing.T) {
	methods := map[string]int{}
	sources(t, func(name string, file *ast.File) {
		for _, decl := range file.Decls {
			if f, is := decl.(*ast.FuncDecl); is && f.Recv != nil {
				methods[packageOf(name)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	})
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d: give what belongs together a type", name, n, mostMethods)
		}
	}
	if len(methods) < 300 {
		t.Errorf("only %d types with methods were found", len(methods))
	}
}

// receiver returns the name of a receiver's type, without its pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
