package schemas

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

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

// TestOwnersTakeTurnsToBeReadW22: costly files of many groups of one owner delay another owner's file by
// one file.
func TestOwnersTakeTurnsToBeReadW22(t *testing.T) {
	r := &reader{}
	files := map[string]watch.File{}
	for i := range 30 {
		name := fmt.Sprintf("a/as.a%d.crd.yaml", i)
		files[name] = watch.File{Name: name, Size: 1}
	}
	const good = "good/widgets.example.com.crd.yaml"
	files[good] = watch.File{Name: good, Size: 1000} // larger, and later in the alphabet
	r.replace(files)
	for n := 1; ; n++ {
		f, found := r.next(nil)
		if !found {
			t.Fatal("the file is never read")
		}
		if f.Name == good {
			if n > 2 {
				t.Errorf("the file is the %dth, want at most the second", n)
			}
			return
		}
		r.done(f, 5*time.Second)
	}
}
