// Package generate makes objects that a Kubernetes API server would store, from the schema of a
// custom resource.
//
// A Generator first makes an object for every goal, as small as the schema allows: every optional
// field absent, present and empty, every value of an enum, every branch of a union, the ends of
// every range. Between them, and afterwards, it makes larger objects with random values and changes
// given objects. Kubernetes' own code decides which objects are valid (package apiserver); objects
// that it rejects are repaired where it points, or dropped.
package generate

import (
	"context"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

const (
	// maxTries is how often an object for one goal is tried.
	maxTries = 8
	// maxRepairs is how often one object is changed because it is invalid.
	maxRepairs = 24
	// maxValues is how many values a random object has, about.
	maxValues = 120
	// maxPatterns bounds the compiled patterns of a schema.
	maxPatterns = 10_000
)

// Generator makes objects of one version. The same seed and given objects make the same objects. It
// is not safe for concurrent use.
type Generator struct {
	version *apiserver.Version
	seed    uint64
	root    *node
	given   []map[string]any
	keysAt  map[*node][]string // of maps in given objects

	goals    []*goal
	open     []*goal // not reached, in the order to try them
	count    uint64  // of calls to Next
	attempts uint64
	patterns map[string]*pattern
	why      string // the last reason for which an object was not made
	words    []string
	decks    map[*node][]int // of nextText
}

// New returns a Generator. given are objects of the version whose values are used as examples, and
// that are changed; New does not change them itself.
func New(ctx context.Context, v *apiserver.Version, seed uint64, given ...map[string]any) *Generator {
	g := &Generator{version: v, seed: seed, root: compile(v.Schema), keysAt: map[*node][]string{}, patterns: map[string]*pattern{}, decks: map[*node][]int{}}
	for _, object := range given {
		object := deepCopy(object).(map[string]any)
		g.learn(g.root, object)
		v.Store(object)
		if len(v.ValidateSchema(ctx, object)) == 0 {
			g.given = append(g.given, object)
		}
	}
	g.goals = setGoals(g.root)
	g.open = append(g.open, g.goals...)
	return g
}

// Next returns another object: valid, defaulted and pruned, with the metadata of a stored object.
// The caller owns it. It returns nil if it finds no valid object, or if ctx ends.
func (g *Generator) Next(ctx context.Context) map[string]any {
	for range 4 * maxTries {
		n := g.count
		g.count++
		if ctx.Err() != nil {
			return nil
		}
		var object map[string]any
		var goal *goal
		if n >= uint64(len(g.given)) && n%4 != 3 {
			goal = g.nextGoal()
		}
		switch {
		case n < uint64(len(g.given)):
			object = deepCopy(g.given[n]).(map[string]any)
		case goal != nil:
			object = g.forGoal(ctx, goal)
		default:
			object = g.random(ctx, n)
		}
		if object != nil {
			g.mark(g.root, object)
			if goal != nil && !goal.reached && goal.why == "" {
				goal.why = "defaults, or rules about the values around it, exclude it"
			}
			return object
		}
	}
	return nil
}

// nextGoal returns the next goal that was not reached, and puts it to the end of the queue.
func (g *Generator) nextGoal() *goal {
	for len(g.open) > 0 {
		next := g.open[0]
		g.open = g.open[1:]
		if next.reached || next.tries >= maxTries {
			continue
		}
		g.open = append(g.open, next)
		return next
	}
	return nil
}

// newMaker returns a maker with its own source of random numbers.
func (g *Generator) newMaker(goal *goal) *maker {
	g.attempts++
	m := &maker{g: g, rand: rand.New(rand.NewPCG(g.seed, g.attempts)), goal: goal, budget: maxValues, work: maxWork}
	if goal != nil {
		m.way = map[*node]bool{}
		for n := goal.node; n != nil; n = n.up {
			m.way[n] = true
		}
	}
	return m
}

// forGoal makes the smallest object for a goal, and larger ones if that fails.
func (g *Generator) forGoal(ctx context.Context, goal *goal) map[string]any {
	m := g.newMaker(goal)
	m.density = []int{0, 0, 1, 4, 7, 4, 6, 2}[goal.tries%8]
	goal.tries++
	object, why := m.make(ctx)
	goal.why, g.why = why, why
	return object
}

// random makes an object with random values, or changes a given one.
func (g *Generator) random(ctx context.Context, n uint64) map[string]any {
	m := g.newMaker(nil)
	if len(g.given) > 0 && m.rand.IntN(2) == 0 {
		object := deepCopy(g.given[m.rand.IntN(len(g.given))]).(map[string]any)
		m.density = 4
		m.change(g.places(object), 1+m.rand.IntN(4))
		g.version.Store(object)
		object, _ = m.repair(ctx, object)
		return object
	}
	m.density = 1 + int(n/4)%7
	if n >= firstWide && (n/4)%wideEvery == wideEvery-1 {
		m.wide, m.budget, m.density = true, wideBudget, max(m.density, 4)
	}
	object, why := m.make(ctx)
	g.why = why
	return object
}

// Why returns the reason for which Next did not find an object; "" if it did, or was not called.
func (g *Generator) Why() string { return g.why }

// make makes a valid object. It returns nil and an API server's reason if it does not succeed.
func (m *maker) make(ctx context.Context) (map[string]any, string) {
	v := m.g.version
	m.on = m.goal != nil
	r := &rules{}
	m.collect(r, m.g.root, v.Schema.ValueValidation)
	made, ok := m.object(m.g.root, r)
	switch {
	case m.work < 0:
		return nil, tooMuch
	case !ok:
		return nil, "no value keeps all rules of the schema"
	}
	object := made.(map[string]any)
	object["apiVersion"], object["kind"] = v.APIVersion, v.Kind
	object["metadata"] = m.metadata()
	v.Store(object)
	return m.repair(ctx, object)
}

// metadata makes the metadata of a stored object.
func (m *maker) metadata() map[string]any {
	meta := map[string]any{"name": "fuzz", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z", "generation": int64(1), "resourceVersion": "7"}
	if m.g.version.Namespaced {
		meta["namespace"] = "default"
	}
	if m.wide {
		m.wideMetadata(meta)
		return meta
	}
	if m.density == 0 || m.rand.IntN(4) == 0 {
		return meta
	}
	if m.rand.IntN(2) == 0 {
		meta["labels"] = map[string]any{"app.kubernetes.io/name": "fuzz", "empty": ""}
	}
	if m.rand.IntN(2) == 0 {
		meta["annotations"] = map[string]any{"example.com/note": texts[m.rand.IntN(len(texts))], "example.com/empty": "", "example.com/object": `{"b":1,"a":[]}`}
	}
	if m.rand.IntN(4) == 0 {
		meta["finalizers"] = []any{"example.com/b", "example.com/a"}
	}
	if m.rand.IntN(4) == 0 {
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "5f1d2c3b-0a59-4877-9e66-55d4c3b2a190"}}
	}
	return meta
}

