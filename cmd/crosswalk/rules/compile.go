package rules

import (
	"encoding/json"
	"fmt"
	"slices"
)

// direction is the block of one direction of a step.
type direction struct {
	block    block
	claims   []claim // of the step
	stashed  []claim
	from, to string
	backward bool
}

// compile derives the operations of all conversions.
func (f *File) compile(r *report) {
	f.fields, f.hashed = map[string][]path{}, map[string][]path{}
	var all needs
	var directions []direction
	for _, s := range f.steps {
		for dir := range 2 {
			l := &lowering{file: f, step: s, dir: dir, r: r, claims: &[]claim{}, all: &[]claim{}, stashed: &[]claim{}, needs: &all}
			b := l.block(s.rules)
			directions = append(directions, direction{b, *l.all, *l.stashed, l.version(dir), l.version(1 - dir), dir == 1})
		}
	}
	f.declare(all, directions)
	for _, from := range f.Versions {
		for _, to := range f.Versions {
			if from != to {
				f.connect(from, to, directions, r)
			}
		}
	}
	if len(r.errors) == 0 {
		f.checkFields(r)
	}
}

// connect adds the conversion from one version to another: the directions on the way.
func (f *File) connect(from, to string, all []direction, r *report) {
	there, back := route(from, to, all), route(to, from, all)
	if there == nil {
		r.at(f.steps[len(f.steps)-1].node, "no rules connect %s and %s: a module converts among all its versions, so make the others another module", from, to)
		return
	}
	var b block
	if slices.ContainsFunc(back, func(d direction) bool { return len(d.stashed) > 0 }) {
		b = append(b, operation{code: opRestore})
	}
	for i, d := range there {
		for _, s := range d.stashed {
			if i > 0 {
				f.checkPlace(s, there[:i], r)
			}
		}
		if len(there) == 1 {
			b = append(b, d.block...)
		} else if len(d.block) > 0 {
			b = append(b, operation{code: opWithin, args: [10]arg{d.block}})
		}
	}
	f.conversions = append(f.conversions, conversion{f.Group + "/" + from, f.Group + "/" + to, b})
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
	}{"rules", "crosswalk-rules/1.0.0", f.Name, f.Release, f.Licence})
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
