// Package host is the Kubernetes side of the gateway: a ConversionReview in, a ConversionReview out. It knows no WebAssembly. Objects are
// never decoded: they stay slices of the request's body, a module sees a view of them, and what it answers is data that is checked
// against the conversion contract (docs/contract.md) before the host, and only the host, writes the answer.
package host

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// ConverterConfig says what a Converter works with.
type ConverterConfig struct {
	Modules Modules // which modules serve; required
	Limits  Limits

	// Cache keeps answers of modules; nil means that every object is converted anew.
	Cache *Cache

	// Schemas are the schemas that converted objects are held against; nil means none. What breaks them is told in the Outcome, and, with
	// EnforceSchemas, fails the review.
	Schemas        Schemas
	EnforceSchemas bool

	// MinimalMetadata leaves out of the answers' metadata what API servers put back themselves: all but name, namespace, uid, labels and
	// annotations. They have less to decode then.
	MinimalMetadata bool

	// Tap hears of what modules convert; nil means that nobody does.
	Tap Tap
}

// Converter answers ConversionReviews. It is safe for concurrent use; there is nothing to close.
type Converter struct {
	modules Modules
	limits  Limits
	schemas Schemas
	enforce bool
	tap     Tap
	cache   *Cache
	reader  audience
	spare   sync.Pool // of *work
	answers answerBuffers
	crowd   *gate // see crowd.go
}

// NewConverter returns a Converter.
func NewConverter(cfg ConverterConfig) *Converter {
	c := &Converter{modules: cfg.Modules, limits: cfg.Limits.withDefaults(), schemas: cfg.Schemas, enforce: cfg.EnforceSchemas, tap: cfg.Tap, cache: cfg.Cache}
	if cfg.MinimalMetadata {
		c.reader = inBrief
	}
	c.crowd = newCrowd(c.limits.ObjectBytes)
	return c
}

// Review answers one ConversionReview. The answer is a complete ConversionReview of the request's version and uid, Success with every
// object or Failed with none, never in between. It shares no memory with body, of which nothing is kept. It is the caller's, who may
// give it to Recycle.
//
// # Errors
//
// A *RequestError means that the body is no ConversionReview that could be answered, not even with a failure; answer is nil then.
// Everything else that goes wrong is told in the answer, and in the outcome. A panic of a Module is not caught.
func (c *Converter) Review(ctx context.Context, body []byte) (answer []byte, outcome Outcome, err *RequestError) {
	w, _ := c.spare.Get().(*work)
	if w == nil {
		w = &work{limits: c.limits, enforce: c.enforce, tap: c.tap, cache: c.cache, reader: c.reader, answers: &c.answers, crowd: c.crowd}
	}
	answer, outcome, err = w.run(ctx, c.modules, c.schemas, body)
	w.release() // not deferred: what a panic left behind is not used again
	c.spare.Put(w)
	return answer, outcome, err
}

// work is the state of one review on its way through. It is used again for others.
type work struct {
	limits  Limits
	enforce bool     // fail what breaks a schema
	reader  audience // of the answer
	answers *answerBuffers
	crowd   *gate
	modules Modules
	scan    rawjson.Scanner
	review  review
	outcome Outcome

	group, version []byte      // of desiredAPIVersion
	objects        []converted // one for each object of the review
	sources        []source
	notes          notes

	shares   []share
	lanes    []*lane      // at least one; those of large reviews
	spans    []written    // of the answer
	answered atomic.Int64 // bytes of what modules made of objects so far, without what is not needed any more

	cache      *Cache
	tap        Tap
	definition *schema.CRD // of the kind; nil: none that objects are checked against
}

// converted is what became of an object.
type converted struct {
	how     treatment
	source  int // index into work.sources, for one that modules convert
	content content
}

type treatment uint8

const (
	byModules treatment = iota
	asItIs              // it is in the desired version
	byName              // it has nothing but an apiVersion and a kind, and needs no module
)

// source is one of the versions that the objects of a review come in.
type source struct {
	apiVersion []byte
	path       *path
	share      int // the one that is being filled; -1: none
}

