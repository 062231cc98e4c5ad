package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Routes has, for every kind with modules and every two of its versions, the modules along which a
// conversion goes: the direct module, else the shortest chain. Among chains of one length it picks,
// at every step, the version of highest Kubernetes priority (stable before beta before alpha, then
// the newer) that is still on a shortest path. The result does not depend on the order of the
// edges, so all replicas with the same modules decide alike.
//
// It never changes once made and may be shared between goroutines. A nil *Routes knows no kind.
type Routes struct {
	failed []FailedModule
	kinds  map[kindKey]*kindRoutes
	order  []kindKey // by kind, then group
}

type kindKey struct{ group, kind string }

// kindRoutes is the graph of one kind.
type kindRoutes struct {
	key      kindKey
	name     string   // <Kind>.<group>
	versions []string // by priority, highest first
	edges    []Edge   // by From, then To, both by priority
	chains   map[[2]string]*chain
}

// chain is a path from one version to another.
type chain struct {
	edges []Edge
	hops  []hop
}

// hop is one edge of a path, with everything that a conversion along it needs.
type hop struct {
	from, to         string // "group/version"
	fromJSON, toJSON []byte // as JSON strings
	module           Module
	fields           *projection.Fields // the fields that the module declares; nil: it sees whole objects
	label            string             // "CronTab.stable.example.com from v1 to v2", for messages

	fallback *hop           // the same edge by the previous version, while the module is on probation; else nil
	previous PreviousModule // that version
}

// NewRoutes decides the routes over edges. Of two edges between the same versions it takes the one
// whose module has the lexically first name; the loader of modules has usually decided such
// conflicts before.
//
// Modules that failed to load convert nothing; messages about missing conversions name them.
func NewRoutes(edges []Edge, failed ...FailedModule) *Routes {
	return (*Routes)(nil).Next(edges, failed...)
}

// Next returns NewRoutes of the edges. It takes the paths of kinds whose edges have not changed
// from before, so that the modules of one kind do not make each change of another one expensive.
func (before *Routes) Next(edges []Edge, failed ...FailedModule) *Routes {
	r := &Routes{kinds: map[kindKey]*kindRoutes{}, failed: slices.Clip(failed)}
	for _, e := range edges {
		if e.From == e.To || e.Module == nil {
			continue
		}
		if _, err := fieldsOf(e.Module, e); err != nil {
			r.failed = append(r.failed, FailedModule{e.Group, e.Kind, e.Module.Name(), "its declared fields: " + err.Error()})
			continue
		}
		key := kindKey{e.Group, e.Kind}
		k := r.kinds[key]
		if k == nil {
			k = &kindRoutes{key: key, name: e.Kind + "." + e.Group}
			r.kinds[key] = k
			r.order = append(r.order, key)
		}
		k.edges = append(k.edges, e)
	}
	slices.SortFunc(r.order, func(a, b kindKey) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.group, b.group))
	})
	for key, k := range r.kinds {
		k.sort()
		if old := before.find(key.group, key.kind); old != nil && slices.Equal(old.edges, k.edges) {
			r.kinds[key] = old
		} else {
			k.decide()
		}
	}
	return r
}

// CompareVersions orders versions, the one of highest priority first. Versions of one priority (v1
// and v01) go by their spelling.
func CompareVersions(a, b string) int {
	return cmp.Or(version.CompareKubeAwareVersionStrings(b, a), strings.Compare(a, b))
}

// sort brings versions and edges into order and drops all but one of edges that claim the same.
func (k *kindRoutes) sort() {
	for _, e := range k.edges {
		k.versions = append(k.versions, e.From, e.To)
	}
	slices.Sort(k.versions)
	k.versions = slices.Compact(k.versions) // before the dearer sort: a module of n versions names each of them 2(n-1) times
	slices.SortFunc(k.versions, CompareVersions)
	rank := make(map[string]int, len(k.versions))
	for i, v := range k.versions {
		rank[v] = i
	}
	slices.SortStableFunc(k.edges, func(a, b Edge) int {
		return cmp.Or(rank[a.From]-rank[b.From], rank[a.To]-rank[b.To],
			strings.Compare(a.Module.Name(), b.Module.Name()), strings.Compare(a.Module.Digest(), b.Module.Digest()))
	})
	k.edges = slices.CompactFunc(k.edges, func(a, b Edge) bool { return a.From == b.From && a.To == b.To })
}

