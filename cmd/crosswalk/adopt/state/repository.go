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
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// repository finds the places in the operator's repository, beside the packages that are loaded, that
// change variables or mention functions: main, and the functions that it calls. The packages there
// need not compile for wasip1, and have types as far as the packages that they import are loaded.
type repository struct {
	w     *Memory
	place *code.Placer

	variables map[types.Object]bool     // exported variables, which such code may set
	functions map[types.Object]bool     // which lead to a change
	linked    map[string]types.Object   // variables and functions by import/path.name, as go:linkname names them
	leaks     map[types.Object]bool     // functions, methods and variables that lead to the memory of variables
	fields    map[*types.Var]bool       // exported fields that lead to it
	types     map[types.Type]bool       // of pointers to this memory in interfaces
	byName    map[string][]types.Object // methods and fields of these, for values whose types are not known

	found  map[types.Object][]string // places that set a variable, or mention a function
	leaked map[types.Object][]string // places that may change memory

	imports map[string][]string // of the packages of the repository
	mains   []string            // its programs
	sources map[string]*source  // packages by import path and name
	std     map[string]*types.Package
	syntax
}

// source is a package of the repository, or the files of a loaded package that another build has.
type source struct {
	path, name string
	files      []string
	wanted     bool // a file has one of the names
	types      *types.Package
}

func newRepository(w *Memory, p *code.Placer) *repository {
	o := &repository{
		w: w, place: p, variables: map[types.Object]bool{}, functions: map[types.Object]bool{}, linked: map[string]types.Object{},
		leaks: map[types.Object]bool{}, fields: map[*types.Var]bool{}, types: map[types.Type]bool{}, byName: map[string][]types.Object{},
		found: map[types.Object][]string{}, leaked: map[types.Object][]string{},
		imports: map[string][]string{}, sources: map[string]*source{}, std: map[string]*types.Package{},
		syntax: newSyntax(),
	}
	packages.Visit(slices.Collect(maps.Values(w.p.All)), nil, func(pkg *packages.Package) {
		if w.p.All[pkg.PkgPath] == nil && pkg.Types != nil {
			o.std[pkg.PkgPath] = pkg.Types
		}
	})
	return o
}

// link notes a declaration that other packages can name by go:linkname.
func (o *repository) link(of types.Object) { o.linked[of.Pkg().Path()+"."+of.Name()] = of }

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// names returns the words without which a file is of no interest.
func (o *repository) names() (list [][]byte) {
	for _, set := range []map[types.Object]bool{o.variables, o.functions, o.leaks} {
		for of := range set {
			o.byName[of.Name()] = append(o.byName[of.Name()], of)
		}
	}
	for field := range o.fields {
		o.byName[field.Name()] = append(o.byName[field.Name()], field)
		if field.Embedded() { // which a file need not name
			list = append(list, []byte(field.Pkg().Path()))
		}
	}
	for _, of := range o.linked {
		list = append(list, []byte(of.Name()))
	}
	for name := range o.byName {
		list = append(list, []byte(name))
	}
	return list
}

// scan goes through the repositories of the operator's modules, and the packages that they import for
// their init functions alone, such as plugins of other modules.
func (o *repository) scan() error {
	names := o.names()
	if len(names) == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, pkg := range o.w.p.All {
		o.imports[pkg.PkgPath] = slices.Collect(maps.Keys(pkg.Imports))
		for _, name := range pkg.GoFiles {
			seen[name] = true
		}
	}
	blank := map[string][]string{} // imports by a directory that has a file with them
	note := func(name, own string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return nil // the compiler would not take it either: a template
		}
		for _, spec := range file.Imports {
			at := strings.Trim(spec.Path.Value, "`\"")
			o.imports[own] = append(o.imports[own], at)
			if first, _, _ := strings.Cut(at, "/"); spec.Name != nil && spec.Name.Name == "_" && strings.Contains(first, ".") && o.w.p.All[at] == nil {
				blank[filepath.Dir(name)] = append(blank[filepath.Dir(name)], at)
			}
		}
		if file.Name.Name == "main" {
			o.mains = append(o.mains, own)
		}
		key := own + " " + file.Name.Name
		if o.sources[key] == nil {
			o.sources[key] = &source{path: own, name: file.Name.Name}
		}
		s := o.sources[key]
		s.files = append(s.files, name)
		s.wanted = s.wanted || slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(text, n) })
		o.linknames(name, text)
		return nil
	}
	for _, root := range o.place.Roots {
		if err := o.walk(root, note); err != nil {
			return fmt.Errorf("looking for what main sets: %w", err)
		}
	}
	for len(blank) > 0 {
		dirs := blank
		blank = map[string][]string{}
		for dir, paths := range dirs {
			// Packages that are not in the module cache are left out: nothing is downloaded.
			list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: dir, Env: append(os.Environ(), "GOPROXY=off")}, paths...)
			if err != nil {
				continue // a package of a module that is not there: no build has it either
			}
			for _, pkg := range list {
				for _, name := range pkg.GoFiles {
					_ = note(name, pkg.PkgPath) // which go has just read
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.sources)) {
		if s := o.sources[key]; s.wanted {
			o.check(s)
		}
	}
	o.mentions()
	for _, list := range o.found {
		slices.Sort(list)
	}
	return nil
}

// walk calls do for the files below a directory that may be a part of the operator's process, with the import
// path of their packages.
func (o *repository) walk(root string, do func(name, own string) error) error {
	paths := map[string]string{} // of directories
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			return do(name, paths[filepath.Dir(name)])
		case name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains([]string{"vendor", "testdata", "test", "tests", "e2e", "node_modules"}, base)):
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(name, "adopt.lock")); err == nil {
			return filepath.SkipDir // a project of this command
		}
		if above := paths[filepath.Dir(name)]; above != "" {
			paths[name] = path.Join(above, base)
		}
		if text, err := os.ReadFile(filepath.Join(name, "go.mod")); err == nil {
			if m := moduleLine.FindSubmatch(text); m != nil {
				paths[name] = string(m[1])
			}
		}
		return nil
	})
}

