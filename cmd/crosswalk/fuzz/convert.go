package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/review"
)

// converter converts objects as a gateway with the modules does: with its routes, its contract and
// its limits.
type converter struct {
	routes *host.Routes
	review *host.Converter
	last   batch
}

// batch are the answers to the objects that were converted last: several checks begin with the same
// conversion.
type batch struct {
	objects []*subject
	to      string
	answers []answer
}

func newConverter(modules []Module, wrap func(Module) host.Module) *converter {
	var edges []host.Edge
	for _, m := range modules {
		for _, e := range m.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: wrap(m)})
		}
	}
	c := &converter{routes: host.NewRoutes(edges)}
	var err error
	if c.review, err = host.NewConverter(host.ConverterConfig{Modules: host.Static(c.routes)}); err != nil {
		panic(err) // it has all that is required
	}
	return c
}

// whole is a module that sees whole objects, regardless of its declaration.
type whole struct{ Module }

func (whole) Fields(_, _ string) []string { return nil }

// answer is the result of converting one object.
type answer struct {
	text    json.RawMessage // nil if the conversion failed
	failure string          // one of host.Failures; "" for success
	message string
	reverts bool // the gateway reverted a change of metadata
}

// value returns the answer as an API server decodes it. The caller owns it. It is nil if the
// conversion failed.
func (a *answer) value() map[string]any {
	if a.failure != "" {
		return nil
	}
	return decodeChecked(a.text)
}

// batch converts objects to a version ("group/version") like convert, and remembers the answers for
// the next check of the same objects. The caller must not change the answers.
func (c *converter) batch(ctx context.Context, to string, objects []*subject) ([]answer, error) {
	if l := &c.last; len(objects) == 0 || len(l.objects) != len(objects) || &l.objects[0] != &objects[0] || l.to != to {
		answers, err := c.convert(ctx, to, textsOf(objects))
		if err != nil {
			return nil, err
		}
		c.last = batch{objects, to, answers}
	}
	return c.last.answers, nil
}

// convert converts objects to a version ("group/version"), in one review if that succeeds.
//
// The error is one of the tool, not of the module: ctx ended, or the answer cannot be read.
func (c *converter) convert(ctx context.Context, to string, objects [][]byte) ([]answer, error) {
	text, outcome, refused := c.review.Review(ctx, review.Request(to, objects...))
	if err := over(ctx); err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, refused
	}
	if len(objects) > 1 && (outcome.Failure != "" || outcome.Restored > 0) { // which object was it?
		first, err := c.convert(ctx, to, objects[:len(objects)/2])
		if err != nil {
			return nil, err
		}
		rest, err := c.convert(ctx, to, objects[len(objects)/2:])
		return append(first, rest...), err
	}
	if outcome.Failure != "" {
		return []answer{{failure: outcome.Failure, message: outcome.Message}}, nil
	}
	texts := review.Objects(text)
	if len(texts) != len(objects) {
		return nil, fmt.Errorf("the gateway answers %d objects with %d", len(objects), len(texts))
	}
	answers := make([]answer, len(objects))
	for i, o := range texts {
		answers[i] = answer{text: o, reverts: outcome.Restored > 0}
	}
	return answers, nil
}

// over returns the error of a context that ended, or that would have if its timer were not late, as
// timers are beside a guest: the module's calls look at the clock, too.
func over(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if end, bounded := ctx.Deadline(); bounded && !time.Now().Before(end) {
		return context.DeadlineExceeded
	}
	return nil
}

// edge is a conversion that a module does.
type edge struct{ from, to string }

// edges are the conversions between the versions of one definition that modules do.
type edges []edge

func edgesOf(def *apiserver.Definition, modules []Module) (all edges) {
	for _, m := range modules {
		for _, e := range m.Edges() {
			if e.Kind == def.Kind && e.Group == def.Group {
				all = append(all, edge{e.From, e.To})
			}
		}
	}
	return all
}

// reach reports whether the modules convert from one version to another, by a chain perhaps.
func (all edges) reach(from, to string) bool {
	seen, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == to {
			return true
		}
		for _, e := range all {
			if e.from == at && !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	return false
}

// direct reports whether a module converts between two versions without a chain.
func (all edges) direct(from, to string) bool { return slices.Contains(all, edge{from, to}) }
