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
	"reflect"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// maxTries is how often an object for one goal is tried.
const maxTries = 8

// Generator makes objects of one version. The same seed and given objects make the same objects. It
// is not safe for concurrent use.
type Generator struct {
	*source
	seed     uint64
	given    []map[string]any
	goals    []*goal
	open     []*goal // not reached, in the order to try them
	count    uint64  // of calls to Next
	attempts uint64
	why      string           // the last reason for which an object was not made
	byPath   map[string]*node // of With
}

// New returns a Generator. given are objects of the version whose values are used as examples, and
// that are changed; New does not change them itself.
func New(ctx context.Context, v *apiserver.Version, seed uint64, given ...map[string]any) *Generator {
	g := &Generator{source: newSource(v), seed: seed}
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
	return newMaker(g.source, rand.New(rand.NewPCG(g.seed, g.attempts)), goal)
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
		change := changer{m}
		change.some(g.places(object), 1+m.rand.IntN(4))
		g.version.Store(object)
		object, _ = change.repair(ctx, object)
		return object
	}
	m.density = 1 + int(n/4)%7
	if n >= firstWide && (n/4)%wideEvery == wideEvery-1 {
		m.wide.on, m.budget, m.density = true, wideBudget, max(m.density, 4)
	}
	object, why := m.make(ctx)
	g.why = why
	return object
}

// Why returns the reason for which Next did not find an object; "" if it did, or was not called.
func (g *Generator) Why() string { return g.why }

// Change returns a valid object that differs from a given one in a few values, and nil if it finds
// none. n selects the changes.
func (g *Generator) Change(ctx context.Context, object map[string]any, n uint64) map[string]any {
	for try := range uint64(maxTries) {
		if ctx.Err() != nil {
			return nil
		}
		m := newMaker(g.source, rand.New(rand.NewPCG(g.seed+1, n*maxTries+try)), nil)
		m.density = 4
		change := changer{m}
		other := deepCopy(object).(map[string]any)
		change.some(g.places(other), 1)
		g.version.Store(other)
		if other, _ = change.repair(ctx, other); other != nil && !reflect.DeepEqual(object, other) {
			return other
		}
	}
	return nil
}
