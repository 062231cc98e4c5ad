package runtime

import (
	"maps"
	"slices"
	"strings"
)

// problems has the reasons why the last scan could not read directories, by owner.
type problems map[string]string

// record records whether the directory of an owner can be read, and logs a new problem once.
func (p problems) record(owner string, err error, j *journal) {
	if err == nil {
		delete(p, owner)
		j.metrics.read.WithLabelValues(owner).SetToCurrentTime()
		return
	}
	j.metrics.read.WithLabelValues(owner).Add(0) // 0 if it was never read, so that an alert sees it
	if p[owner] != err.Error() {
		j.of(owner).Error("cannot read the module directory; loaded modules keep serving", "err", err)
	}
	p[owner] = err.Error()
}

// String returns all of them; empty if every directory could be read.
func (p problems) String() string {
	var all []string
	for _, owner := range slices.Sorted(maps.Keys(p)) {
		why := p[owner]
		if owner != "" {
			why = "owner " + owner + ": " + why
		}
		all = append(all, why)
	}
	return strings.Join(all, "; ")
}