// repair changes an object until an API server accepts it, and keeps each change that does not make
// it worse. It returns nil and a reason if it does not succeed.
func (m *maker) repair(ctx context.Context, object map[string]any) (map[string]any, string) {
	v := m.g.version
	errs := v.ValidateSchema(ctx, object)
	for range maxRepairs {
		if len(errs) == 0 || ctx.Err() != nil {
			break
		}
		other := deepCopy(object).(map[string]any)
		m.fix(other, errs[m.rand.IntN(len(errs))])
		v.Store(other)
		if now := v.ValidateSchema(ctx, other); len(now) <= len(errs) || m.rand.IntN(8) == 0 {
			object, errs = other, now
		}
	}
	if len(errs) > 0 {
		return nil, errs[0].Error()
	}
	return object, ""
}

// fix changes an object where an error points to.
func (m *maker) fix(object map[string]any, e *field.Error) {
	at, rest := m.g.locate(object, e.Field)
	if rest != "" { // something is missing there
		if f := at.node.byName[rest]; f != nil {
			if into, ok := at.value().(map[string]any); ok {
				m.on = m.way[at.node]
				m.field(into, m.rulesAt(at), f)
				return
			}
		}
	}
	below := m.g.placesBelow(at)
	switch k := m.rand.IntN(4); {
	case k == 0 && at.optional():
		at.remove()
	case k == 1 && at.node.up != nil, len(below) == 0 && at.node.up != nil:
		m.renew(at)
	default:
		m.change(append(below, at), 1)
	}
}

// Change returns a valid object that differs from a given one in a few values, and nil if it finds
// none. n selects the changes.
func (g *Generator) Change(ctx context.Context, object map[string]any, n uint64) map[string]any {
	for try := range uint64(maxTries) {
		if ctx.Err() != nil {
			return nil
		}
		m := &maker{g: g, rand: rand.New(rand.NewPCG(g.seed+1, n*maxTries+try)), budget: maxValues, work: maxWork, density: 4}
		other := deepCopy(object).(map[string]any)
		m.change(g.places(other), 1)
		g.version.Store(other)
		if other, _ = m.repair(ctx, other); other != nil && !equal(object, other) {
			return other
		}
	}
	return nil
}

func (g *Generator) pattern(text string) *pattern {
	p, known := g.patterns[text]
	if !known && len(g.patterns) < maxPatterns {
		p = newPattern(text)
		g.patterns[text] = p
	}
	return p
}
