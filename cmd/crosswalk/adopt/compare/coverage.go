package compare

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Coverage counts the blocks of the operator's code that its conversions can run.
type Coverage struct {
	Blocks  int      `json:"blocks"`
	Ran     int      `json:"ran"`     // during the comparison
	Missing []string `json:"missing"` // path/in/module/file.go:12-14: the lines of those that did not
}

// profiled is the operator's code whose coverage is measured: the functions of its module that
// conversions can call, apart from generated copies.
type profiled struct {
	program   *operator.Program
	functions map[string][]*ssa.Function // by import path and file name
	live      *calls.Liveness
}

// profile returns the code that the conversions of a kind can run in the operator's own modules.
func profile(p *operator.Program, k discover.Resource, x *extract.Extraction) *profiled {
	c := x.Followed(k)
	x.Search().WithoutReplaced(c)
	roots, _ := x.Proof.Conversions(k)
	given := types.Type(types.NewPointer(k.Hub.Named))
	if k.HubAt != "" {
		given = nil // the hub's methods get every other version
	}
	q := &profiled{program: p, functions: map[string][]*ssa.Function{}, live: calls.Live(c, roots, given)}
	modules := map[string]bool{}
	for _, v := range k.Versions() {
		modules[v.Pkg.Module.Path] = true
	}
	for _, f := range roots {
		if f != nil && f.Pkg != nil && p.All[f.Pkg.Pkg.Path()] != nil {
			modules[p.All[f.Pkg.Pkg.Path()].Module.Path] = true
		}
	}
	zeros := map[*types.TypeName]bool{}
	for _, v := range k.Versions() {
		omitted(v.Named, zeros, map[types.Type]bool{})
	}
	for f := range c.Functions {
		if f.Pkg == nil || f.Syntax() == nil || f.Origin() != nil && f.Origin() != f {
			continue
		}
		pkg := p.All[f.Pkg.Pkg.Path()]
		if o, ok := f.Object().(*types.Func); pkg == nil || !modules[pkg.Module.Path] || ok && (extract.Copies(o) || c.Caller(f) == nil && (printed(o) || o.Name() == "IsZero" && !zeros[code.ReceiverName(o)] || other(k, o))) {
			continue
		}
		key := pkg.PkgPath + "/" + filepath.Base(p.Fset.Position(f.Pos()).Filename)
		q.functions[key] = append(q.functions[key], f)
	}
	return q
}

// other reports whether a function is a conversion method that no webhook calls, such as those of
// knative's hub, which refuse: it is found because the hub is in the interface for versions.
func other(k discover.Resource, f *types.Func) bool {
	if f.Name() != "ConvertTo" && f.Name() != "ConvertFrom" {
		return false
	}
	for _, v := range k.Versions() {
		if f == v.To || f == v.From {
			return false
		}
	}
	return slices.ContainsFunc(k.Versions(), func(v discover.Version) bool { return code.ReceiverName(f) == v.Named.Obj() })
}

// omitted adds the types of members in a type that an encoder omits if IsZero says so.
func omitted(t types.Type, found map[*types.TypeName]bool, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	s, ok := t.Underlying().(*types.Struct)
	for _, inner := range code.Elements(t) {
		omitted(inner, found, seen)
	}
	for i := 0; ok && i < s.NumFields(); i++ {
		of := s.Field(i).Type()
		if p, ok := of.Underlying().(*types.Pointer); ok {
			of = p.Elem()
		}
		if named, ok := types.Unalias(of).(*types.Named); ok && strings.Contains(s.Tag(i), ",omitzero") {
			found[named.Obj()] = true
		}
	}
}

// printed reports whether a function is one of the methods that fmt calls. If nothing else calls it,
// it ran whenever a value was printed: the place that prints counts.
func printed(f *types.Func) bool {
	return f.Signature().Recv() != nil && slices.Contains(calls.Texts(), f.Name())
}

// packages returns the import paths to measure.
func (q *profiled) packages() (paths []string) {
	for key := range q.functions {
		paths = append(paths, path.Dir(key))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// block is a line of a coverage profile: a piece of a file that runs as a whole.
type block struct {
	from, to token.Position
	ran      bool
}

// has reports whether a place of the same file is in the block.
func (b block) has(p token.Position) bool { return !before(p, b.from) && !before(b.to, p) }

// parseProfile reads a coverage profile of go test, by import path and file name. A block that
// several lines name ran if it did in one.
func parseProfile(text []byte) (map[string][]block, error) {
	profiles, err := cover.ParseProfilesFromReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the coverage profile: %w", err)
	}
	all := map[string][]block{}
	for _, p := range profiles {
		for _, b := range p.Blocks {
			all[p.FileName] = append(all[p.FileName], block{token.Position{Line: b.StartLine, Column: b.StartCol}, token.Position{Line: b.EndLine, Column: b.EndCol}, b.Count > 0})
		}
	}
	return all, nil
}

// measure counts the blocks that can run and did not.
func (q *profiled) measure(blocks map[string][]block) Coverage {
	c := Coverage{Missing: []string{}}
	for _, name := range slices.Sorted(maps.Keys(q.functions)) {
		for _, b := range blocks[name] {
			f := q.innermost(name, b)
			if f == nil || !b.ran && q.cannotRun(f, b) {
				continue
			}
			c.Blocks++
			if b.ran {
				c.Ran++
				continue
			}
			place := fmt.Sprintf("%s:%d", q.place(name), b.from.Line)
			if b.to.Line > b.from.Line {
				place += fmt.Sprintf("-%d", b.to.Line)
			}
			c.Missing = append(c.Missing, place)
		}
	}
	c.Missing = slices.Compact(c.Missing)
	return c
}

// place returns the path of a file in its module.
func (q *profiled) place(name string) string {
	pkg := q.program.All[path.Dir(name)]
	return strings.TrimPrefix(strings.TrimPrefix(name, pkg.Module.Path), "/")
}

// innermost returns the called function that a block belongs to; nil if it belongs to another.
func (q *profiled) innermost(name string, b block) *ssa.Function {
	var best *ssa.Function
	for _, f := range q.functions[name] {
		if q.contains(f.Syntax().Pos(), f.Syntax().End(), b) && (best == nil || best.Syntax().Pos() < f.Syntax().Pos()) {
			best = f
		}
	}
	if best == nil {
		return nil
	}
	for _, inner := range best.AnonFuncs { // a literal that nothing calls
		if q.contains(inner.Syntax().Pos(), inner.Syntax().End(), b) && !q.live.Functions[inner] {
			return nil
		}
	}
	return best
}

func (q *profiled) contains(from, to token.Pos, b block) bool {
	first, last := q.program.Fset.Position(from), q.program.Fset.Position(to)
	return !before(b.from, first) && !before(last, b.to)
}

// before reports whether a place of a file is before another.
func before(a, b token.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// cannotRun reports whether all instructions of a block are in places of the function that cannot
// be reached.
func (q *profiled) cannotRun(f *ssa.Function, b block) bool {
	can, some := q.live.Blocks(f), false
	for _, at := range f.Blocks {
		for _, i := range at.Instrs {
			if i.Pos() == token.NoPos || !b.has(q.program.Fset.Position(i.Pos())) {
				continue
			}
			if some = true; can[at] {
				return false
			}
		}
	}
	return some
}
