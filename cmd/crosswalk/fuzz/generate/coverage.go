package generate

import (
	"context"
	"reflect"
	"slices"
)

// Unreached is a goal that no object showed.
type Unreached struct {
	Path, What string
	Why        string // why an API server rejected the last attempt; empty if there was none
}

// Coverage returns the number of goals, and those that no object reached so far.
func (g *Generator) Coverage() (goals int, unreached []Unreached) {
	for _, goal := range g.goals {
		if !goal.reached {
			unreached = append(unreached, Unreached{Path: goal.node.path, What: goal.what, Why: goal.why})
		}
	}
	return len(g.goals), unreached
}

// mark marks the goals that a value shows as reached.
func (g *Generator) mark(n *node, value any) {
	n.goals = slices.DeleteFunc(n.goals, func(goal *goal) bool {
		goal.reached = goal.reached || goal.shownBy(value)
		return goal.reached
	})
	switch v := value.(type) {
	case map[string]any:
		for _, f := range n.fields {
			child, there := v[f.name]
			switch {
			case f.meta:
			case there:
				g.mark(f, child)
			case f.absent != nil:
				f.absent.reached = true
			}
		}
		if n.values != nil {
			for key, child := range v {
				if n.byName[key] == nil {
					g.mark(n.values, child)
				}
			}
		}
	case []any:
		if n.items != nil {
			for _, child := range v {
				g.mark(n.items, child)
			}
		}
	}
}

// shownBy reports whether a value that is present shows the goal.
func (g *goal) shownBy(value any) bool {
	switch {
	case g.absent:
		return false
	case g.text:
		_, is := value.(string)
		return is
	case g.fixed:
		return reflect.DeepEqual(g.value, value)
	case g.branch != nil:
		return g.branch.holds(context.Background(), value)
	case g.sized:
		return sizeOf(value) == g.length
	}
	return true // present
}

func sizeOf(value any) int {
	switch v := value.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	case string:
		return len([]rune(v))
	}
	return -1
}
