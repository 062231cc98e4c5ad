package schemas

import (
	"maps"
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestDefinitionsOfOtherOwnersAreNotRead: each directory has the definitions of all owners. Each is
// read once, for the owner with a module of its group.
func TestDefinitionsOfOtherOwnersAreNotRead(t *testing.T) {
	f := newFollowing(t)
	plan := func(names ...string) []string {
		var scan runtime.Scan
		for i, name := range names {
			scan.Files = append(scan.Files, watch.File{Name: name, Sum: [32]byte{byte(i + 1)}})
		}
		scan.Checksums = sums.Of(scan.Snapshot, nil, false)
		return slices.Sorted(maps.Keys(f.plan(scan)))
	}
	const mine, yours = "a/widgets.a.example.com.crd.yaml", "a/widgets.b.example.com.crd.yaml"
	if got, want := plan("a/Widget.a.example.com_v1_v2.wasm", "b/Widget.b.example.com_v1_v2.wasm.zst", mine, yours, "b/widgets.b.example.com.crd.yaml"), []string{mine, "b/widgets.b.example.com.crd.yaml"}; !slices.Equal(got, want) {
		t.Errorf("%q are read, want %q", got, want)
	}
	f.files[mine] = &definition{}
	if got := plan(mine, yours); !slices.Equal(got, []string{mine}) {
		t.Errorf("without a module, %q are read, want the one that was read before", got)
	}
	if got := plan("widgets.a.example.com.crd.yaml"); len(got) != 1 {
		t.Errorf("without owners, %q are read", got)
	}
}
