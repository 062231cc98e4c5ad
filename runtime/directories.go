package runtime

import (
	"slices"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// directories has the directory of each owner, and makes one scan of the newest of each.
type directories struct {
	all      []*followed
	began    time.Time  // when Registry.Run was called
	scanning sync.Mutex // held while a scan is planned; locked before Registry.changing
}

// combine replaces the newest scan of one directory, and returns the scan of all. It returns false
// while other directories were not read yet, for startPatience at most: the registry should not be
// ready before it knows the files of all owners. ds.scanning is held.
func (ds *directories) combine(d *followed, s Scan) (all Scan, enough bool) {
	if d.owner == "" {
		return s, true
	}
	if s.Err != nil && d.last != nil {
		kept := *d.last
		kept.Err, kept.Unsettled = s.Err, false
		s = kept
	}
	d.last = &s
	lists := map[string]*sums.Check{}
	all.owners = map[string]*Scan{}
	for _, one := range ds.all {
		if one.last == nil {
			if time.Since(ds.began) < startPatience {
				return Scan{}, false
			}
			continue
		}
		all.owners[one.owner], lists[one.owner] = one.last, one.last.Checksums
		all.Unsettled = all.Unsettled || one.last.Unsettled
		for _, f := range one.last.Files {
			f.Name = watch.JoinOwner(one.owner, f.Name)
			all.Files = append(all.Files, f)
		}
		for _, f := range one.last.Skipped {
			f.Name = watch.JoinOwner(one.owner, f.Name)
			all.Skipped = append(all.Skipped, f)
		}
	}
	all.Checksums = sums.Join(lists)
	return all, true
}

// of returns the directory of an owner.
func (ds *directories) of(owner string) *followed {
	for _, d := range ds.all {
		if d.owner == owner {
			return d
		}
	}
	return ds.all[0] // not reached: each module comes from a directory
}

// owners returns the names of the owners.
func (ds *directories) owners() (names []string) {
	for _, d := range ds.all {
		names = append(names, d.owner)
	}
	return names
}

// degraded reports whether changes of a directory are found by the poll alone.
func (ds *directories) degraded() bool {
	return slices.ContainsFunc(ds.all, func(d *followed) bool { return d.watcher.Degraded() })
}
