package rules

import (
	"encoding/json"
	"fmt"
	"slices"
)

// direction is one direction of a step.
type direction struct {
	step     *step
	claims   []claim // of the step
	stashed  []claim
	from, to string
	backward bool
}

// side returns the side that the direction converts from.
func (d direction) side() int {
	if d.backward {
		return 1
	}
	return 0
}

// compile derives the operations of all conversions.
func (f *File) compile(r *report) {
	f.fields, f.hashed = map[string][]path{}, map[string][]path{}
	var all needs
	var directions []direction
	for _, s := range f.steps {
		for dir := range 2 {
			l := newLowering(f, s, dir, r, &all)
			l.block(s.rules)
			s.claims = append(s.claims, *l.all...)
			directions = append(directions, direction{s, *l.all, *l.stashed, l.version(dir), l.version(1 - dir), dir == 1})
		}
	}
	if len(r.errors) > 0 {
		return
	}
	for _, from := range f.Versions {
		for _, to := range f.Versions {
			if from != to {
				f.connect(from, to, directions, &all, r)
			}
		}
	}
	f.declare(all, directions)
	if len(r.errors) == 0 {
		f.checkFields(r)
	}
}

// connect adds the conversion from one version to another: the directions on the way.
func (f *File) connect(from, to string, all []direction, n *needs, r *report) {
	there, back := route(from, to, all), route(to, from, all)
	if there == nil {
		r.at(f.steps[len(f.steps)-1].node, "no rules connect %s and %s: a module converts among all its versions, so make the others another module", from, to)
		return
	}
	var b block
	for i, d := range there {
		for _, s := range d.stashed {
			if i > 0 {
				f.checkPlace(s, there[:i], r)
			}
		}
		one, _ := f.lower(there, i, n, r)
		if len(there) == 1 {
			b = append(b, one...)
		} else if len(one) > 0 {
			b = append(b, operation{code: opWithin, args: [10]arg{one}})
		}
	}
	stashes := false
	for i, d := range back {
		_, notes := f.lower(back, i, n, r)
		stashes = stashes || notes || len(d.stashed) > 0
	}
	if stashes {
		op := operation{code: opRestore}
		if members := lasting(there); len(members) > 0 {
			op.args[0] = members
		}
		b = slices.Insert(b, 0, op)
	}
	f.conversions = append(f.conversions, conversion{f.Group + "/" + from, f.Group + "/" + to, b})
}

// lasting returns the members at the top, such as spec, that both ends of a way have whenever one
// has them: the version that it leads from has fields of rules within, and no rule moves fields
// from one member to another. If a client deletes such a member, the stash does not bring it back.
func lasting(way []direction) (members texts) {
	for _, d := range way {
		for _, c := range d.claims {
			for _, other := range d.claims {
				if c.rule == other.rule && c.path[0] != other.path[0] {
					return nil
				}
			}
		}
	}
	for _, c := range way[0].claims {
		if c.side == way[0].side() && len(c.path) > 1 && c.path[0] != "metadata" && !slices.Contains(members, c.path[0]) {
			members = append(members, c.path[0])
		}
	}
	slices.Sort(members)
	return members
}

// lower returns the operations of a direction of a way, and whether they note empty objects.
func (f *File) lower(way []direction, i int, n *needs, r *report) (block, bool) {
	d := way[i]
	l := newLowering(f, d.step, d.side(), r, n)
	l.known, l.before, l.later = d.claims, way[:i], way[i+1:]
	return l.block(d.step.rules), *l.notes
}

// lead returns the paths of the version that the direction leads to whose values follow from the
// value at a path. It may return more paths than these.
func (d direction) lead(p path) (all []path) {
	covered := false
	for _, c := range d.claims {
		if c.side != d.side() || !p.within(c.path) && !c.path.within(p) {
			continue
		}
		covered = covered || p.within(c.path)
		for _, other := range d.claims {
			if other.rule == c.rule && other.side != c.side {
				all = append(all, other.path)
			}
		}
	}
	if !covered {
		all = append(all, p)
	}
	return all
}

// checkPlace reports a value that is stashed after an earlier step of the way moved it: the stash
// would restore it to the wrong place.
func (f *File) checkPlace(s claim, before []direction, r *report) {
	for _, d := range before {
		for _, c := range d.claims {
			if c.phase == shaping && (s.path.within(c.path) || c.path.within(s.path)) {
				r.at(s.rule.node, "%s may be stashed on the way from %s, where the rule at line %d puts it elsewhere: make the two pairs of versions two modules, which the gateway chains", s.path, d.from, c.rule.node.Line)
				return
			}
		}
	}
}

// route returns the directions that lead from one version to another, fewest first; nil if none do.
func route(from, to string, all []direction) []direction {
	ways := [][]direction{nil}
	reached := []string{from}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		end := from
		if len(way) > 0 {
			end = way[len(way)-1].to
		}
		for _, d := range all {
			if d.from != end || slices.Contains(reached, d.to) {
				continue
			}
			longer := append(slices.Clone(way), d)
			if d.to == to {
				return longer
			}
			reached, ways = append(reached, d.to), append(ways, longer)
		}
	}
	return nil
}

// program returns the program for the interpreter.
func (f *File) program() ([]byte, error) {
	description, err := json.Marshal(struct {
		Language string `json:"language"`
		SDK      string `json:"sdk"`
		Name     string `json:"name"`
		Version  string `json:"version,omitempty"`
		Licence  string `json:"licence,omitempty"`
		Proof    *proof `json:"proof,omitempty"`
	}{"rules", "crosswalk-rules/1.0.0", f.Name, f.Release, f.Licence, f.proof})
	if err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	var fields [][2]string
	for _, v := range f.Versions {
		for _, p := range f.fields[v] {
			fields = append(fields, [2]string{f.Group + "/" + v, p.String()})
		}
		if f.fields != nil && len(f.fields[v]) == 0 {
			fields = append(fields, [2]string{f.Group + "/" + v, ""})
		}
	}
	return encode(string(description), f.conversions, fields), nil
}
