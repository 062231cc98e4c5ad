package extract

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
)

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
