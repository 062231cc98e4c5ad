package runtime

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// snapshotOf has files whose content is their name, sorted by name.
func snapshotOf(names ...string) watch.Snapshot {
	var s watch.Snapshot
	for _, name := range slices.Sorted(slices.Values(names)) {
		s.Files = append(s.Files, watch.File{Name: name, Content: []byte(name), Sum: sha256.Sum256([]byte(name))})
	}
	return s
}

// listing adds a SHA256SUMS that lists names as snapshotOf writes them.
func listing(s watch.Snapshot, names ...string) watch.Snapshot {
	var list strings.Builder
	for _, name := range names {
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256([]byte(name)), name)
	}
	s.Files = append(s.Files, watch.File{Name: sums.ListFile, Content: []byte(list.String()), Sum: sha256.Sum256([]byte(list.String()))})
	return s
}

func TestSortFiles(t *testing.T) {
	s := snapshotOf("K.g_v1_v2.wasm", "K.g_v1_v2.wasm.gz", "K.g_v1_v2.yaml", "L.g_v1_v2.yaml", "M.g_v1_v2.removed", "ks.g.crd.yaml", "ks.g.crd.yml", "K.wasm", "notes.txt")
	s.Skipped = []watch.Skipped{
		{Name: ".", Reason: "has 600 files"},
		{Name: "N.g_v1_v2.wasm", Reason: "is a directory"}, {Name: "N.g_v1_v2.yaml", Reason: "is a pipe"},
		{Name: sums.ListFile, Reason: "is a socket"}, {Name: "ls.g.crd.yaml", Reason: "is too large"},
	}
	c := sortFiles(s)
	got := fmt.Sprintf("modules %v, sidecars %v, unread %v, removals %v, present %v, skipped %v",
		slices.Sorted(maps.Keys(c.modules)), slices.Sorted(maps.Keys(c.sidecars)), c.unreadSidecars, slices.Sorted(maps.Keys(c.removals)),
		slices.Sorted(maps.Keys(c.present)), c.skipped)
	const want = "modules [K.g_v1_v2], sidecars [K.g_v1_v2 L.g_v1_v2], unread map[N.g_v1_v2:is a pipe], removals [M.g_v1_v2], present [K.g_v1_v2 N.g_v1_v2], " +
		"skipped [{. has 600 files} {N.g_v1_v2.wasm is a directory} {N.g_v1_v2.yaml is a pipe}]"
	if got != want {
		t.Errorf("sorted as\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(c.rejected)), " "); got != "K.wasm L.g_v1_v2.yaml ks.g.crd.yml" {
		t.Errorf("rejected %s", got)
	}
	if packings := c.modules["K.g_v1_v2"]; len(packings) != 2 {
		t.Errorf("%d packings", len(packings))
	}
}

func TestApplyChecksums(t *testing.T) {
	const (
		module, packed, side, removal = "K.g_v1_v2.wasm", "K.g_v1_v2.wasm.gz", "K.g_v1_v2.yaml", "K.g_v1_v2.removed"
		unlisted                      = "SHA256SUMS does not list %s: add it there if it is meant to be used"
	)
	for _, tc := range []struct {
		name          string
		files, listed []string // nil: no list
		packings      []string
		denied        string   // why, empty if the module may be loaded
		rejected      []string // files
	}{
		{"no list", []string{module, packed, side}, nil, []string{module, packed}, "", nil},
		{"all are listed", []string{module, side}, []string{module, side}, []string{module}, "", nil},
		{"the module is not listed", []string{module, side}, []string{side}, []string{module}, fmt.Sprintf(unlisted, module), nil},
		{"one packing is not listed", []string{module, packed}, []string{packed}, []string{packed}, "", []string{module}},
		{"no packing is listed", []string{module, packed}, []string{removal}, []string{module, packed}, fmt.Sprintf(unlisted, module), nil},
		{"the sidecar is not listed", []string{module, side}, []string{module}, []string{module}, fmt.Sprintf(unlisted, side), nil},
		{"the listed sidecar is missing", []string{module}, []string{module, side}, []string{module}, "SHA256SUMS lists " + side + ", which is not there", nil},
		{"the tombstone is not listed", []string{module, removal}, []string{module}, []string{module}, "", []string{removal}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := snapshotOf(tc.files...)
			if tc.listed != nil {
				s = listing(s, tc.listed...)
			}
			c := sortFiles(s)
			c.applyChecksums(sums.Of(s, nil, false))
			var packings []string
			for _, j := range c.modules["K.g_v1_v2"] {
				packings = append(packings, j.name.File)
			}
			if !slices.Equal(packings, tc.packings) {
				t.Errorf("packings %v, want %v", packings, tc.packings)
			}
			denied := ""
			if err := c.modules["K.g_v1_v2"][0].denied; err != nil {
				denied = err.Error()
			}
			if denied != tc.denied {
				t.Errorf("denied %q, want %q", denied, tc.denied)
			}
			if got := slices.Sorted(maps.Keys(c.rejected)); !slices.Equal(got, tc.rejected) {
				t.Errorf("rejected %v, want %v", got, tc.rejected)
			}
			if len(c.removals) > 0 {
				t.Errorf("removals %v", c.removals)
			}
		})
	}
}
