package adopt

import (
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
)

func TestMetadataMembersThatConversionsSelect(t *testing.T) {
	named := func(path, name string, fields []*types.Var, tags []string) *types.Named {
		pkg := types.NewPackage(path, "v1")
		return types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), types.NewStruct(fields, tags), nil)
	}
	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, nil, name, t, false) }
	text := types.Typ[types.String]
	meta := named("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta",
		[]*types.Var{field("Name", text), field("Labels", text), field("UID", text)},
		[]string{`json:"name,omitempty"`, `json:"labels,omitempty"`, `json:"uid,omitempty"`})
	other := named("example.com/v1", "ObjectMeta", []*types.Var{field("UID", text)}, []string{`json:"uid"`})
	version := named("example.com/v1", "Disk", []*types.Var{field("ObjectMeta", meta)}, []string{`json:"metadata,omitempty"`})
	own := named("example.com/v1", "Own", []*types.Var{field("Metadata", other)}, []string{`json:"metadata"`})

	s := &extract.Proof{Shown: map[*types.TypeName]bool{}, Metadata: extract.Metadata{Selected: map[string]bool{}}}
	k := discover.Resource{Hub: kindVersion(version), Spokes: nil}
	s.Metadata.Note(other, 0)
	if names, ok := s.Metadata.Names(s, k); !ok || names == nil || len(names) != 0 {
		t.Errorf("without a selection: %v, %v, want an empty list", names, ok)
	}
	s.Metadata.Note(meta, 1)
	s.Metadata.Note(meta, 0)
	if names, ok := s.Metadata.Names(s, k); !ok || !slices.Equal(names, []string{"name"}) {
		t.Errorf("with name and labels selected: %v, %v, want name", names, ok)
	}
	if names, ok := s.Metadata.Names(s, discover.Resource{Hub: kindVersion(own)}); ok {
		t.Errorf("with metadata of another type: %v, want all", names)
	}
	s.Shown[meta.Obj()] = true
	if names, ok := s.Metadata.Names(s, k); ok {
		t.Errorf("with metadata in an interface: %v, want all", names)
	}
}

func kindVersion(named *types.Named) discover.Version { return discover.Version{Named: named} }
