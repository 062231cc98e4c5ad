package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// change is a mistake in one place of a file.
type change struct {
	mutation string
	file     string // from the vendor directory
	function string // or variable
	line     int
	column   int
	nth      int // of those of the function with the same text, from 1
	edits    []edit
	zero     bool // the edits call zeroFunction
}

// edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

// zeroFunction freezes a value. The files that need it get its declaration.
const zeroFunction = "crosswalkZero"

const zeroDeclaration = "\nfunc " + zeroFunction + "[T any](T) (zero T) { return zero }\n"

// apply returns the text of the file with the mistake.
func (c change) apply(text string) string {
	for _, e := range c.edits { // from the end to the beginning
		text = text[:e.from] + e.text + text[e.to:]
	}
	if c.zero {
		text += zeroDeclaration
	}
	return text
}

// String names the change.
func (c change) String() string {
	return fmt.Sprintf("%s at %s:%d:%d", c.mutation, c.file, c.line, c.column)
}

// finder collects the changes of a file.
type finder struct {
	fset     *token.FileSet
	text     string
	file     string
	function string
	found    []change
}

// findChanges returns the possible changes in the Go files of a directory of the vendor tree.
func findChanges(vendor, pkg string) (all []change, err error) {
	names, err := filepath.Glob(filepath.Join(vendor, filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f := &finder{fset: token.NewFileSet(), text: string(text), file: pkg + "/" + filepath.Base(name)}
		parsed, err := parser.ParseFile(f.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			f.declaration(d)
		}
		all = append(all, f.found...)
	}
	return all, nil
}

func (f *finder) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		// A gateway's module runs none of the copies' DeepCopy methods, unless a conversion calls them:
		// then they are as the compiler needs them.
		if d.Body == nil || strings.HasPrefix(d.Name.Name, "DeepCopy") {
			return
		}
		f.function = d.Name.Name
		if d.Recv != nil {
			f.function = strings.TrimPrefix(f.of(d.Recv.List[0].Type), "*") + "." + f.function
		}
		f.inside(d.Body)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || len(v.Names) == 0 {
				continue
			}
			f.function = v.Names[0].Name
			for _, value := range v.Values {
				if d.Tok == token.VAR {
					f.freeze(value)
				}
				f.inside(value)
			}
		}
	}
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) of(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// add notes a change. The edits are in the order of the file.
func (f *finder) add(mutation string, at ast.Node, edits ...edit) {
	for i, j := 0, len(edits)-1; i < j; i, j = i+1, j-1 {
		edits[i], edits[j] = edits[j], edits[i]
	}
	place := f.fset.Position(at.Pos())
	c := change{mutation: mutation, file: f.file, function: f.function, line: place.Line, column: place.Column, edits: edits}
	for _, e := range edits {
		c.zero = c.zero || strings.Contains(e.text, zeroFunction)
	}
	f.found = append(f.found, c)
}

func (f *finder) replace(n ast.Node, text string) edit {
	return edit{f.offset(n.Pos()), f.offset(n.End()), text}
}

func (f *finder) insert(at token.Pos, text string) edit {
	return edit{f.offset(at), f.offset(at), text}
}

// freeze gives a variable the zero value of its initial value's type. An empty literal of a named
// type mostly has this value.
func (f *finder) freeze(value ast.Expr) {
	if l, ok := value.(*ast.CompositeLit); ok && len(l.Elts) == 0 {
		switch l.Type.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return
		}
	}
	f.add("freeze a variable", value, f.insert(value.Pos(), zeroFunction+"("), f.insert(value.End(), ")"))
}

// inside finds the changes in a function's body or an initial value.
func (f *finder) inside(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f.swaps(n.List)
		case *ast.CaseClause:
			f.swaps(n.Body)
		case *ast.AssignStmt:
			f.assignment(n)
		case *ast.ExprStmt:
			if _, ok := n.X.(*ast.CallExpr); ok {
				f.add("drop a call", n, f.replace(n, "{}"))
			}
		case *ast.CompositeLit:
			f.literal(n)
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.BinaryExpr:
			f.comparison(n)
		case *ast.RangeStmt:
			f.loop(n, n.Body, n.Key)
		case *ast.ForStmt:
			f.loop(n, n.Body, nil)
		case *ast.BasicLit:
			f.constant(n)
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				f.add("change a constant", n, f.replace(n, map[string]string{"true": "false", "false": "true"}[n.Name]))
			}
		}
		return true
	})
}