// hasMain reports whether a program of the repository has one of the kind's versions.
func (o *repository) hasMain() bool {
	seen := map[string]bool{}
	for queue := o.mains; len(queue) > 0; queue = queue[1:] {
		if path := queue[0]; !seen[path] {
			seen[path] = true
			queue = append(queue, o.imports[path]...)
		}
	}
	return slices.ContainsFunc(o.place.Versions, func(path string) bool { return seen[path] })
}

// check type-checks a package. An expression that names a package which is not loaded has no type.
func (o *repository) check(s *source) {
	if s.types != nil {
		return
	}
	s.types = types.NewPackage(s.path, s.name)
	var files []*ast.File
	for _, name := range s.files {
		file, err := parser.ParseFile(o.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		if o.w.p.All[s.path] != nil { // the declarations that it has are those of the loaded files
			all := &ast.ImportSpec{Name: ast.NewIdent("."), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(s.path)}}
			file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{all}}}, file.Decls...)
			file.Imports = append(file.Imports, all)
		}
		files = append(files, file)
		o.note(file)
	}
	config := types.Config{Importer: o, FakeImportC: true, DisableUnusedImportCheck: true, Error: func(error) {}}
	_ = types.NewChecker(&config, o.fset, s.types, o.info).Files(files) // the errors of what is not loaded
	s.types.MarkComplete()
}

// Import returns a package that is loaded, or of the repository, or else one without declarations.
func (o *repository) Import(at string) (*types.Package, error) {
	if pkg := o.w.p.All[at]; pkg != nil && pkg.Types != nil {
		return pkg.Types, nil
	}
	if pkg := o.std[at]; pkg != nil {
		return pkg, nil
	}
	for _, key := range append([]string{at + " " + path.Base(at)}, slices.Sorted(maps.Keys(o.sources))...) {
		if s := o.sources[key]; s != nil && s.path == at && s.name != "main" {
			o.check(s)
			return s.types, nil
		}
	}
	name := path.Base(at)
	if majorElement.MatchString(name) {
		name = path.Base(path.Dir(at))
	}
	pkg := types.NewPackage(at, beside.ReplaceAllString(name, ""))
	pkg.MarkComplete()
	return pkg, nil
}

var (
	majorElement = regexp.MustCompile(`^v[0-9]+$`)
	beside       = regexp.MustCompile(`^go-|[.-](go|v[0-9]+)$`) // the name of a package, in its path
)

var linkname = regexp.MustCompile(`(?m)^//go:linkname[ \t]+\S+[ \t]+(\S+\.\w+)[ \t\r]*$`)

// linknames notes the declarations of the operator's packages that a file names for the linker.
func (o *repository) linknames(name string, text []byte) {
	for _, m := range linkname.FindAllSubmatchIndex(text, -1) {
		if of := o.linked[string(text[m[2]:m[3]])]; of != nil {
			o.found[of] = append(o.found[of], o.place.Name(token.Position{Filename: name, Line: 1 + bytes.Count(text[:m[0]], []byte("\n"))}))
		}
	}
}

// syntax is files of the operator's repository with the types that are known.
type syntax struct {
	fset     *token.FileSet
	info     *types.Info
	files    []*ast.File
	parents  map[ast.Node]ast.Node
	declared map[types.Object]*ast.FuncDecl
	uses     map[types.Object][]*ast.Ident // made by usesOf
	seen     map[ast.Node]bool             // expressions of one question
}

func newSyntax() syntax {
	return syntax{
		fset:    token.NewFileSet(),
		info:    &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}},
		parents: map[ast.Node]ast.Node{}, seen: map[ast.Node]bool{},
	}
}

// note adds a file, with the way up from each of its nodes.
func (l *syntax) note(file *ast.File) {
	l.files = append(l.files, file)
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if len(above) > 0 {
			l.parents[n] = above[len(above)-1]
		}
		above = append(above, n)
		return true
	})
}

func (l *syntax) fileOf(n ast.Node) *ast.File {
	for ; n != nil; n = l.parents[n] {
		if file, ok := n.(*ast.File); ok {
			return file
		}
	}
	return nil
}

// imports reports whether a file imports a package.
func imports(file *ast.File, path string) bool {
	for _, spec := range file.Imports {
		if at, _ := strconv.Unquote(spec.Path.Value); at == path {
			return true
		}
	}
	return false
}

// usesOf returns the mentions of a variable of a function.
func (l *syntax) usesOf(v types.Object) []*ast.Ident {
	if l.uses == nil {
		l.uses = map[types.Object][]*ast.Ident{}
		for id, of := range l.info.Uses {
			l.uses[of] = append(l.uses[of], id)
		}
	}
	return l.uses[v]
}

// declaration returns the declaration of a function in these files; nil if it is elsewhere.
func (l *syntax) declaration(f types.Object) *ast.FuncDecl {
	if l.declared == nil {
		l.declared = map[types.Object]*ast.FuncDecl{}
		for _, file := range l.files {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && l.info.Defs[d.Name] != nil {
					l.declared[l.info.Defs[d.Name]] = d
				}
			}
		}
	}
	return l.declared[f]
}

// typeOf returns the type of an expression; nil if it is not known.
func (l *syntax) typeOf(e ast.Expr) types.Type {
	if t := l.info.TypeOf(e); t != nil && t != types.Typ[types.Invalid] {
		return t
	}
	return nil
}