// run answers the review in body.
func (w *work) run(ctx context.Context, modules Modules, schemas Schemas, body []byte) (answer []byte, outcome Outcome, err *RequestError) {
	routes, release := modules.Pin()
	defer release()
	w.modules = modules
	w.notes.routes = routes
	if err := w.review.read(&w.scan, body, w.limits, &w.notes); err != nil {
		return nil, Outcome{Failure: FailureInvalid, Message: err.Message}, err
	}
	w.outcome = Outcome{UID: w.review.uid, ReviewVersion: w.review.version, Objects: w.review.count}
	fail := w.convert(ctx, routes, schemas)
	if fail == nil {
		answer, fail = w.success()
	}
	if fail != nil {
		if m, ok := modules.(missed); ok && fail.kind == FailureNoRoute {
			m.Missed(string(w.group), string(w.review.objects[0].kind.text))
		}
		answer = w.review.failed(fail.message)
		w.outcome.Failure, w.outcome.Module, w.outcome.Message = fail.kind, fail.module, fail.message
	}
	return answer, w.outcome, nil
}

// convert converts all objects, or says why that is not possible.
func (w *work) convert(ctx context.Context, routes *Routes, schemas Schemas) *failure {
	if fail := w.request(); fail != nil {
		return fail
	}
	if fail := w.identify(routes); fail != nil {
		return fail
	}
	if len(w.sources) == 0 {
		return nil
	}
	if schemas != nil {
		w.definition = schemas.Find(string(w.group), string(w.review.objects[0].kind.text))
	}
	return w.walk(ctx)
}

// request checks the request but for its objects, and finds the parts of its desired version.
func (w *work) request() *failure {
	r := &w.review
	switch {
	case r.unread != "":
		return invalid("%s", r.unread)
	case len(r.desired.text) == 0:
		return invalid("%s", r.desired.describe("request.desiredAPIVersion"))
	case r.list == rawjson.Invalid:
		return invalid("request.objects is missing")
	case r.list != rawjson.Array:
		return invalid("request.objects is %v, not an array", r.list)
	case r.count > w.limits.Objects:
		return invalid("the request has %d objects; this gateway takes %d in one request (--max-objects)", r.count, w.limits.Objects)
	}
	var ok bool
	if w.group, w.version, ok = splitAPIVersion(r.desired.text); !ok {
		return invalid("request.desiredAPIVersion %s is not <group>/<version>", quoted(r.desired.text))
	}
	return nil
}

func invalid(format string, args ...any) *failure {
	return &failure{kind: FailureInvalid, message: fmt.Sprintf(format, args...)}
}

// splitAPIVersion splits "group/version". The kinds that conversion webhooks are for always have a group.
func splitAPIVersion(s []byte) (group, version []byte, ok bool) {
	group, version, ok = bytes.Cut(s, []byte("/"))
	return group, version, ok && len(group) > 0 && len(version) > 0 && !bytes.Contains(version, []byte("/"))
}

// identify says for every object how it is to be treated, and finds the path of every version that the objects come in.
func (w *work) identify(routes *Routes) *failure {
	r := &w.review
	w.objects = slices.Grow(w.objects[:0], len(r.objects))[:len(r.objects)]
	var kind *kindRoutes
	for i := range r.objects {
		o := &r.objects[i]
		if broken := w.unfit(o, &r.objects[0]); broken != "" {
			return invalid("%s: %s", o.title(r.body, i), broken)
		}
		if i == 0 {
			kind = routes.find(string(w.group), string(o.kind.text))
			w.named(kind)
		}
		c := &w.objects[i]
		*c = converted{}
		switch {
		case bytes.Equal(o.apiVersion.text, r.desired.text):
			c.how = asItIs
		case o.bare():
			c.how = byName
		default:
			var fail *failure
			if c.source, fail = w.source(routes, kind, o); fail != nil {
				return fail
			}
		}
	}
	return nil
}

