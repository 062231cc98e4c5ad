package state

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// outside finds the places in the operator's repository, beside the packages that are loaded, that
// change variables or mention functions: main, and the functions that it calls. It goes by the syntax of files
// without tests, as the packages there need not compile for wasip1.
type outside struct {
	p         *code.Program
	place     *code.Placer
	variables map[symbol]bool
	functions map[symbol]bool
	linked    map[symbol]bool     // variables and functions that other packages can name by go:linkname
	found     map[symbol][]string // places

	w      *Memory
	leaks  map[symbol]types.Object // functions, methods and variables that lead to the memory of variables
	types  map[types.Type]bool     // of pointers to this memory in interfaces
	leaked map[symbol][]string     // places that may change it
}

func newOutside(w *Memory, p *code.Placer) *outside {
	return &outside{
		p: w.p, place: p, variables: map[symbol]bool{}, functions: map[symbol]bool{}, linked: map[symbol]bool{}, found: map[symbol][]string{},
		w: w, leaks: map[symbol]types.Object{}, types: map[types.Type]bool{}, leaked: map[symbol][]string{},
	}
}

// symbol is a declaration of a package.
type symbol struct{ path, name string }

func symbolOf(o types.Object) symbol { return symbol{o.Pkg().Path(), o.Name()} }

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// scan goes through the repositories of the operator's modules.
func (o *outside) scan() error {
	var names [][]byte
	for _, set := range []map[symbol]bool{o.variables, o.functions, o.linked} {
		for s := range set {
			names = append(names, []byte(s.name))
		}
	}
	for s := range o.leaks {
		names = append(names, []byte(s.name))
	}
	if len(names) == 0 {
		return nil
	}
	loaded := map[string]bool{}
	for _, pkg := range o.p.All {
		for _, name := range pkg.GoFiles {
			loaded[name] = true
		}
	}
	for _, root := range o.place.Roots {
		modules := map[string]string{} // path by directory
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				return o.directory(root, name, entry.Name(), modules)
			}
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || loaded[name] {
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil || !slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(text, n) }) {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if err != nil {
				return nil // the compiler would not take it either: a template
			}
			o.linknames(name, text)
			dir := filepath.Dir(name)
			own := ""
			for top := dir; ; top = filepath.Dir(top) {
				if module := modules[top]; module != "" {
					rest, _ := filepath.Rel(top, dir)
					own = path.Join(module, filepath.ToSlash(rest))
					break
				}
				if top == root || top == filepath.Dir(top) {
					break
				}
			}
			o.file(set, file, own)
			return nil
		})
		if err != nil {
			return fmt.Errorf("looking for what main sets: %w", err)
		}
	}
	for _, list := range o.found {
		slices.Sort(list)
	}
	return nil
}

// directory notes a go.mod, and skips directories without code of the operator's process.
func (o *outside) directory(root, name, base string, modules map[string]string) error {
	if name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains([]string{"vendor", "testdata", "test", "tests", "e2e", "node_modules"}, base)) {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "adopt.lock")); err == nil {
		return filepath.SkipDir // a project of this command
	}
	if text, err := os.ReadFile(filepath.Join(name, "go.mod")); err == nil {
		if m := moduleLine.FindSubmatch(text); m != nil {
			modules[name] = string(m[1])
		}
	}
	return nil
}

var majorElement = regexp.MustCompile(`^v[0-9]+$`)

// file looks at one file, of the package own.
func (o *outside) file(set *token.FileSet, file *ast.File, own string) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(p)
		if majorElement.MatchString(name) && o.p.All[p] == nil {
			name = path.Base(path.Dir(p))
		}
		if pkg := o.p.All[p]; pkg != nil {
			name = pkg.Name
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = p
	}
	note := func(s symbol, n ast.Node) {
		at := set.Position(n.Pos())
		o.found[s] = append(o.found[s], o.place.Name(at))
	}
	// variable returns the variable that an expression is a part of.
	var variable func(e ast.Expr) (symbol, bool)
	variable = func(e ast.Expr) (symbol, bool) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return variable(e.X)
		case *ast.StarExpr:
			return variable(e.X)
		case *ast.IndexExpr:
			return variable(e.X)
		case *ast.SliceExpr:
			return variable(e.X)
		case *ast.Ident:
			if s := (symbol{imports["."], e.Name}); o.variables[s] {
				return s, true
			}
			s := symbol{own, e.Name}
			return s, o.variables[s]
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok && imports[id.Name] != "" {
				s := symbol{imports[id.Name], e.Sel.Name}
				return s, o.variables[s]
			}
			return variable(e.X)
		}
		return symbol{}, false
	}
	change := func(e ast.Expr, n ast.Node) {
		if s, ok := variable(e); ok {
			note(s, n)
		}
	}
	l := o.newLeaked(file, imports)
	leak := func(s symbol, n ast.Node) {
		if object := o.leaks[s]; object != nil && l.changes(n, object.Type()) {
			o.leaked[s] = append(o.leaked[s], o.place.Name(set.Position(n.Pos())))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok != token.DEFINE {
					change(e, e)
				}
			}
		case *ast.IncDecStmt:
			change(n.X, n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X, n)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				change(n.Key, n)
				change(n.Value, n)
			}
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				if name = f.Sel.Name; changes.MatchString(name) {
					change(f.X, n)
				}
			case *ast.Ident:
				name = f.Name
			}
			if changes.MatchString(name) || name == "delete" || name == "clear" || name == "copy" {
				for _, e := range n.Args {
					change(e, n)
				}
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] != "" {
				s := symbol{imports[id.Name], n.Sel.Name}
				if o.functions[s] {
					note(s, n)
				}
				leak(s, n)
				return true
			}
			for _, path := range imports { // a method, perhaps
				s := symbol{path, n.Sel.Name}
				if o.functions[s] {
					note(s, n)
				}
				if isMethod(o.leaks[s]) {
					leak(s, n)
				}
			}
		case *ast.Ident:
			for _, path := range []string{own, imports["."]} {
				s := symbol{path, n.Name}
				if o.functions[s] {
					note(s, n)
				}
				leak(s, n)
			}
		}
		return true
	})
}
