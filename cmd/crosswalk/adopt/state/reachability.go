package state

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// reachability is who changes a variable, or memory that it points to, and by which code outside of
// the packages that are loaded may do so.
type reachability struct {
	changers map[*code.Unit]token.Pos
	leaks    map[types.Object]bool    // exported functions that return its memory, and exported variables that lead to it
	fields   map[*types.Var]bool      // exported fields that lead to it
	types    map[types.Type]bool      // of its pointers in interfaces
	made     *made                    // its initial value
	givers   map[*code.Unit]token.Pos // that give its memory to other modules than the operator's
}

// follow finds where the memory of a variable goes in the whole program.
func (w *Memory) follow(g *ssa.Global) *reachability {
	if r := w.followed[g]; r != nil {
		return r
	}
	r := &reachability{changers: map[*code.Unit]token.Pos{}, leaks: map[types.Object]bool{}, fields: map[*types.Var]bool{}, types: map[types.Type]bool{}, made: w.made(), givers: map[*code.Unit]token.Pos{}}
	w.followed[g] = r
	all := newEffects() // of interfaces
	type work struct {
		holder types.Object
		result result
	}
	done, queue := map[work]bool{}, []work{{holder: g.Object()}}
	at := map[*code.Unit]*effects{}
	for len(queue) > 0 {
		todo := queue[0]
		if queue = queue[1:]; done[todo] {
			continue
		}
		done[todo] = true
		mentioned := todo.holder
		if todo.result.f != nil {
			mentioned = todo.result.f.Object()
		}
		v, isVariable := mentioned.(*types.Var)
		if mentioned.Exported() && (!isVariable || !v.IsField() && carries(v.Type())) {
			r.leaks[mentioned] = true
		}
		if isVariable && v.IsField() && v.Exported() {
			r.fields[v] = true
		}
		if f, ok := mentioned.(*types.Func); ok {
			mentioned = f.Origin()
		}
		units := w.p.Mentioned()[mentioned]
		if u := w.p.Units[mentioned]; u != nil && isVariable {
			units = append(units[:len(units):len(units)], u)
		}
		for _, u := range units {
			if w.s.Broken[u.Package.PkgPath] != nil {
				continue
			}
			f := w.flow()
			own := u == w.p.Units[g.Object()]
			w.each(u, func(i ssa.Instruction) {
				switch {
				case mentioned == g.Object():
					f.mention(i, g)
					if own {
						r.made.stored(i, g)
					}
				case isVariable:
					if !isCopy(i.Parent()) { // which fills a field with memory that it has made
						f.held(i, v)
					}
				default:
					f.results(i, todo.result)
				}
			})
			if f.given(); f.change != token.NoPos && !own && r.changers[u] == token.NoPos {
				r.changers[u] = f.change
			}
			if at[u] == nil {
				at[u] = newEffects()
			}
			if own {
				f.add(r.made.effects, u.Node.Pos())
			}
			for m := range f.invoked {
				at[u].invoked[m] = true
			}
			for t := range f.types {
				all.types[t] = true
			}
			for o := range f.holders {
				if w.gives(u, o) && r.givers[u] == token.NoPos {
					r.givers[u] = u.Node.Pos()
				}
				queue = append(queue, work{holder: o})
			}
			for x := range f.returns {
				switch {
				case x.f.Object() != nil:
					queue = append(queue, work{result: x})
				case u.Tok == token.VAR: // a literal that the variable holds
					for _, o := range u.Defs {
						if o.Exported() {
							r.leaks[o] = true
						}
					}
				}
			}
		}
	}
	for u, e := range at {
		e.types = all.types
		if w.dispatch(e); e.change != token.NoPos && r.changers[u] == token.NoPos {
			r.changers[u] = e.change
		}
	}
	r.types = all.types
	return r
}

// gives reports whether a unit of the operator's modules stores memory where another module keeps it.
func (w *Memory) gives(u *code.Unit, holder *types.Var) bool {
	pkg := w.p.All[holder.Pkg().Path()]
	return w.p.Modules[u.Package.Module.Path] && (pkg == nil || !w.p.Modules[pkg.Module.Path])
}

// mention follows a variable's address from an instruction.
func (f *flow) mention(i ssa.Instruction, g *ssa.Global) {
	for _, operand := range i.Operands(nil) {
		if *operand == g {
			f.use(i, g)
		}
	}
}

// held follows the value of another variable, or of a field, that leads to the memory from an instruction.
func (f *flow) held(i ssa.Instruction, holder *types.Var) {
	switch x := i.(type) {
	case *ssa.FieldAddr:
		if code.FieldOf(x.X.Type(), x.Field).Origin() == holder {
			for _, use := range *x.Referrers() {
				f.heldUse(use, x)
			}
		}
	case *ssa.Field:
		if code.FieldOf(x.X.Type(), x.Field).Origin() == holder {
			f.carried(x)
		}
	}
	for _, operand := range i.Operands(nil) {
		if g, ok := (*operand).(*ssa.Global); ok && g.Object() == holder {
			f.heldUse(i, g)
		}
	}
}

// results follows the result of a function from a call.
func (f *flow) results(i ssa.Instruction, r result) {
	if call, ok := i.(ssa.CallInstruction); ok {
		if callee := call.Common().StaticCallee(); callee != nil && (callee == r.f || callee.Origin() == r.f) {
			f.result(call, r)
		}
	}
	f.asValue(i, r.f)
}

// each calls do for the instructions of a unit, with those of its closures.
func (w *Memory) each(u *code.Unit, do func(ssa.Instruction)) {
	if f, ok := u.Node.(*ast.FuncDecl); ok {
		eachIn(w.s.Declared(u, f), do)
		return
	}
	pkg := w.s.SSA.Package(u.Package.Types)
	w.s.Build(pkg)
	for _, i := range w.s.Initial(pkg, u) {
		do(i)
	}
	if f := pkg.Func("init"); f != nil {
		for _, inner := range f.AnonFuncs {
			if u.Node.Pos() <= inner.Pos() && inner.Pos() <= u.Node.End() {
				eachIn(inner, do)
			}
		}
	}
}
