package runtime

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// bind returns the bindings, modules and failed files of the next set, and whether they differ from
// those of the current set. jobs is the content that is loaded or waits for it, by the base of its
// module.
func (st *state) bind(jobs map[string]*job) (modules []*module.Module, bindings []Binding, failed []Failed, changed bool) {
	claims := map[artifact.Edge][]string{} // edge to the bases of the modules that claim it
	for base, s := range st.entries {
		if s.serving == nil {
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
	serving := map[artifact.Edge]string{}
	if st.current != nil {
		for _, b := range st.current.bindings {
			serving[b.Edge] = b.Module.FileName().Base
		}
	}
	awaited := st.awaited(jobs)
	for edge, bases := range claims {
		winner := slices.MinFunc(bases, func(a, b string) int { return rank(st.entries, a, b) })
		if now := serving[edge]; !slices.Contains(bases, now) {
			if slices.ContainsFunc(awaited[edge], func(n artifact.Name) bool { return precedes(n, st.entries[winner]) }) {
				continue // which module converts it must not depend on which loads faster
			}
		}
		bindings = append(bindings, Binding{edge, st.entries[winner].serving, st.entries[winner].previous})
		if serving[edge] == winner {
			continue
		}
		for _, base := range bases {
			if base != winner {
				st.journal.logger.Warn("two modules claim the same conversion", "edge", edge.String(),
					"serves", st.entries[winner].serving.Name(), "ignored", st.entries[base].serving.Name())
			}
		}
	}
	failed = failedFiles(st.entries, st.rejected)
	slices.SortFunc(modules, func(a, b *module.Module) int {
		return cmp.Or(strings.Compare(a.Name(), b.Name()), strings.Compare(a.Digest(), b.Digest()))
	})
	slices.SortFunc(bindings, func(a, b Binding) int { return compareEdges(a.Edge, b.Edge) })
	now := st.current
	changed = now == nil || !slices.Equal(bindings, now.bindings) || !slices.Equal(modules, now.modules) || !slices.Equal(failed, now.failed)
	return modules, bindings, failed, changed
}

// awaited returns the modules by whose loading it is decided who converts an edge: those that were
// never tried, and those that failed because the machine was busy. A module that cannot be loaded
// claims nothing.
func (st *state) awaited(jobs map[string]*job) map[artifact.Edge][]artifact.Name {
	all := map[artifact.Edge][]artifact.Name{}
	add := func(name artifact.Name) {
		for _, e := range name.Edges() {
			all[e] = append(all[e], name)
		}
	}
	for base, j := range jobs {
		if s := st.entries[base]; !j.again && (s == nil || s.serving == nil) {
			add(j.name)
		}
	}
	for base, s := range st.entries {
		if j := jobs[base]; s.serving == nil && s.failure != nil && load.IsBusy(s.failure.err) && (j == nil || j.again) {
			if name, err := artifact.ParseOwned(s.failure.file); err == nil {
				add(name)
			}
		}
	}
	return all
}

// failedFiles returns the files of modules of which no content serves, sorted.
func failedFiles(entries map[string]*entry, rejected map[string]rejectedFile) (failed []Failed) {
	for _, s := range entries {
		if f := s.failure; f != nil && s.serving == nil {
			if name, err := artifact.ParseOwned(f.file); err == nil {
				failed = append(failed, Failed{name.Group, name.Kind, f.file, f.err.Error()})
			}
		}
	}
	for file, f := range rejected {
		if name, err := artifact.ParseOwned(file); err == nil && entries[name.Base] == nil { // otherwise the entry has the reason, or is about to have it
			failed = append(failed, Failed{name.Group, name.Kind, file, f.reason})
		}
	}
	slices.SortFunc(failed, func(a, b Failed) int { return strings.Compare(a.File, b.File) })
	return failed
}

// rank orders two modules that claim one edge (docs/spec/contract.md): a module with a file before one
// whose file is deleted, then by their names. It does not matter which served the edge first: a new
// replica does not know that.
func rank(entries map[string]*entry, a, b string) int {
	x, y := entries[a], entries[b]
	return cmp.Or(compareBools(x.present, y.present), rankNames(x.serving.FileName(), y.serving.FileName()))
}

// rankNames puts the name with fewer versions first, then the first by name.
func rankNames(a, b artifact.Name) int {
	return cmp.Or(cmp.Compare(len(a.Versions), len(b.Versions)), strings.Compare(a.Base, b.Base))
}

// precedes reports whether a module that has a file, once it is loaded, goes before one that serves.
func precedes(name artifact.Name, s *entry) bool {
	return !s.present || rankNames(name, s.serving.FileName()) < 0
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
