// Package host is the Kubernetes side of the gateway: it turns one ConversionReview into one
// response. It knows nothing of WebAssembly, HTTP or files. Objects are never decoded: they stay
// slices of the request's body. A module sees an input made from them, and its output is checked
// against the conversion contract (docs/spec/contract.md) before the host, and only the host, writes the
// response.
//
// One review goes through these files: convert.go (the steps), review.go and object.go (read; known.go
// saves reading equal text twice), accept.go (validate), source.go (find routes), chunk.go (cut into
// chunks), worker.go (convert a chunk hop by hop), lookup.go (ask the cache), contract.go and
// declared.go (check an output), answer.go and splice.go (write the response).
//
// The API of this package is not promised before v1.0.0: a minor version may change it.
package host

import (
	"context"
	"errors"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// ConverterConfig configures a Converter.
type ConverterConfig struct {
	Modules Modules // the modules that serve now; required
	Limits  Limits

	// Cache keeps outputs of modules. Without one, every object is converted anew.
	Cache *Cache

	// Schemas are the schemas that converted objects are validated against; nil disables
	// validation. The Outcome reports violations. With EnforceSchemas, a violation fails the
	// review.
	Schemas        Schemas
	EnforceSchemas bool

	// Mirror receives a copy of conversions, for shadow modules; nil disables it.
	Mirror Mirror
}

// Converter answers ConversionReviews. It is safe for concurrent use and needs no closing.
type Converter struct {
	modules Modules
	limits  Limits
	schemas Schemas
	enforce bool
	mirror  Mirror
	cache   *Cache
	spare   sync.Pool // of *conversion
	answers answerBuffers
	held    heldOutputs
}

// NewConverter returns a Converter.
//
// # Errors
//
// The configuration has no Modules.
func NewConverter(cfg ConverterConfig) (*Converter, error) {
	if cfg.Modules == nil {
		return nil, errors.New("converter config: Modules is missing")
	}
	c := &Converter{modules: cfg.Modules, limits: cfg.Limits.withDefaults(), schemas: cfg.Schemas, enforce: cfg.EnforceSchemas, mirror: cfg.Mirror, cache: cfg.Cache}
	c.held.limit, c.held.free = int64(c.limits.ReplyBytes), freeObjects*int64(c.limits.ObjectBytes)
	return c, nil
}

// Review answers one ConversionReview. The answer is a complete ConversionReview with the request's
// version and uid. It is Success with every object, or Failed with none. It shares no memory with
// body, and the Converter keeps nothing of body. The answer belongs to the caller, who may pass it
// to Recycle.
//
// # Errors
//
// An error means that the body is not a ConversionReview that can be answered, not even with a
// failure; answer is nil. The error is for the sender: API servers do not show it to their users.
// Every other failure is in the answer and in the outcome. Review does not recover from a panic of
// a Module.
func (c *Converter) Review(ctx context.Context, body []byte) (answer []byte, outcome Outcome, err error) {
	v, _ := c.spare.Get().(*conversion)
	if v == nil {
		v = newConversion(c)
	}
	answer, outcome, err = v.answer(ctx, body)
	v.recycle() // not deferred: after a panic the conversion is not reused
	c.spare.Put(v)
	return answer, outcome, err
}

// Recycle reuses the memory of an answer that Review returned. The caller must not use the answer
// any more. Answers that are not recycled are collected as garbage.
func (c *Converter) Recycle(answer []byte) { c.answers.put(answer) }

// conversion is the state of one review. It is reused for later reviews.
type conversion struct {
	converter *Converter
	scan      rawjson.Scanner
	review    review
	index     projectionIndex
	outcome   Outcome

	group, version []byte         // of desiredAPIVersion
	definition     *schema.CRD    // of the kind; nil: objects are not validated
	budget         *schema.Budget // for validating the objects
	objects        []converted    // one for each object of the review
	sources        []source

	chunks  []chunk
	worker  *worker
	outputs int   // bytes of all outputs that are still needed
	held    int64 // bytes of all outputs of the review, for Converter.held
}

func newConversion(c *Converter) *conversion {
	v := &conversion{converter: c}
	v.worker = &worker{review: v, checker: checker{limits: c.limits}}
	return v
}

// converted is the result for one object.
type converted struct {
	treatment treatment
	source    int // index into conversion.sources, for an object that modules convert
	content   content
}

// answer reads the review, converts its objects and writes the answer.
func (v *conversion) answer(ctx context.Context, body []byte) (answer []byte, outcome Outcome, err error) {
	routes, release := v.converter.modules.Pin()
	defer release()
	defer v.letGo()
	if answer, outcome, ok := v.recall(ctx, routes, body); ok {
		return answer, outcome, nil
	}
	v.index.routes = routes
	if err := v.review.read(&v.scan, body, v.converter.limits, &v.index); err != nil {
		return nil, Outcome{Failure: FailureInvalid, Message: err.Error()}, err
	}
	v.outcome = Outcome{UID: v.review.uid, ReviewVersion: v.review.version, Objects: v.review.count}
	fail := v.accept(routes)
	if fail == nil {
		fail = v.convert(ctx)
	}
	if fail == nil {
		if answer, fail = v.success(); fail == nil {
			v.remember(routes, answer)
		}
	}
	if fail != nil {
		if fail.kind == FailureNoRoute {
			v.converter.modules.Missed(string(v.group), string(v.review.objects[0].kind.value))
		}
		answer = v.review.failed(fail.message)
		v.outcome.Failure, v.outcome.Module, v.outcome.Message = fail.kind, fail.module, fail.message
	}
	return answer, v.outcome, nil
}

// recycle prepares the conversion for the next review and drops all references to this one.
func (v *conversion) recycle() {
	v.scan.Reset(nil, 0)
	v.review = review{objects: empty(v.review.objects), known: knownContainers{list: empty(v.review.known.list)}}
	v.objects, v.sources, v.chunks = empty(v.objects), empty(v.sources), empty(v.chunks)
	v.group, v.version, v.outcome, v.definition, v.budget = nil, nil, Outcome{}, nil, nil
	v.outputs = 0
	v.index.recycle()
	v.worker.recycle()
}
