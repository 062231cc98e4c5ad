package shadow

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// maxPaths bounds the differing paths kept for a shadow module; conversions that differ in further
// paths are only counted. Nobody reads more paths than these, and clients can invent names of
// fields.
const maxPaths = 20

// moduleID is a module's file and the SHA-256 of its content.
type moduleID struct{ file, digest string }

// results are the results of one shadow module along one step, compared with one serving module.
type results struct {
	shadow  *Shadow
	step    step
	module  moduleID
	against moduleID // empty before the first comparison
	since   time.Time

	counters [4]prometheus.Counter // by outcome

	mu        sync.Mutex // guards the fields below
	counts    [4]int64
	paths     map[string]int64
	elsewhere int64 // conversions that differ in paths beyond those kept
	failures  map[string]int64
	last      string
	lastAt    time.Time
}

// The outcomes of a sampled conversion.
const (
	same = iota
	different
	failed
	dropped
)

func (s *Shadow) newResults(at step, module, against moduleID) *results {
	r := &results{shadow: s, step: at, module: module, against: against, since: time.Now(), paths: map[string]int64{}, failures: map[string]int64{}}
	for i, result := range [...]string{"same", "different", "failed", "dropped"} {
		r.counters[i] = s.total.WithLabelValues(module.file, at.groupKind(), at.from, at.to, result)
	}
	return r
}

func (r *results) agree() { r.count(same) }
func (r *results) drop()  { r.count(dropped) }

func (r *results) count(result int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counted(result)
}

// counted counts an outcome and reports whether it is the first of its kind. r.mu is held.
func (r *results) counted(result int) (first bool) {
	r.counts[result]++
	r.counters[result].Inc()
	return r.counts[result] == 1
}

// disagree records a different result, with the differing paths.
func (r *results) disagree(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	more := false
	for _, path := range paths {
		if _, known := r.paths[path]; known || len(r.paths) < maxPaths {
			r.paths[path]++
		} else {
			more = true
		}
	}
	if more {
		r.elsewhere++
	}
	if r.counted(different) {
		r.shadow.cfg.Logger.Warn("shadow module's result differs from the serving module's", r.about("paths", strings.Join(paths, ", "))...)
	}
}

// fail records that the shadow module failed or violated the contract.
func (r *results) fail(kind, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures[kind]++
	r.last, r.lastAt = message, time.Now()
	if r.counted(failed) {
		r.shadow.cfg.Logger.Warn("shadow module failed where the serving module did not", r.about("reason", kind, "err", message)...)
	}
}

// about returns the fields of a log line about the shadow module.
func (r *results) about(more ...any) []any {
	return append([]any{"module", r.module.file, "sha256", r.module.digest[:min(12, len(r.module.digest))], "kind", r.step.kind, "group", r.step.group, "from", r.step.from, "to", r.step.to}, more...)
}

// Status is the results of one shadow module along one step, as /shadow shows them.
type Status struct {
	Kind   string `json:"kind"` // <Kind>.<group>
	From   string `json:"from"`
	To     string `json:"to"`
	Module string `json:"module"` // the shadow module's file
	Digest string `json:"digest"`
	// Against is the serving module of the comparison, which began at Since; empty before the first
	// conversion.
	Against       string    `json:"against,omitempty"`
	AgainstDigest string    `json:"againstDigest,omitempty"`
	Since         time.Time `json:"since"`

	Same      int64 `json:"same"`
	Different int64 `json:"different"`
	Failed    int64 `json:"failed"`
	Dropped   int64 `json:"dropped"`

	Paths         []PathCount      `json:"paths,omitempty"`     // where results differ, the most frequent first
	Elsewhere     int64            `json:"elsewhere,omitempty"` // conversions that differ in further paths
	Failures      map[string]int64 `json:"failures,omitempty"`
	LastFailure   string           `json:"lastFailure,omitempty"`
	LastFailureAt *time.Time       `json:"lastFailureAt,omitempty"`
}

// PathCount is the number of conversions in which a field differed.
type PathCount struct {
	Path    string `json:"path"`
	Objects int64  `json:"objects"`
}

// Status returns all results, sorted by kind and versions.
func (s *Shadow) Status() []Status {
	list := []Status{}
	for _, r := range *s.all.Load() {
		list = append(list, r.status())
	}
	slices.SortFunc(list, func(a, b Status) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return list
}

func (r *results) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	st := Status{
		Kind: r.step.groupKind(), From: r.step.from, To: r.step.to, Module: r.module.file, Digest: r.module.digest, Since: r.since,
		Same: r.counts[same], Different: r.counts[different], Failed: r.counts[failed], Dropped: r.counts[dropped],
		Against: r.against.file, AgainstDigest: r.against.digest,
		Elsewhere: r.elsewhere, LastFailure: r.last,
	}
	for path, n := range r.paths {
		st.Paths = append(st.Paths, PathCount{path, n})
	}
	slices.SortFunc(st.Paths, func(a, b PathCount) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), strings.Compare(a.Path, b.Path))
	})
	if len(r.failures) > 0 {
		st.Failures = map[string]int64{}
		for kind, n := range r.failures {
			st.Failures[kind] = n
		}
		at := r.lastAt
		st.LastFailureAt = &at
	}
	return st
}
