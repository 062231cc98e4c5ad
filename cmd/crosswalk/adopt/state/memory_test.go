package state

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// programOf type-checks the text of a package. Nothing is built, and no go command runs.
func programOf(t *testing.T, text string) (*code.Program, *code.Functions, *ssa.Package) {
	t.Helper()
	p := code.New(token.NewFileSet())
	file, err := parser.ParseFile(p.Fset, "p.go", "package p\n\n"+text+"\n\ntype T struct{ A string }\n\ntype box struct{ T *T }\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &packages.Package{
		PkgPath: "example.com/p", Name: "p", Syntax: []*ast.File{file}, Module: &packages.Module{Path: "example.com/p"},
		TypesInfo: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
		},
	}
	if pkg.Types, err = (&types.Config{Importer: importer.Default()}).Check(pkg.PkgPath, p.Fset, pkg.Syntax, pkg.TypesInfo); err != nil {
		t.Fatal(err)
	}
	pkg.Imports = map[string]*packages.Package{}
	for _, imported := range pkg.Types.Imports() { // with declarations only
		pkg.Imports[imported.Path()] = &packages.Package{PkgPath: imported.Path(), Types: imported}
	}
	p.All[pkg.PkgPath], p.Modules[pkg.PkgPath] = pkg, true
	p.Declare()
	s := code.NewFunctions(p, []*packages.Package{pkg})
	return p, s, s.SSA.Package(pkg.Types)
}

// factsOf returns the facts about the variable g of a package: the functions that change it (set), and where
// other packages get its memory: functions and variables (leak), and fields.
func factsOf(t *testing.T, text string) string {
	t.Helper()
	p, s, pkg := programOf(t, text)
	w, g := NewMemory(p, s), pkg.Members["g"].(*ssa.Global)
	var facts []string
	for _, u := range w.changers(g) {
		name := "init"
		if len(u.Defs) > 0 {
			name = outerName(u.Defs[0])
		}
		facts = append(facts, "set "+name)
	}
	r := w.follow(g)
	for o := range r.leaks {
		facts = append(facts, "leak "+outerName(o))
	}
	for field := range r.fields {
		facts = append(facts, "field "+field.Name())
	}
	slices.Sort(facts)
	return strings.Join(slices.Compact(facts), ", ")
}

// TestFollow is a table of sources and the facts about their variable g.
func TestFollow(t *testing.T) {
	for i, test := range []struct{ text, want string }{
		{`var g = "-"; func Set(s string) { g = s }`, "set Set"},
		{`var g = "-"; func Get() string { return g }`, ""}, // its callers get a text, which they cannot change
		{`var g = map[string]string{}; func Set() { g["a"] = "x" }`, "set Set"},
		{`var g = map[string]string{}; func set(m map[string]string) { m["a"] = "x" }; func Set() { set(g) }`, "set Set"},
		{`var g = map[string]string{}; func Read(n string) string { return g[n] }`, ""},
		{`var g = &T{}; func Get() *T { return g }`, "leak Get"},
		{`var g = &T{}; func get() *T { return g }; func Set() { get().A = "x" }`, "set Set"},
		{`var g = &T{}; func Copy() T { return *g }`, ""},
		{`var g = &T{}; func Set() { t := *g; t.A = "x" }`, ""},
		{`var g = &T{}; func Keep() any { return &box{g} }`, "field T"},
		{`var g = &T{}; func Keep() *box { return &box{g} }; func (b *box) Set() { b.T.A = "x" }`, "field T, set box.Set"},
		{`var g = &T{}; var Other = g`, "leak Other"},
		{`var g = &T{}; var other = g; func Set() { other.A = "x" }`, "set Set"},
		{`var g = &T{}; var other *T; func init() { other = g }; func Set() { other = &T{"x"} }`, ""},
		{`var g = &T{}; type i interface{ Use() }; func (t *T) Use() { t.A = "x" }; func Set() { i(g).Use() }`, "set Set"},
		{`var g = &T{}; func Set() { func() { g.A = "x" }() }`, "set Set"},
		{`var g = &T{}; func Set() { list := []*T{{}, g}; list[0] = &T{}; list[1].A = "x" }`, "set Set"},
		{`var g = &T{}; func Set() { list := []*T{{}, g}; list[0] = &T{}; _ = list }`, ""},
		{`var g = &T{}; func Set() { all := map[string]*T{}; all["a"] = g; all["b"] = nil; for _, t := range all { t.A = "x" } }`, "set Set"},
		{`var g = &T{}; func Set() { var t *T; p := &t; *p = g; (*p).A = "x" }`, "set Set"},
		{`var g = &T{}; func put(p **T) { *p = g }; func Use() { var t *T; put(&t); t = nil; _ = t }`, "set put"}, // given away by way of a pointer
		{`var g = &T{}; func Put(m map[string]*T) { m["a"] = g }`, "set Put"},
		{`var g = &T{}; func put(t *T, p **T) { *p = t }; func Use() string { var b box; put(g, &b.T); return b.T.A }`, "field T"},
		{`var g = &T{}; func Queue(c chan *T) { c <- g }`, "set Queue"},
		{`import "fmt"; var g = &T{}; func Print() string { return fmt.Sprint(g) }`, ""},
		{`import "fmt"; var g = "-"; func Scan(s string) { fmt.Sscan(s, &g) }`, "set Scan"},
		{`var g = &T{}; func visit(f func(*T)) { f(g) }; func Set() { visit(func(t *T) { t.A = "x" }) }`, "set visit"},
		{`var g, set = both(); func both() (func() string, func(string)) { a := "-"; return func() string { return a }, func(s string) { a = s } }`, ""},
		{`var g = []T{{}}; func Set() { for i := range g { g[i].A = "x" } }`, "set Set"},
		{`var g = []T{{}}; func Set() { for _, t := range g { t.A = "x" } }`, ""},
		{`var g = []string{"-"}; func More() []string { return append(g, "x") }`, "leak More"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if got := factsOf(t, test.text); got != test.want {
				t.Errorf("%s\nhas the facts %q, want %q", test.text, got, test.want)
			}
		})
	}
}
