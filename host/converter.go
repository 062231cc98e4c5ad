// Package host is the Kubernetes side of the gateway: it turns one ConversionReview into one
// response. It knows nothing of WebAssembly, HTTP or files. Objects stay slices of the request's body;
// hiddenleaves.go alone decodes some, for field managers. A module sees an input made from them, and its output is checked
// against the conversion contract (docs/spec/contract.md) before the host, and only the host, writes the
// response.
//
// lookup.go looks up a review that came before in the cache of answers. Any other review goes through the stages in
// converter.go, and state.go has what a stage leaves to the next:
//
//	read     review.go and object.go, which read equal text once
//	route    route.go validates the objects, and finds the path of each in routes.go
//	convert  worker.go cuts the objects into chunks, and converts each hop by hop;
//	         stash.go changes the form of annotations, lookup.go asks the cache, contract.go
//	         and declared.go check an output, and applied.go and hiddenleaves.go
//	         serve field managers
//	write    answer.go and content.go
//
// Sets joins a Converter and a runtime.Registry: cmd/gateway/embed_test.go embeds both in another
// server.
//
// The API of this package is not promised before v1.0.0: a minor version may change it.
package host

import (
	"context"
	"errors"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
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

	// Applied answers the field managers of API servers so that server-side apply can withdraw a part
	// of a value that the other version has as one field. Other callers see answers with annotations
	// that no module wrote (docs/spec/leaves.md).
	Applied bool
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
	c := &Converter{modules: cfg.Modules, limits: cfg.Limits.withDefaults(), schemas: cfg.Schemas, enforce: cfg.EnforceSchemas, applied: cfg.Applied, cache: cfg.Cache}
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
	w, _ := c.spare.Get().(*worker)
	if w == nil {
		w = newWorker(c)
	}
	answer, outcome, err = w.answer(ctx, body)
	w.recycle() // not deferred: after a panic the worker is not reused
	c.spare.Put(w)
	return answer, outcome, err
}

// Recycle reuses the memory of an answer that Review returned. The caller must not use the answer
// any more. Answers that are not recycled are collected as garbage.
func (c *Converter) Recycle(answer []byte) { c.answers.put(answer) }

// answer answers a review: from the cache of whole reviews if that knows the answer, else in stages.
func (w *worker) answer(ctx context.Context, body []byte) (answer []byte, outcome Outcome, err error) {
	v := w.state
	routes, release := v.converter.modules.Pin()
	defer release()
	defer v.letGo()
	if answer, outcome, ok := v.recall(ctx, routes, body); ok {
		return answer, outcome, nil
	}
	if err := v.read(routes, body); err != nil {
		return nil, Outcome{Failure: FailureInvalid, Message: err.Error()}, err
	}
	answer, fail := w.stages(ctx, routes)
	if fail != nil {
		return v.fail(fail), v.outcome, nil
	}
	v.remember(routes, answer, len(w.lookup.hits))
	return answer, v.outcome, nil
}

// stages converts a review that was read, and writes the answer: it finds the path of each object,
// converts the objects hop by hop, each output checked before the next hop, and writes the response.
func (w *worker) stages(ctx context.Context, routes *Routes) ([]byte, *failure) {
	if fail := w.state.route(routes); fail != nil {
		return nil, fail
	}
	if fail := w.convert(ctx); fail != nil {
		return nil, fail
	}
	return w.state.write()
}

// read reads the request. After an error no answer is possible.
func (v *conversion) read(routes *Routes, body []byte) error {
	v.index.routes = routes
	if err := v.review.read(&v.scan, body, v.converter.limits, &v.index); err != nil {
		return err
	}
	v.outcome = Outcome{UID: v.review.uid, ReviewVersion: v.review.version, Objects: v.review.count}
	return nil
}

// fail writes the answer for a failed review, and notes the failure in the outcome.
func (v *conversion) fail(f *failure) (answer []byte) {
	if f.reason == FailureNoRoute {
		v.converter.modules.Missed(string(v.group), string(v.review.objects[0].kind.value))
	}
	v.outcome.Failure, v.outcome.Module, v.outcome.Message = f.reason, f.module, f.message
	return v.review.failed(f.reason, f.message)
}

// accountBytes is how far into a body Account looks: API servers write the first object's apiVersion
// and kind within the first few hundred bytes, unless a field of the object sorts before them.
const accountBytes = 16 << 10

// Account returns the kind of a review's first object as <Kind>.<group>, for limits by kind, without
// reading the rest of the body. It is "" for a kind that no module converts, so that made-up kinds
// are one account, and for a body that does not show its kind early.
func (c *Converter) Account(body []byte) string {
	s, done := c.scanner(body[:min(len(body), accountBytes)])
	defer done()
	apiVersion, kind := firstObject(s)
	group, _, ok := splitAPIVersion(apiVersion)
	if !ok {
		return ""
	}
	routes, release := c.modules.Pin()
	defer release()
	if k := routes.find(string(group), string(kind)); k != nil {
		return k.name
	}
	return ""
}

// namespaceBytes is how far into a body Namespace looks: annotations and managedFields sort before the
// namespace, and API servers take some 1.5 MB of them.
const namespaceBytes = 2 << 20

// Namespace returns the namespace of a review's first object, for limits by namespace within a kind.
// It is "" for objects without one, and for a body that does not show it within 2 MiB.
func (c *Converter) Namespace(body []byte) string {
	s, done := c.scanner(body[:min(len(body), namespaceBytes)])
	defer done()
	if !enterFirst(s) || !enterMember(s, "metadata", rawjson.Object) || s.Peek() != rawjson.Object {
		return ""
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) == "namespace" {
			return string(foreign.Cut(readStringMember(s).value, maxWord))
		}
	}
	return ""
}

// scanner returns a scanner of a body, and a function that gives it back.
func (c *Converter) scanner(body []byte) (s *rawjson.Scanner, done func()) {
	s, _ = c.scanners.Get().(*rawjson.Scanner)
	if s == nil {
		s = new(rawjson.Scanner)
	}
	s.Reset(body, c.limits.Depth+envelopeDepth)
	return s, func() {
		s.Reset(nil, 0)
		c.scanners.Put(s)
	}
}

// enterFirst goes to the first object of a review, and reports whether there is one.
func enterFirst(s *rawjson.Scanner) bool {
	return enterMember(s, "request", rawjson.Object) && enterMember(s, "objects", rawjson.Array) && s.Element() && s.Peek() == rawjson.Object
}

// firstObject returns apiVersion and kind of the first object of a review, as far as the scanner
// finds them. They are parts of the scanner's document.
func firstObject(s *rawjson.Scanner) (apiVersion, kind []byte) {
	if !enterFirst(s) {
		return nil, nil
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		switch string(m.Key) {
		case "apiVersion":
			apiVersion = readStringMember(s).value
		case "kind":
			kind = readStringMember(s).value
		}
		if len(apiVersion) > 0 && len(kind) > 0 {
			return apiVersion, kind
		}
	}
	return nil, nil
}

// enterMember goes to the value of a member of the next object, into it if it is an array, and
// reports whether it is what it should be.
func enterMember(s *rawjson.Scanner, name string, want rawjson.Kind) bool {
	if s.Peek() != rawjson.Object {
		return false
	}
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) == name {
			return s.Peek() == want && (want == rawjson.Object || s.Array()) // an object is entered by its reader
		}
	}
	return false
}