// decide finds the paths between all versions: for each target its distances by a breadth-first
// search backwards, then from each source step by step to a version that is one nearer.
func (k *kindRoutes) decide() {
	k.chains = map[[2]string]*chain{}
	out, in := map[string][]Edge{}, map[string][]Edge{}
	for _, e := range k.edges {
		out[e.From] = append(out[e.From], e) // by priority of To, as k.edges is
		in[e.To] = append(in[e.To], e)
	}
	for _, to := range k.versions {
		distance := map[string]int{to: 0}
		for queue := []string{to}; len(queue) > 0; queue = queue[1:] {
			for _, e := range in[queue[0]] {
				if _, seen := distance[e.From]; !seen {
					distance[e.From] = distance[queue[0]] + 1
					queue = append(queue, e.From)
				}
			}
		}
		for from := range distance {
			if from == to {
				continue
			}
			p := &chain{}
			for at := from; at != to; {
				for _, e := range out[at] {
					if d, ok := distance[e.To]; ok && d == distance[at]-1 {
						p.add(e)
						at = e.To
						break
					}
				}
			}
			p.label(from, to)
			k.chains[[2]string{from, to}] = p
		}
	}
}

func (p *chain) add(e Edge) {
	from, to := e.Group+"/"+e.From, e.Group+"/"+e.To
	p.edges = append(p.edges, e)
	fields, _ := fieldsOf(e.Module, e) // without them there would be no such edge
	h := hop{from: from, to: to, fromJSON: rawjson.Quote(nil, from), toJSON: rawjson.Quote(nil, to), module: e.Module, fields: fields}
	if e.Previous != nil {
		if fields, err := fieldsOf(e.Previous, e); err == nil { // it served with them
			before := h
			before.module, before.fields = e.Previous, fields
			h.fallback, h.previous = &before, e.Previous
		}
	}
	p.hops = append(p.hops, h)
}

// fieldsOf returns the fields that a module declares for an edge; nil if it does not declare
// fields.
func fieldsOf(m Module, e Edge) (*projection.Fields, error) {
	if paths := m.Fields(e.From, e.To); paths != nil {
		return projection.Parse(paths)
	}
	return nil, nil
}

// label names the hops of a path, for messages.
func (p *chain) label(from, to string) {
	for i, e := range p.edges {
		l := fmt.Sprintf("%s.%s from %s to %s", e.Kind, e.Group, e.From, e.To)
		if n := len(p.edges); n > 1 {
			l += fmt.Sprintf(" (step %d of %d from %s to %s)", i+1, n, from, to)
		}
		p.hops[i].label = l
		if before := p.hops[i].fallback; before != nil {
			before.label = l
		}
	}
}

// Path returns the edges from one version to another, or nil if there is no path. The caller must
// not change them.
func (r *Routes) Path(group, kind, from, to string) []Edge {
	if p := r.find(group, kind).chainBetween(from, to); p != nil {
		return p.edges
	}
	return nil
}

// Kinds returns the kinds there are edges for, as <Kind>.<group>, in lexical order.
func (r *Routes) Kinds() []string {
	if r == nil {
		return nil
	}
	names := make([]string, len(r.order))
	for i, key := range r.order {
		names[i] = r.kinds[key].name
	}
	return names
}

// Versions returns the versions of a kind that have edges, by priority, highest first; nil for an
// unknown kind.
func (r *Routes) Versions(group, kind string) []string {
	if k := r.find(group, kind); k != nil {
		return slices.Clone(k.versions)
	}
	return nil
}

// find returns the graph of a kind, or nil.
func (r *Routes) find(group, kind string) *kindRoutes {
	if r == nil {
		return nil
	}
	return r.kinds[kindKey{group, kind}]
}

// chainBetween returns the chain between two versions, or nil.
func (k *kindRoutes) chainBetween(from, to string) *chain {
	if k == nil {
		return nil
	}
	return k.chains[[2]string{from, to}]
}

// version returns v if the kind has edges at that version, else "". The string is the graph's own.
func (k *kindRoutes) version(v string) string {
	if k != nil {
		if i := slices.Index(k.versions, v); i >= 0 {
			return k.versions[i]
		}
	}
	return ""
}
