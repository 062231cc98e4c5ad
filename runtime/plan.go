package runtime

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// plan is the decision about a scan. It is made by a function of the scan and of the known modules,
// and carried out by apply.
type plan struct {
	rejected map[string]string // why a file is not used, by file
	steps    []step            // in the order of the modules' names
	dropped  []string          // bases whose content that waits to be loaded is obsolete
	present  map[string]bool   // bases that have a module file, readable or not
	removed  map[string]bool   // bases that are taken out of service
}

// step is the decision about the content of one module's file.
type step struct {
	do  action
	job *job
	why error // of deny
}

// action is the decision about content.
type action string

const (
	leave  action = "leave"  // it serves, is being loaded, or is not retried yet
	begin  action = "load"   // it is new, or is retried
	revive action = "revive" // it serves, and newer content that failed is gone
	deny   action = "deny"   // the checksums do not allow it, or it could not be read
	refuse action = "refuse" // it was rolled back, or taken out of service for an overrun
)

// known are the modules before a scan: those that serve or failed, and those being loaded. A plan
// only reads them.
type known struct {
	entries  map[string]*entry
	jobs     map[string]*job
	reserved reservations
}

// planScan compares a scan with the known modules, and decides about each file.
func planScan(s Scan, k known, now time.Time) plan {
	found := sortFiles(s.Snapshot)
	found.applyChecksums(s.Checksums)
	p := plan{rejected: found.rejected, present: found.present, removed: map[string]bool{}}
	for base := range found.removals {
		p.removed[base] = true
	}
	chosen, crowded := k.admit(choose(found), found)
	p.planSkipped(found, k, s.UnsettledFor)
	for _, j := range chosen {
		if s.Checksums.For(j.name.Owner).Waits() || j.unread != "" && s.UnsettledFor(j.name.File) {
			continue // the list or the sidecar may be being written: the next snapshot is near
		}
		p.steps = append(p.steps, k.decide(j, s, now))
	}
	p.dropped = append(crowded, k.obsolete(p)...)
	return p
}

// obsolete returns the bases of the jobs whose content a plan replaces or forbids.
func (k known) obsolete(p plan) (bases []string) {
	for base := range k.jobs {
		if p.removed[base] || !p.present[base] {
			bases = append(bases, base)
		}
	}
	for _, s := range p.steps {
		if job := k.jobs[s.job.name.Base]; job != nil && (s.do == deny || !job.same(s.job)) {
			bases = append(bases, s.job.name.Base)
		}
	}
	return bases
}

// planSkipped decides about files that could not be read. If no packing of a module can be read,
// the module fails like one that does not load, so that a user whose conversion is missing learns
// the reason. While a file is being written, a known failure stands: the next snapshot is near.
func (p *plan) planSkipped(c *contents, k known, unsettledFor func(file string) bool) {
	failed := map[string]bool{}
	for _, f := range c.skipped {
		name, err := artifact.ParseOwned(f.Name)
		unsettled := unsettledFor(f.Name)
		_, removed := c.removals[name.Base]
		switch {
		case err == nil && !unsettled && !removed && c.modules[name.Base] == nil && !failed[name.Base]:
			failed[name.Base] = true
			p.steps = append(p.steps, step{deny, &job{name: name, file: watch.File{Name: f.Name}}, errors.New("it " + f.Reason)})
		case unsettled && k.hasFailed(f.Name):
		default:
			p.rejected[f.Name] = f.Reason
		}
	}
}

// decide decides about the content of a module's file.
func (k known) decide(j *job, s Scan, now time.Time) step {
	entry, file, contentSum := k.entries[j.name.Base], j.name.File, j.contentSum()
	serves := entry != nil && entry.serving != nil
	if j.denied != nil {
		return step{deny, j, j.denied}
	}
	if serves && entry.serving.ContentSum() != contentSum {
		if why := s.Checksums.For(j.name.Owner).Whole(); why != nil {
			return step{deny, j, why}
		}
	}
	if pending := k.jobs[j.name.Base]; pending != nil && entry != nil && pending.contentSum() == contentSum && pending.name.File == file {
		return step{do: leave, job: j} // it is postponed, and will be loaded
	}
	switch {
	case entry == nil:
		return step{do: begin, job: j}
	case serves && entry.serving.ContentSum() == contentSum && entry.serving.Name() == file:
		return step{do: revive, job: j}
	}
	if _, found := entry.banned[contentSum]; found {
		return step{do: refuse, job: j}
	}
	if entry.failure == nil || entry.failure.contentSum != contentSum || entry.failure.file != file {
		return step{do: begin, job: j}
	}
	if now.Before(entry.failure.retryAt) {
		return step{do: leave, job: j}
	}
	j.again = !entry.failure.retryAt.IsZero() // otherwise it was denied, and now is not
	return step{do: begin, job: j}
}

// hasFailed reports whether the reason why a file does not serve is known.
func (k known) hasFailed(file string) bool {
	name, err := artifact.ParseOwned(file)
	if err != nil {
		return false
	}
	s := k.entries[name.Base]
	return s != nil && s.failure != nil && s.failure.file == file
}

// choose picks one packing of each module that is not removed, the first by name, and rejects the
// others.
func choose(c *contents) (chosen []*job) {
	for _, base := range slices.Sorted(maps.Keys(c.modules)) {
		packings := c.modules[base]
		if _, removed := c.removals[base]; removed {
			for _, j := range packings {
				c.rejected[j.name.File] = "taken out of service by " + base + Tombstone
			}
			continue
		}
		best := packings[0] // by name, as in the snapshot
		for _, j := range packings {
			if j != best {
				c.rejected[j.name.File] = "the directory has the same module as " + best.name.File + "; delete one of them"
			}
		}
		chosen = append(chosen, best)
	}
	return chosen
}

// admit rejects the files of kinds that are not reserved for their owner, and those that would give their kind
// more versions than maxVersions. It returns the files that are left, and the bases of the others.
func (k known) admit(chosen []*job, c *contents) (left []*job, rejected []string) {
	for _, j := range chosen {
		err := k.reserved.check(j.name)
		if err == nil && j.denied == nil {
			err = checkVersions(k.entries, j.name)
		}
		if err != nil {
			c.rejected[j.name.File] = err.Error()
			rejected = append(rejected, j.name.Base)
			continue
		}
		left = append(left, j)
	}
	return left, rejected
}
