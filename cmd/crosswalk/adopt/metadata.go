package adopt

import (
	"go/types"
	"slices"
	"strings"
)

// objectMeta is the type of the metadata in versions of nearly all operators.
const objectMeta = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"

// metadata are the members of the metadata that reached functions select. The gateway takes only
// labels and annotations from a result, so that the module need not decode the others.
type metadata struct {
	selected map[string]bool // by their names in JSON
}

// note notes that a function selects a field of a struct.
func (m *metadata) note(t types.Type, field int) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path()+"."+named.Obj().Name() != objectMeta {
		return
	}
	name, _, _ := strings.Cut(tagOf(named.Underlying().(*types.Struct).Tag(field)), ",")
	m.selected[name] = true
}

// names returns the members that a module has to decode beside labels and annotations; ok is false
// if it has to decode all, because something else than a selection looks into the metadata.
func (m *metadata) names(s *proof, k kind) (names []string, ok bool) {
	for t := range s.shown {
		if t.Pkg() != nil && t.Pkg().Path()+"."+t.Name() == objectMeta {
			return nil, false
		}
	}
	for _, v := range k.versions() {
		if !hasObjectMeta(v.named) {
			return nil, false
		}
	}
	names = []string{}
	for name := range m.selected {
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
		name, _, _ := strings.Cut(tagOf(s.Tag(i)), ",")
		if named, is := types.Unalias(s.Field(i).Type()).(*types.Named); is && name == "metadata" {
			return named.Obj().Pkg() != nil && named.Obj().Pkg().Path()+"."+named.Obj().Name() == objectMeta
		}
	}
	return false
}
