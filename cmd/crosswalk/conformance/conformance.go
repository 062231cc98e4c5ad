// Package conformance tests the rules for every converter module: the ABI (docs/spec/abi.md), the
// conversion contract (docs/spec/contract.md), and objects as they occur in clusters.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Limits returns the limits for loading a module to test. A call may have as many objects as a
// review, so that a module cannot rely on small batches, and the time limit allows for that number
// on a loaded machine. Fuel limits the module's work.
func Limits(l module.Limits) module.Limits {
	l.BatchObjects, l.BatchBytes = manyObjects, 64<<20
	l.CallTime = max(l.CallTime, time.Minute)
	return l
}

// Opener opens the module to test. Run closes what it returns.
type Opener func(ctx context.Context) (*module.Module, error)

// Run tests every conversion of a module with objects that the module converts. Provide at least
// one object of each version; for a version without one, Run uses an object with only a name. It
// reports each result immediately, with its edge, check, verdict and reason. A check that the sidecar lists as known to fail is not a
// failure. No check sees the consequences of another, such as an open circuit breaker: after a
// check in which the module failed, Run opens it again.
//
// The error is that of open.
func Run(ctx context.Context, open Opener, objects []json.RawMessage, report func(output.Result)) error {
	m, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { m.Close() }()
	for _, e := range m.Edges() {
		list := checks()
		if m.Declared() != nil {
			list = append(list, check{"it reads only fields that it declares", declared})
		}
		for _, c := range list {
			if m.Activity(time.Now()).Faults > 0 {
				fresh, err := open(ctx)
				if err != nil {
					return err
				}
				m.Close()
				m = fresh
			}
			report(c.result(ctx, newSubject(m, e, objects), m.Known()))
		}
	}
	return nil
}

// result runs a check along one edge.
func (c check) result(ctx context.Context, s *subject, known []artifact.KnownFailure) output.Result {
	_, from, _ := strings.Cut(s.from, "/")
	_, to, _ := strings.Cut(s.to, "/")
	r := output.Result{Edge: from + "→" + to, Check: c.name, Verdict: output.Pass}
	i := slices.IndexFunc(known, func(k artifact.KnownFailure) bool {
		return k.Check == c.name && (k.From == from && k.To == to || k.From == "" && k.To == "")
	})
	err := c.run(ctx, s)
	var n note
	switch {
	case errors.As(err, &n):
		r.Verdict, r.Why = output.Note, n.Error()
	case errors.Is(err, errNothing), errors.Is(err, errRefused):
		r.Verdict, r.Why = output.Skip, err.Error()
	case err != nil && i >= 0:
		r.Verdict, r.Why = output.Known, known[i].Reason
	case err != nil:
		r.Verdict, r.Why = output.Fail, err.Error()
	}
	if err == nil && i >= 0 && known[i].From != "" {
		r.Verdict, r.Why = output.Note, "it passes, and the sidecar says that it is known to fail: remove it from known"
	}
	return r
}

type check struct {
	name string
	run  func(ctx context.Context, s *subject) error
}

// note is behaviour that is allowed, but that the author should know.
type note struct{ error }

func notef(format string, args ...any) error { return note{fmt.Errorf(format, args...)} }

// errNothing and errRefused report that there is no suitable object for a check.
var (
	errNothing = errors.New("there is no object that the module refuses: add a case with wantError to its sidecar")
	errRefused = errors.New("the module refuses the object that the check uses: give one that it converts, in a golden case or with -f")
)

// subject is one conversion of a module.
type subject struct {
	module   *module.Module
	routes   *host.Routes
	from, to string // apiVersions
	kind     string
	base     []byte   // an object that the module should convert
	given    bool     // base came from a golden case or from the caller
	all      [][]byte // every known object of version from
	refused  []byte   // an object that the module refuses, or nil
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
