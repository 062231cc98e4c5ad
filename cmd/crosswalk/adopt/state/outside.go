package state

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

	imports map[string][]string // of the packages of the repository
	mains   []string            // its programs

	w      *Memory
	leaks  map[symbol]types.Object   // functions, methods and variables that lead to the memory of variables
	fields map[string][]*types.Var   // exported fields that lead to it, by name
	outs   map[symbol][]out          // parameters of functions that store it in variables of their callers
	types  map[types.Type]bool       // of pointers to this memory in interfaces
	leaked map[types.Object][]string // places that may change it
	filled map[out][]string          // the same, after a call that stores it
}

func newOutside(w *Memory, p *code.Placer) *outside {
	return &outside{
		p: w.p, place: p, variables: map[symbol]bool{}, functions: map[symbol]bool{}, linked: map[symbol]bool{}, found: map[symbol][]string{}, imports: map[string][]string{},
		w: w, leaks: map[symbol]types.Object{}, fields: map[string][]*types.Var{}, types: map[types.Type]bool{}, leaked: map[types.Object][]string{},
		outs: map[symbol][]out{}, filled: map[out][]string{},
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
	for s := range o.outs {
		names = append(names, []byte(s.name))
	}
	for name, fields := range o.fields {
		names = append(names, []byte(name))
		for _, field := range fields {
			if field.Embedded() { // which a file need not name
				names = append(names, []byte(field.Pkg().Path()))
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	loaded := map[string]bool{}
	for _, pkg := range o.p.All {
		o.imports[pkg.PkgPath] = slices.Collect(maps.Keys(pkg.Imports))
		for _, name := range pkg.GoFiles {
			loaded[name] = true
		}
	}
	imported := &blank{dirs: map[string][]string{}, read: map[string]bool{}}
	looked := map[string]bool{}
	look := func(name, own string, text []byte) {
		if looked[name] || !slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(text, n) }) {
			return
		}
		looked[name] = true
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return // the compiler would not take it either: a template
		}
		o.linknames(name, text)
		o.file(set, file, own)
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
			if err != nil {
				return err
			}
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
			imported.note(name, o.note(name, own, text))
			look(name, own, text)
			return nil
		})
		if err != nil {
			return fmt.Errorf("looking for what main sets: %w", err)
		}
	}
	imported.files(o.p.All, look)
	for _, list := range o.found {
		slices.Sort(list)
	}
	return nil
}

// note notes the imports of a file, and returns its syntax so far; nil if it has none.
func (o *outside) note(name, own string, text []byte) *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, spec := range file.Imports {
		o.imports[own] = append(o.imports[own], strings.Trim(spec.Path.Value, "`\""))
	}
	if file.Name.Name == "main" {
		o.mains = append(o.mains, own)
	}
	return file
}

// hasMain reports whether a program of the repository has one of the kind's versions.
func (o *outside) hasMain() bool {
	seen := map[string]bool{}
	for queue := o.mains; len(queue) > 0; queue = queue[1:] {
		if path := queue[0]; !seen[path] {
			seen[path] = true
			queue = append(queue, o.imports[path]...)
		}
	}
	return slices.ContainsFunc(o.place.Versions, func(path string) bool { return seen[path] })
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
