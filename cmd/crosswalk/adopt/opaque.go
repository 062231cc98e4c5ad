package adopt

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// opaque are the struct types that every version has and no reached function looks into. Each
// becomes a struct with a string, the JSON text of the value, which a conversion copies as a whole.
type opaque struct {
	types map[*types.TypeName]string // the JSON text of a zero value
	shown map[*types.TypeName]bool   // values of these types get into interfaces: fmt may print them

	metadata []string // the members of the metadata that conversions read; nil: all
	proof    *proof   // has the SSA form of the packages
}

// opaqueField is the field of the struct that stands for an opaque type; the SDK's codec knows it.
const opaqueField = "crosswalkOpaque"

// keepText says whether fmt's methods of a type are kept.
func (o *opaque) keepText(t *types.TypeName) bool { return o.shown[t] }

// drops says whether a method is left out: those of opaque types, except for copies.
func (o *opaque) drops(f *types.Func) bool {
	return o.types[code.ReceiverName(f)] != "" && f.Name() != "DeepCopy" && f.Name() != "DeepCopyInto"
}

// replacement returns the text that stands for a declaration of an opaque type.
func (o *opaque) replacement(x *extraction, u *code.Unit) (text string, ok bool) {
	if len(u.Defs) == 0 {
		return "", false
	}
	switch d := u.Defs[0].(type) {
	case *types.TypeName:
		if zero := o.types[d]; zero != "" {
			return fmt.Sprintf("type %s struct {\n\t%s string `zero:%s`\n}", d.Name(), opaqueField, strconv.Quote(zero)), true
		}
	case *types.Func:
		if o.types[code.ReceiverName(d)] != "" && d.Name() == "DeepCopyInto" {
			f := u.Node.(*ast.FuncDecl)
			head, ok := x.head(u)
			if !ok || len(f.Recv.List[0].Names) == 0 {
				return "", false
			}
			return fmt.Sprintf("%s{ *%s = *%s }", head, f.Type.Params.List[0].Names[0].Name, f.Recv.List[0].Names[0].Name), true
		}
	}
	return "", false
}

// names returns the import paths and names of the opaque types.
func (o *opaque) names() (names []string) {
	for t := range o.types {
		names = append(names, t.Pkg().Path()+"."+t.Name())
	}
	slices.Sort(names)
	return names
}

// report lists the opaque types.
func (o *opaque) report(r *report) {
	var names []string
	for t := range o.types {
		names = append(names, t.Pkg().Name()+"."+t.Name())
	}
	if len(names) > 0 {
		slices.Sort(names)
		r.line("opaque, carried as text: %s", strings.Join(names, ", "))
	}
	if o.metadata != nil {
		r.line("read of the metadata: %s", strings.Join(append([]string{"labels", "annotations"}, o.metadata...), ", "))
	}
}

// findOpaque finds the opaque types of a kind, and of which types fmt may print values.
func findOpaque(p *program, roots []types.Object, k kind, wanted bool) (*opaque, error) {
	s := newProof(p)
	o := &opaque{types: map[*types.TypeName]string{}, shown: map[*types.TypeName]bool{}, proof: s}
	for {
		x, err := extract(p, roots, o, false)
		if err != nil {
			return nil, err
		}
		before := len(s.shown)
		if err := s.look(x); err != nil {
			return nil, err
		}
		o.shown = s.shown
		if len(s.shown) > before {
			continue // more methods are reached now
		}
		if wanted {
			for t := range shared(k) {
				if zero, ok := zeroOf(t.Type(), 0); ok && zero[0] == '{' && !s.touched[t] && s.candidate(x, t, k) {
					o.types[t] = zero
				}
			}
			if names, ok := s.metadata.names(s, k); ok {
				o.metadata = names
			}
		}
		return o, nil
	}
}

// shared returns the named struct types that are members of every version.
func shared(k kind) map[*types.TypeName]bool {
	var all map[*types.TypeName]bool
	for _, v := range k.versions() {
		found := map[*types.TypeName]bool{}
		members(v.named, found, map[types.Type]bool{})
		if all == nil {
			all = found
			continue
		}
		for t := range all {
			if !found[t] {
				delete(all, t)
			}
		}
	}
	return all
}

// members notes the named struct types among the exported members of a type, at every depth.
func members(t types.Type, found map[*types.TypeName]bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if _, ok := t.Underlying().(*types.Struct); ok && t.Obj().Pkg() != nil {
			found[t.Obj()] = true
		}
		members(t.Underlying(), found, seen)
	case *types.Pointer:
		members(t.Elem(), found, seen)
	case *types.Slice:
		members(t.Elem(), found, seen)
	case *types.Array:
		members(t.Elem(), found, seen)
	case *types.Map:
		members(t.Elem(), found, seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				members(t.Field(i).Type(), found, seen)
			}
		}
	}
}
