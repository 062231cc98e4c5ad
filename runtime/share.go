package runtime

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// unit is files of the directory that are read together or not at all, in this order: a module
// without its sidecar would pass fewer checks.
type unit struct {
	share  string // whose share of the places it takes: a kind's, or that of a definition's group
	served bool   // a module of this name serves, or served before the restart
	files  []string
}

// byShare returns the function that decides which files of a directory are read if it has more than
// scanFiles: the lists of checksums, then modules that served, with their sidecars, then the modules
// of each kind in turn and, alternating with them, the definitions of each group in turn. So the
// files of one kind displace its own files only. Sidecars without a module come last.
func byShare(served map[string]artifact.Name) func(names []string) {
	return func(names []string) {
		var lists, rest []string
		modules, others := map[string]*unit{}, map[string]*unit{}
		for _, name := range slices.Sorted(slices.Values(names)) {
			switch base, ok := moduleBase(name); {
			case sums.Is(name):
				lists = append(lists, name)
			case ok:
				add(modules, base, name)
			default:
				add(others, otherBase(name), name)
			}
		}
		for base, u := range modules {
			name, _ := artifact.ParseName(base + ".wasm") // moduleBase has parsed it
			u.share = kindOf(name)
			_, u.served = served[base]
			if u.bare() {
				rest = append(rest, u.files...)
				delete(modules, base)
				continue
			}
			slices.SortStableFunc(u.files, func(a, b string) int { return cmp.Compare(unitRank(a), unitRank(b)) })
		}
		for base, u := range others {
			_, u.share, _ = strings.Cut(base, ".")
		}
		slices.Sort(rest)
		copy(names, slices.Concat(lists, alternate(inTurn(modules), inTurn(others)), rest))
	}
}

func add(units map[string]*unit, base, file string) {
	if units[base] == nil {
		units[base] = &unit{}
	}
	units[base].files = append(units[base].files, file)
}

// moduleBase returns the base of a module's name for its file, sidecar or tombstone.
func moduleBase(file string) (base string, ok bool) {
	base, ok = strings.CutSuffix(file, Tombstone)
	if !ok {
		base, ok = artifact.SidecarBase(file)
	}
	if !ok {
		name, err := artifact.ParseName(file)
		return name.Base, err == nil
	}
	_, err := artifact.ParseName(base + ".wasm")
	return base, err == nil
}

// unitRank orders the files of a unit: the tombstone, the sidecar, then the module, so that no limit
// falls between a module and a sidecar after it.
func unitRank(file string) int {
	if strings.HasSuffix(file, Tombstone) {
		return 0
	}
	if _, ok := artifact.SidecarBase(file); ok {
		return 1
	}
	return 2
}

// bare reports whether a unit has a sidecar only.
func (u *unit) bare() bool {
	return !slices.ContainsFunc(u.files, func(file string) bool { return unitRank(file) != 1 })
}

// otherBase is a file's name without its last extension.
func otherBase(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file))
}

// inTurn orders units: those that served, then one of each share, another of each share, and so on.
func inTurn(units map[string]*unit) (order []*unit) {
	shares := map[string][]*unit{}
	for _, base := range slices.Sorted(maps.Keys(units)) {
		if u := units[base]; u.served {
			order = append(order, u)
		} else {
			shares[u.share] = append(shares[u.share], u)
		}
	}
	for turn := 0; len(shares) > 0; turn++ {
		for _, share := range slices.Sorted(maps.Keys(shares)) {
			if turn == len(shares[share]) {
				delete(shares, share)
				continue
			}
			order = append(order, shares[share][turn])
		}
	}
	return order
}

// alternate takes a file's worth of units from each of two lists in turn, so that either gets at
// least half of the places.
func alternate(a, b []*unit) (files []string) {
	fromA, fromB := 0, 0
	for len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && fromA <= fromB {
			files, fromA, a = append(files, a[0].files...), fromA+len(a[0].files), a[1:]
		} else {
			files, fromB, b = append(files, b[0].files...), fromB+len(b[0].files), b[1:]
		}
	}
	return files
}
