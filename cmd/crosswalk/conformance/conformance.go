// Package conformance holds a converter module to what is true of every converter, whatever it converts: the ABI (docs/abi.md), the
// conversion contract (docs/contract.md), and what objects are known to look like in clusters.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Verdict is what a check came to.
type Verdict string

const (
	Pass Verdict = "ok"
	Note Verdict = "note" // allowed, and the author should know
	Skip Verdict = "skip" // there was nothing to check it with
	Fail Verdict = "FAIL"
)

// Result is the verdict of one check along one edge.
type Result struct {
	Edge    string  `json:"edge"`
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
}

// Limits returns the limits to load a module with for Run: as many objects in one call as a review may have, so that a module cannot
// rely on being given few of them, and time for so many on a machine that does other things as well. Fuel bounds what a module does.
func Limits(l module.Limits) module.Limits {
	l.BatchObjects, l.BatchBytes = manyObjects, 64<<20
	l.CallTime = max(l.CallTime, time.Minute)
	return l
}

// Run puts every conversion of a module to the test, with objects that it is known to convert: one of each version at least is best, and
// where there is none, an object with nothing but a name stands in. Each result is reported as it comes.
func Run(ctx context.Context, m *module.Module, objects []json.RawMessage, report func(Result)) {
	for _, e := range m.Edges() {
		s := newSubject(m, e, objects)
		list := checks()
		if m.Declared() != nil {
			list = append(list, check{"what it declares is all that it reads", declared})
		}
		for _, c := range list {
			r := Result{Edge: e.From + "→" + e.To, Check: c.name, Verdict: Pass}
			err := c.run(ctx, s)
			var n note
			switch {
			case errors.As(err, &n):
				r.Verdict, r.Why = Note, n.Error()
			case errors.Is(err, errNothing):
				r.Verdict, r.Why = Skip, "no object that the module refuses is known: add a case with wantError to its sidecar"
			case err != nil:
				r.Verdict, r.Why = Fail, err.Error()
			}
			report(r)
		}
	}
}

type check struct {
	name string
	run  func(ctx context.Context, s *subject) error
}

// note is something that a module may do, and that its author should know of.
type note struct{ error }

func notef(format string, args ...any) error { return note{fmt.Errorf(format, args...)} }

// errNothing says that there was nothing to check with.
var errNothing = errors.New("nothing to check with")

// subject is one conversion of a module.
type subject struct {
	module   *module.Module
	routes   *host.Routes
	from, to string // apiVersions
	kind     string
	base     []byte   // an object that the module converts, it is hoped
	given    bool     // base came from a case or from whoever runs this
	all      [][]byte // every object of version from that is known
	refused  []byte   // one that it refuses; nil if none is known
}

func newSubject(m *module.Module, e artifact.Edge, objects []json.RawMessage) *subject {
	s := &subject{module: m, from: e.Group + "/" + e.From, to: e.Group + "/" + e.To, kind: e.Kind}
	s.routes = host.NewRoutes([]host.Edge{{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: m}})
	for _, c := range m.Cases() {
		switch {
		case c.From != e.From || c.To != e.To:
		case c.Want != nil:
			s.all = append(s.all, c.Object)
		case s.refused == nil:
			s.refused = c.Object
		}
	}
	for _, o := range objects {
		var head struct{ APIVersion, Kind string }
		if json.Unmarshal(o, &head) == nil && head.APIVersion == s.from && head.Kind == s.kind {
			s.all = append(s.all, o)
		}
	}
	if s.given = len(s.all) > 0; s.given {
		s.base = s.all[0]
	} else {
		s.base = s.object(`"metadata":{"name":"conformance","namespace":"default"},"spec":{}`)
	}
	return s
}

// Pin makes a subject a host.Modules.
func (s *subject) Pin() (*host.Routes, func()) { return s.routes, func() {} }

// Missed does nothing: no module is waiting to be loaded.
func (*subject) Missed(_, _ string) {}

// Loading returns nothing: the module is loaded.
func (*subject) Loading(_, _ string) host.Loading { return host.Loading{} }
