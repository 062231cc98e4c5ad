package fuzz

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

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