// unfit says what is wrong with an object of the request; "" if nothing is.
func (w *work) unfit(o, first *object) string {
	if o.is != rawjson.Object {
		return fmt.Sprintf("it is %v, not an object", o.is)
	}
	if len(o.apiVersion.text) == 0 {
		return o.apiVersion.describe("apiVersion")
	}
	if len(o.kind.text) == 0 {
		return o.kind.describe("kind")
	}
	group, _, ok := splitAPIVersion(o.apiVersion.text)
	if !ok {
		return fmt.Sprintf("apiVersion %s is not <group>/<version>", quoted(o.apiVersion.text))
	}
	if !bytes.Equal(group, w.group) {
		return fmt.Sprintf("apiVersion %s is of another group than request.desiredAPIVersion %s", quoted(o.apiVersion.text), quoted(w.review.desired.text))
	}
	if !bytes.Equal(o.kind.text, first.kind.text) {
		return fmt.Sprintf("kind is %s, but that of object 0 is %s; the objects of one request are of one kind", quoted(o.kind.text), quoted(first.kind.text))
	}
	if n := o.span.End - o.span.Start; n > w.limits.ObjectBytes {
		return fmt.Sprintf("it has %d bytes; this gateway converts objects of up to %d (--max-object-bytes)", n, w.limits.ObjectBytes)
	}
	if o.meta.is != rawjson.Object && o.meta.is != rawjson.Invalid {
		return fmt.Sprintf("metadata is %v, not an object", o.meta.is)
	}
	for _, p := range o.meta.parts[:o.meta.n] {
		name := [partKinds]string{"labels", "annotations"}[p.which]
		if name != "" && p.is != rawjson.Object && p.is != rawjson.Null {
			return fmt.Sprintf("metadata.%s is %v, not an object", name, p.is)
		}
	}
	return ""
}

// named puts into the outcome what modules know of the conversion asked for.
func (w *work) named(kind *kindRoutes) {
	if kind == nil {
		return
	}
	w.outcome.Group, w.outcome.Kind = kind.key.group, kind.key.kind
	w.outcome.To = kind.version(string(w.version))
}

// mixed is Outcome.From for objects of several versions.
const mixed = "mixed"

// source returns the index in sources of the version that the object is in. There are no more of them than versions that modules
// convert from, for the first one without a path ends the review.
func (w *work) source(routes *Routes, kind *kindRoutes, o *object) (int, *failure) {
	for i := range w.sources {
		if bytes.Equal(w.sources[i].apiVersion, o.apiVersion.text) {
			return i, nil
		}
	}
	_, version, _ := splitAPIVersion(o.apiVersion.text)
	from, to := string(version), string(w.version)
	known := kind.version(from)
	if len(w.sources) > 0 {
		known = mixed
	}
	w.outcome.From = known
	p := kind.path(from, to)
	if p == nil {
		group, kind := string(w.group), string(o.kind.text)
		if l, ok := w.modules.(loader); ok {
			w.outcome.Loading = l.Loading(group, kind)
		}
		return 0, &failure{kind: FailureNoRoute, message: routes.Missing(group, kind, from, to, w.outcome.Loading)}
	}
	w.sources = append(w.sources, source{apiVersion: o.apiVersion.text, path: p})
	return len(w.sources) - 1, nil
}

// release makes the work ready for the next review and lets go of everything that belongs to this one.
func (w *work) release() {
	w.scan.Reset(nil, 0)
	w.review = review{objects: empty(w.review.objects), readers: w.review.readers}
	for _, r := range w.review.readers {
		r.release()
	}
	w.objects, w.sources, w.shares = empty(w.objects), empty(w.sources), empty(w.shares)
	w.group, w.version, w.outcome = nil, nil, Outcome{}
	w.answered.Store(0)
	w.spans = empty(w.spans)
	w.definition = nil
	w.notes.release()
	for _, l := range w.lanes {
		l.release()
	}
}

// empty returns the slice without elements and without what they referred to; nil if it is too large to be kept.
func empty[T any](s []T) []T {
	const keep = 4096 // objects: about 2 MB of all the slices of a work
	if cap(s) > keep {
		return nil
	}
	clear(s)
	return s[:0]
}
