package prove

import (
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// checkFits states that objects are refused whose kept values the annotation cannot hold, if the
// schemas do not bound them. It returns the most bytes that the kept values of a version need.
func (p *stash) checkFits(f *rules.File, d *apiserver.Definition) (most int) {
	for side, all := range p.keeps {
		if len(all) == 0 {
			continue
		}
		first, size, bounded := all[0], keptHead, true
		if len(d.Versions) != len(f.Versions) {
			p.limit(refused, first.line, first.at, "modules for the other versions of the definition may keep values in the same annotation, and an object that needs more than %d bytes of it is refused", mostKept)
		}
		for _, k := range all {
			if k.size >= mostKept || slices.ContainsFunc(k.at, isEvery) && k.size > 0 {
				p.limit(refused, k.line, k.at, "an object of %s whose kept values need more than %d bytes in the annotation is refused", p.versions[side], mostKept)
				bounded = false
			}
			size += k.size + pointerBytes(k.at) + p.pointers + 64
		}
		if !bounded { // each such field is named
			continue
		}
		most = max(most, size-keptHead)
		if size > mostKept {
			p.limit(refused, first.line, first.at, "an object of %s whose kept values need more than %d bytes in the annotation is refused", p.versions[side], mostKept)
		}
	}
	return most
}

// checkAllFit does the same for the values that the versions of a longer chain keep together. Each of
// the others may have kept values, of all pairs of versions. most is the sum of what they need.
func checkAllFit(all *Lemmas, f *rules.File, most int) {
	others := len(f.Versions) - 1
	if others < 2 || keptHead+others*most <= mostKept || slices.ContainsFunc(all.Limits, func(l Limit) bool { return l.Limit == refused && l.accepts.Line == 0 }) {
		return
	}
	all.Limits = append(all.Limits, Limit{Limit: refused, Path: ".", Text: fmt.Sprintf("an object whose kept values of all versions need more than %d bytes in the annotation is refused", mostKept)})
}
