package runtime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// startPatience bounds the wait at the start for a file that is being written: half of the default
// queue time of reviews. A file that is written for longer may be written for ever.
const startPatience = 10 * time.Second

// start decides when a registry is ready: when the modules that served before the restart serve
// again, or their budget is over. Without any, when each file has been tried. It has no lock: the
// registry guards it.
type start struct {
	budget time.Duration // Config.StartGrace
	began  time.Time     // when Run was called
	whole  bool          // a scan was planned in which no file was being written, or failed

	before  map[string]artifact.Name // modules that served before and do not serve yet, by base
	recalls bool                     // there was one
	serves  bool                     // one of them serves again
}

// scanned records a scan that was planned, and forgets modules that served before and that somebody
// took out of service. Once the start is over, it also forgets those that are not in the directory.
func (s *start) scanned(scan Scan, p plan, over bool, now time.Time) {
	s.whole = s.whole || scan.Err != nil || !scan.Unsettled || now.Sub(s.began) > startPatience
	maps.DeleteFunc(s.before, func(base string, name artifact.Name) bool {
		return p.removed[base] || over && s.serves && !scan.partial(name.Owner) && !p.present[base]
	})
	if len(s.before) == 0 && !s.serves {
		s.recalls = false
	}
}

// published records the set that serves now. A module that served before is replaced if others
// serve its conversions.
func (s *start) published(set *Set) {
	maps.DeleteFunc(s.before, func(_ string, name artifact.Name) bool {
		replaced := !slices.ContainsFunc(name.Edges(), func(e artifact.Edge) bool { return set.servedBy(e) == nil })
		s.serves = s.serves || replaced
		return replaced
	})
}

// waitsFor returns the reason why the registry is not ready; nil if it is. untried reports whether
// the first try of a module counts and is not over; with "", that of any module.
func (s *start) waitsFor(untried func(base string) bool, now time.Time) error {
	if !s.whole {
		return errors.New("the module directory is being written")
	}
	if !s.recalls {
		if untried("") {
			return errors.New("modules are loading")
		}
		return nil
	}
	names := slices.Sorted(maps.Keys(s.before))
	for _, base := range names {
		if untried(base) {
			return fmt.Errorf("modules that served before are loading: %s", some(names))
		}
	}
	switch {
	case !s.serves:
		return fmt.Errorf("no module that served before the restart serves: %s: restore their files, or confirm the removal of each with %s%s", some(names), names[0], Tombstone)
	case len(names) > 0 && now.Sub(s.began) < s.budget:
		return fmt.Errorf("modules that served before do not serve: %s", some(names))
	}
	return nil
}

// some lists the first names.
func some(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}
