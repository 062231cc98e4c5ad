package extract

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Opaque are the struct types that every version has and no reached function looks into. Each
// becomes a struct with a string, the JSON text of the value, which a conversion copies as a whole.
type Opaque struct {
	Types map[*types.TypeName]string // the JSON text of a zero value
	shown map[*types.TypeName]bool   // values of these types get into interfaces: fmt may print them

	Metadata []string // the members of the metadata that conversions read; nil: all
	Proof    *Proof   // has the SSA form of the packages
}

// keepText says whether fmt's methods of a type are kept.
func (o *Opaque) keepText(t *types.TypeName) bool { return o.shown[t] }

// drops says whether a method is left out: those of opaque types, except for copies.
func (o *Opaque) drops(f *types.Func) bool {
	return o.Types[code.ReceiverName(f)] != "" && f.Name() != "DeepCopy" && f.Name() != "DeepCopyInto"
}

// Names returns the import paths and names of the opaque types.
func (o *Opaque) Names() (names []string) {
	for t := range o.Types {
		names = append(names, t.Pkg().Path()+"."+t.Name())
	}
	slices.Sort(names)
	return names
}

// findOpaque finds the opaque types of a kind, and of which types fmt may print values.
func findOpaque(p *operator.Program, roots []types.Object, k discover.Resource, wanted bool) (*Opaque, error) {
	s := newProof(p)
	o := &Opaque{Types: map[*types.TypeName]string{}, shown: map[*types.TypeName]bool{}, Proof: s}
	for {
		x, err := From(p, roots, o, false)
		if err != nil {
			return nil, err
		}
		before := len(s.Shown)
		if err := s.look(x); err != nil {
			return nil, err
		}
		o.shown = s.Shown
		if len(s.Shown) > before {
			continue // more methods are reached now
		}
		if wanted {
			for t := range shared(k) {
				if zero, ok := zeroOf(t.Type(), 0); ok && zero[0] == '{' && !s.touched[t] && s.candidate(x, t, k) {
					o.Types[t] = zero
				}
			}
			if names, ok := s.Metadata.Names(s, k); ok {
				o.Metadata = names
			}
		}
		return o, nil
	}
}

// shared returns the named struct types that are members of every version.
func shared(k discover.Resource) map[*types.TypeName]bool {
	var all map[*types.TypeName]bool
	for _, v := range k.Versions() {
		found := map[*types.TypeName]bool{}
		members(v.Named, found, map[types.Type]bool{})
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
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				members(field.Type(), found, seen)
			}
		}
	default:
		for _, inner := range code.Elements(t) {
			members(inner, found, seen)
		}
	}
}

// objectMeta is the type of the metadata in versions of nearly all operators.
const objectMeta = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"

// Metadata are the members of the metadata that reached functions select. The gateway takes only
// labels and annotations from a result, so that the module need not decode the others.
type Metadata struct {
	Selected map[string]bool // by their names in JSON
}

// Note notes that a function selects a field of a struct.
func (m *Metadata) Note(t types.Type, field int) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path()+"."+named.Obj().Name() != objectMeta {
		return
	}
	name, _, _ := strings.Cut(reflect.StructTag(named.Underlying().(*types.Struct).Tag(field)).Get("json"), ",")
	m.Selected[name] = true
}

// Names returns the members that a module has to decode beside labels and annotations; ok is false
// if it has to decode all, because something else than a selection looks into the metadata.
func (m *Metadata) Names(s *Proof, k discover.Resource) (names []string, ok bool) {
	for t := range s.Shown {
		if t.Pkg() != nil && t.Pkg().Path()+"."+t.Name() == objectMeta {
			return nil, false
		}
	}
	for _, v := range k.Versions() {
		if !hasObjectMeta(v.Named) {
			return nil, false
		}
	}
	names = []string{}
	for name := range m.Selected {
		if name != "labels" && name != "annotations" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, true
}

// hasObjectMeta reports whether a version's metadata is an ObjectMeta.
func hasObjectMeta(version *types.Named) bool {
	s, ok := version.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if named, is := types.Unalias(s.Field(i).Type()).(*types.Named); is && name == "metadata" {
			return named.Obj().Pkg() != nil && named.Obj().Pkg().Path()+"."+named.Obj().Name() == objectMeta
		}
	}
	return false
}