// assignment drops an assignment to something that exists, and freezes a new variable.
func (f *finder) assignment(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		if id, ok := s.Lhs[0].(*ast.Ident); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 && id.Name != "err" {
			f.freeze(s.Rhs[0])
		}
		return
	}
	if id, ok := s.Rhs[0].(*ast.Ident); ok && id.Name == "nil" {
		f.add("drop an assignment", s, f.replace(s, "{}"))
		return
	}
	if id, ok := s.Lhs[0].(*ast.Ident); s.Tok == token.ASSIGN && (!ok || id.Name != "_") {
		blanks := strings.TrimSuffix(strings.Repeat("_, ", len(s.Lhs)), ", ")
		f.add("drop an assignment", s, edit{f.offset(s.Pos()), f.offset(s.Lhs[len(s.Lhs)-1].End()), blanks})
	}
}

// literal drops an element of a literal with keys, and swaps the values of two neighbours.
func (f *finder) literal(l *ast.CompositeLit) {
	for i, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		to := f.offset(e.End())
		if rest := f.text[to:]; strings.HasPrefix(rest, ",") {
			to++
		}
		f.add("drop a field", e, edit{f.offset(e.Pos()), to, ""})
		if i == 0 {
			continue
		}
		if before, ok := l.Elts[i-1].(*ast.KeyValueExpr); ok {
			f.swap(before.Value, kv.Value)
		}
	}
}

// swaps swaps the values of assignments that follow each other.
func (f *finder) swaps(list []ast.Stmt) {
	var before *ast.AssignStmt
	for _, s := range list {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			before = nil
			continue
		}
		if before != nil {
			f.swap(before.Rhs[0], a.Rhs[0])
		}
		before = a
	}
}

func (f *finder) swap(a, b ast.Expr) {
	if f.of(a) != f.of(b) {
		f.add("swap two values", a, f.replace(a, f.of(b)), f.replace(b, f.of(a)))
	}
}

// condition skips a branch, takes it always, and takes it in the other case.
func (f *finder) condition(c ast.Expr) {
	if isError(c) {
		f.add("ignore an error", c, f.insert(c.Pos(), "false && ("), f.insert(c.End(), ")"))
		return
	}
	f.add("skip a branch", c, f.insert(c.Pos(), "false && ("), f.insert(c.End(), ")"))
	f.add("take a branch", c, f.insert(c.Pos(), "true || ("), f.insert(c.End(), ")"))
}

func isError(c ast.Expr) bool {
	b, ok := c.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	id, ok := b.X.(*ast.Ident)
	return ok && id.Name == "err" && isNil(b.Y)
}

func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}

// comparison negates a comparison, and exchanges the operators && and ||.
func (f *finder) comparison(b *ast.BinaryExpr) {
	other := map[token.Token]string{
		token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.LEQ: ">", token.GTR: "<=", token.GEQ: "<", token.LAND: "||", token.LOR: "&&",
	}[b.Op]
	if other == "" {
		return
	}
	mutation := "negate a comparison"
	if isNil(b.X) || isNil(b.Y) {
		mutation = "negate a nil check"
	}
	f.add(mutation, b, edit{f.offset(b.OpPos), f.offset(b.OpPos) + len(b.Op.String()), other})
}

// loop leaves out a loop, its first turn, and all after the first.
func (f *finder) loop(n ast.Node, body *ast.BlockStmt, key ast.Expr) {
	f.add("leave out a loop", n, f.insert(body.Lbrace+1, "\nbreak\n"))
	if id, ok := key.(*ast.Ident); ok && id.Name != "_" {
		f.add("skip the first turn", n, f.insert(body.Lbrace+1, "\nif "+id.Name+" == "+zeroFunction+"("+id.Name+") { continue }\n"))
	}
	f.add("leave after the first turn", n, f.insert(body.Rbrace, "\nbreak\n"))
}

// constant changes a text or a number.
func (f *finder) constant(l *ast.BasicLit) {
	switch l.Kind {
	case token.STRING:
		text, err := strconv.Unquote(l.Value)
		if err == nil {
			f.add("change a constant", l, f.replace(l, strconv.Quote(text+"x")))
		}
	case token.INT:
		f.add("change a constant", l, f.replace(l, "("+l.Value+" + 1)"))
	}
}
