package runtime

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// nextSet decides which module converts each edge and returns the new set, or nil if it equals the
// current set. r.mu is held.
func (r *Registry) nextSet() *Set {
	claims := map[artifact.Edge][]string{} // edge to the bases of the modules that claim it
	var modules []*module.Module
	var failed []Failed
	for base, s := range r.slots {
		if s.serving == nil {
			if f := s.failure; f != nil {
				if name, err := artifact.ParseName(f.file); err == nil {
					failed = append(failed, Failed{name.Group, name.Kind, f.file, f.err.Error()})
				}
			}
			continue
		}
		modules = append(modules, s.serving)
		if s.previous != nil {
			modules = append(modules, s.previous.Module) // so that it is not closed while it is the fallback
		}
		for _, e := range s.serving.FileName().Edges() {
			claims[e] = append(claims[e], base)
		}
	}
	for file, f := range r.rejected {
		if name, err := artifact.ParseName(file); err == nil && r.slots[name.Base] == nil { // otherwise the slot has the reason, or is about to have it
			failed = append(failed, Failed{name.Group, name.Kind, file, f.reason})
		}
	}
	slices.SortFunc(modules, func(a, b *module.Module) int {
		return cmp.Or(strings.Compare(a.Name(), b.Name()), strings.Compare(a.Digest(), b.Digest()))
	})
	slices.SortFunc(failed, func(a, b Failed) int { return strings.Compare(a.File, b.File) })
	serving := map[artifact.Edge]string{}
	if r.current != nil {
		for _, b := range r.current.bindings {
			serving[b.Edge] = b.Module.FileName().Base
		}
	}
	var bindings []Binding
	for edge, bases := range claims {
		winner := slices.MinFunc(bases, func(a, b string) int { return r.rank(a, b, serving[edge]) })
		bindings = append(bindings, Binding{edge, r.slots[winner].serving, r.slots[winner].previous})
		if serving[edge] == winner {
			continue
		}
		for _, base := range bases {
			if base != winner {
				r.logger.Warn("two modules claim the same conversion", "edge", edge.String(),
					"serves", r.slots[winner].serving.Name(), "ignored", r.slots[base].serving.Name())
			}
		}
	}
	slices.SortFunc(bindings, func(a, b Binding) int { return compareEdges(a.Edge, b.Edge) })
	if r.current != nil && slices.Equal(bindings, r.current.bindings) && slices.Equal(modules, r.current.modules) && slices.Equal(failed, r.current.failed) {
		return nil
	}
	return r.holders.newSet(modules, bindings, failed)
}

// rank orders two modules that claim one edge (docs/spec/contract.md): a module with a file before one
// whose file is deleted, the module that serves the edge before the other, then the one that names
// fewer versions, then the first by name.
func (r *Registry) rank(a, b, serving string) int {
	x, y := r.slots[a], r.slots[b]
	return cmp.Or(
		compareBools(x.present, y.present),
		compareBools(a == serving, b == serving),
		cmp.Compare(len(x.serving.FileName().Versions), len(y.serving.FileName().Versions)),
		strings.Compare(a, b),
	)
}

// compareBools puts true first.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func compareEdges(a, b artifact.Edge) int {
	return cmp.Or(
		strings.Compare(a.Group, b.Group),
		strings.Compare(a.Kind, b.Kind),
		strings.Compare(a.From, b.From),
		strings.Compare(a.To, b.To),
	)
}

// edgeList formats a module's edges for log lines: v1⇄v2 v1→v3.
func edgeList(edges []artifact.Edge) string {
	var out []string
	for _, e := range edges {
		back := artifact.Edge{Group: e.Group, Kind: e.Kind, From: e.To, To: e.From}
		switch i := slices.Index(edges, back); {
		case i < 0:
			out = append(out, e.From+"→"+e.To)
		case compareEdges(edges[i], e) > 0:
			out = append(out, e.From+"⇄"+e.To)
		}
	}
	return strings.Join(out, " ")
}
