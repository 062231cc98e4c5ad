package runtime

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/turns"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// headStart is the loading time by which a more urgent class of jobs is ahead: four first tries of
// small files.
const headStart = 20 * time.Second

// interruptions is how many interruptions of slow content make up for one try that overran. Content
// that was interrupted more often goes before new kinds, which otherwise could interrupt it for ever.
const interruptions = 4

// urgency orders jobs.
type urgency struct {
	first   []artifact.Edge // Config.First
	serving map[string]bool // kinds with a module that serves, or served before the restart
	turns   turns.Nested    // of the owners and their kinds
}

// precedes reports whether a job goes before another: its owner has used less loading time, or the
// two owners, which may be one, have used the same and it is more urgent. Handicaps count within an
// owner only: otherwise an owner could get ahead of others by the state of its files.
func (u *urgency) precedes(a, b *job) bool {
	used := 0
	if a.name.Owner != b.name.Owner {
		used = cmp.Compare(u.turns.Owner(a.name.Owner), u.turns.Owner(b.name.Owner))
	}
	return cmp.Or(used, u.compare(a, b)) < 0
}

// compare orders the jobs of an owner by urgency.
func (u *urgency) compare(a, b *job) int {
	return cmp.Or(
		cmp.Compare(u.score(a), u.score(b)),
		compareBools(a.served, b.served),
		cmp.Compare(a.file.Size, b.file.Size), // small files first: many of them load in the time of a large one
		strings.Compare(a.name.File, b.name.File),
	)
}

// score is the loading time that a job's kind has used, with the job's handicap.
func (u *urgency) score(j *job) time.Duration {
	handicap := 3
	switch {
	case u.isFirst(j):
		handicap = 0
	case u.serving[j.kind()]:
		handicap = 1
	case j.wanted:
		handicap = 2
	}
	late := j.overran
	if j.again {
		late += 4
	}
	handicap += max(late-j.interrupted/interruptions, -1)
	return u.turns.Used(j.name.Owner, j.kind()) + time.Duration(handicap)*headStart
}

// isFirst reports whether a job is for a kind in Config.First. It includes modules for other
// versions: they may be part of a chain, and the kind serves when all its modules are loaded.
// Otherwise a conversion would go through a chain until the direct module is loaded, with perhaps
// another answer.
func (u *urgency) isFirst(j *job) bool {
	return slices.ContainsFunc(u.first, func(e artifact.Edge) bool { return e.Group == j.name.Group && e.Kind == j.name.Kind })
}
