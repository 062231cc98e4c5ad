package runtime

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Status is the state of one file of the module directory, in the format of /modules.
type Status struct {
	File   string `json:"file"`
	State  string `json:"state"` // one of the State constants
	ABI    string `json:"abi,omitempty"`
	Digest string `json:"digest,omitempty"` // SHA-256 of the serving file
	Size   int    `json:"sizeBytes,omitempty"`
	// Edges are the conversions that the module serves; Superseded are those that it claims and
	// another module serves.
	Edges      []string   `json:"edges,omitempty"`
	Superseded []string   `json:"superseded,omitempty"`
	Since      *time.Time `json:"since,omitempty"` // when it began to serve, or the file was rejected
	// LoadingSince is when the registry found newer content of the file, which is being loaded or
	// waits for it.
	LoadingSince *time.Time `json:"loadingSince,omitempty"`
	// LastError is the reason why the newest content of the file does not serve; FailedDigest is
	// its SHA-256.
	LastError   string     `json:"lastError,omitempty"`
	LastErrorAt *time.Time `json:"lastErrorAt,omitempty"`
	// RolledBackAt is when that content was rolled back, if it has served.
	FailedDigest string              `json:"failedDigest,omitempty"`
	RolledBackAt *time.Time          `json:"rolledBackAt,omitempty"`
	Description  *module.Description `json:"description,omitempty"`
	LoadSeconds  float64             `json:"loadSeconds,omitempty"`
	Calls        int64               `json:"calls"`
	Objects      int64               `json:"objects"`
	Faults       int64               `json:"faults"`
	LastFault    string              `json:"lastFault,omitempty"`
	LastFaultAt  *time.Time          `json:"lastFaultAt,omitempty"`
	BreakerOpen  bool                `json:"breakerOpen,omitempty"` // the circuit breaker is open: the module fails at every call and is not called for a while
	Idle         int                 `json:"idleInstances"`
	Working      int                 `json:"workingInstances"`
	// ProbationUntil is when the previous version, whose digest is PreviousDigest, is closed;
	// PreviousBatches is the number of failed batches that it converted.
	ProbationUntil  *time.Time `json:"probationUntil,omitempty"`
	PreviousDigest  string     `json:"previousDigest,omitempty"`
	PreviousBatches int        `json:"previousBatches,omitempty"`
	// Sidecar is the module's sidecar, if it has one; Cases is the number of its golden cases,
	// which the module has passed, and Pinned reports whether it gives the digest of the module's
	// file.
	Sidecar string `json:"sidecar,omitempty"`
	Cases   int    `json:"cases"`
	Pinned  bool   `json:"pinned"`
	// Listed reports that the directory's SHA256SUMS lists the serving module, and SignedBy is the
	// key that signed the list.
	Listed   bool   `json:"listed"`
	SignedBy string `json:"signedBy,omitempty"`
	// Fields are the fields that the module declares, as paths by version: it sees only these.
	// Without fields it sees whole objects.
	Fields map[string][]string `json:"fields,omitempty"`
}

// The states of a file.
const (
	StateServing    = "serving"
	StateSuperseded = "superseded" // loaded, and other modules serve all its conversions
	StateOrphaned   = "orphaned"   // serving, although the file is deleted
	StateLoading    = "loading"    // never loaded; its first content is being loaded or waits for it
	StateFailed     = "failed"     // never loaded
	StateOverrun    = "overrun"    // it served, and one of its calls ran past its deadline
	StateRefused    = "refused"    // not a module by its name, or not readable
	StateListing    = "listing"    // SHA256SUMS, the list of allowed files
)

// status returns the state of every file, sorted by name. jobs is the content that is loaded or
// waits for it, by the base of its module.
func (st *state) status(jobs map[string]*job, now time.Time) []Status {
	list := []Status{}
	for base, s := range st.entries {
		one := Status{State: StateFailed}
		if s.serving != nil {
			one = st.servingStatus(s, now)
		}
		if f := s.failure; f != nil {
			if one.File == "" {
				one.File = f.file
				if f.overrun {
					one.State = StateOverrun
				}
			}
			one.LastError, one.LastErrorAt, one.FailedDigest = f.err.Error(), &f.at, digestOf(f.digest)
			if !f.rolledBack.IsZero() {
				one.RolledBackAt = &f.rolledBack
			}
		}
		if j := jobs[base]; j != nil {
			if one.File == "" {
				one.File, one.State = j.name.File, StateLoading
			}
			one.LoadingSince = &j.since
		}
		if one.File != "" { // otherwise its sidecar or the list is being written
			list = append(list, one)
		}
	}
	for file, f := range st.rejected {
		at := f.at
		list = append(list, Status{File: foreign.Printable(file, 255), State: StateRefused, LastError: f.reason, LastErrorAt: &at})
	}
	for owner := range st.listed {
		if one := st.listStatus(owner); one.File != "" {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.File, b.File) })
	return list
}

func (st *state) servingStatus(s *entry, now time.Time) Status {
	m := s.serving
	since := s.since
	facts, activity := m.Facts(), m.Activity(now)
	one := Status{
		File: m.Name(), State: StateServing, ABI: m.ABI(), Digest: m.Digest(), Size: facts.Size,
		Since: &since, LoadSeconds: facts.Took.Seconds(),
		Sidecar: facts.Sidecar, Cases: facts.Cases, Pinned: facts.Pinned,
		Calls: activity.Calls, Objects: activity.Objects, Faults: activity.Faults, BreakerOpen: activity.BreakerOpen,
		Idle: activity.Idle, Working: activity.Working, LastFault: activity.LastFault,
	}
	one.Fields = m.Declared()
	if facts.Description != (module.Description{}) {
		one.Description = &facts.Description
	}
	if activity.LastFault != "" {
		one.LastFaultAt = &activity.LastFaultAt
	}
	if listing, by := st.list.For(m.FileName().Owner).Listing(); listing && s.present && s.failure == nil {
		one.Listed, one.SignedBy = true, by
	}
	if p := s.previous; p != nil {
		marks, _, until := p.account()
		one.ProbationUntil, one.PreviousDigest, one.PreviousBatches = &until, p.Digest(), marks
	}
	for _, e := range m.FileName().Edges() {
		label := e.From + "→" + e.To
		if by := st.current.servedBy(e); by == m {
			one.Edges = append(one.Edges, label)
		} else if by != nil {
			one.Superseded = append(one.Superseded, label+" by "+by.Name())
		}
	}
	switch {
	case len(one.Edges) == 0:
		one.State = StateSuperseded
	case !s.present:
		one.State = StateOrphaned
	}
	return one
}

// listStatus is the status of an owner's SHA256SUMS; without a file name if there is no list and none is
// required.
func (st *state) listStatus(owner string) Status {
	list := st.list.For(owner)
	sum, there := list.Sum()
	problem := list.Problem()
	if !there && problem == nil {
		return Status{}
	}
	at := st.listed[owner].at
	one := Status{File: watch.JoinOwner(owner, sums.ListFile), State: StateListing, Since: &at}
	_, one.SignedBy = list.Listing()
	if there {
		one.Digest = hex.EncodeToString(sum[:])
	}
	if problem != nil {
		one.State, one.LastError, one.LastErrorAt, one.Since = StateRefused, problem.Error(), &at, nil
	}
	return one
}
