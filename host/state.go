package host

import (
	"sync"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Converter answers ConversionReviews. It is safe for concurrent use and needs no closing.
type Converter struct {
	modules  Modules
	limits   Limits
	schemas  Schemas
	enforce  bool
	applied  bool
	cache    *Cache
	spare    sync.Pool // of *worker
	scanners sync.Pool // of *rawjson.Scanner, for Account
	answers  answerBuffers
	held     heldOutputs
}

// conversion is the state of one review. It is reused for later reviews.
type conversion struct {
	converter *Converter
	scan      rawjson.Scanner
	review    review
	index     projectionIndex
	outcome   Outcome

	group, version []byte         // of desiredAPIVersion
	definition     *schema.CRD    // of the kind; nil: objects are not validated
	waitsFor       string         // the file that the definition will be read from, if it was not read yet
	budget         *schema.Budget // for validating the objects
	objects        []converted    // one for each object of the review
	sources        []source

	chunks  []chunk
	outputs int   // bytes of all outputs that are still needed
	held    int64 // bytes of all outputs of the review, for Converter.held
}

// converted is the result for one object.
type converted struct {
	treatment treatment
	source    int // index into conversion.sources, for an object that modules convert
	content   content
}

// treatment says how an object reaches the desired version.
type treatment uint8

const (
	byModules treatment = iota
	asIs                // the object is in the desired version already
	renamed             // the object has only an apiVersion and a kind, so it needs no module
)

// source is one of the versions that the objects of a review come in.
type source struct {
	apiVersion []byte
	path       *chain
	chunk      int // the chunk that is being filled; -1: none
}

// chunk is a part of the objects that modules convert, all in one version, and the result of its
// conversion.
type chunk struct {
	source   int
	from, to int // the objects with index from to to-1 in the review that come in the version of the source
	bytes    int

	fail            *failure
	restored        int
	last            *hop // the last hop of the path, or its fallback
	validated       bool // the objects were validated against their schema
	invalid, pruned int
	violation       string // the first, in words
	unchecked       int    // objects whose check exceeded its budget
	uncheckedCause  string // the first, in words
}

// hold adds bytes to those that the review holds until it ends. It reports false if all reviews
// together then hold more than the limit, unless this review holds little or not much more than its
// body has, or is the only one that holds any: then Limits.ReplyBytes bounds it.
func (v *conversion) hold(bytes int) bool {
	h := &v.converter.held
	v.held += int64(bytes)
	all := h.bytes.Add(int64(bytes))
	return all <= h.limit || v.held <= h.free+bodyTimes*int64(len(v.review.body)) || v.held == all
}

// letGo ends all holds of the review.
func (v *conversion) letGo() {
	v.converter.held.bytes.Add(-v.held)
	v.held = 0
}

// recycle prepares the conversion for the next review and drops all references to this one.
func (v *conversion) recycle() {
	v.scan.Reset(nil, 0)
	v.review = review{objects: empty(v.review.objects), known: knownContainers{list: empty(v.review.known.list)}}
	v.objects, v.sources, v.chunks = empty(v.objects), empty(v.sources), empty(v.chunks)
	v.group, v.version, v.outcome, v.definition, v.waitsFor, v.budget = nil, nil, Outcome{}, nil, "", nil
	v.outputs = 0
	v.index.recycle()
}

// Set is a set of modules that stay usable while it has users. The runtime's Set is one.
type Set interface {
	// Acquire adds a user. It returns false if the set is retired: then there is a newer one.
	Acquire() bool
	// Release removes a user, once for each Acquire that returned true.
	Release()
}

// Sets are Modules whose set is replaced while reviews convert. The zero value has no set. It is
// safe for concurrent use.
type Sets struct{ current atomic.Pointer[routedSet] }

// routedSet is a set and the routes over its modules. It is never changed.
type routedSet struct {
	set    Set
	routes *Routes
}

// Replace makes a set the current one. Reviews that hold the previous set end with it, so retire
// that one only afterwards.
func (s *Sets) Replace(set Set, routes *Routes) { s.current.Store(&routedSet{set, routes}) }

// Routes returns the current routes for inspection; nil before the first set. Their modules may be
// closed: do not convert with them.
func (s *Sets) Routes() *Routes {
	if now := s.current.Load(); now != nil {
		return now.routes
	}
	return nil
}

// Pin keeps the current set in use until release is called.
func (s *Sets) Pin() (routes *Routes, release func()) {
	now := s.current.Load()
	for now != nil {
		if now.set.Acquire() {
			return now.routes, now.set.Release
		}
		// The set was retired after it was loaded here: either there is a newer one, or nothing
		// serves any more.
		next := s.current.Load()
		if next == now {
			break
		}
		now = next
	}
	return nil, func() {}
}

// Missed does nothing.
func (*Sets) Missed(_, _ string) {}

// Loading returns the zero value: no review waits for a module.
func (*Sets) Loading(_, _ string) Loading { return Loading{} }
