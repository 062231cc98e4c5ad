package prove

import (
	"slices"
)

// stash decides about the values that the annotation keeps for both versions of a pair.
type stash struct {
	*pair
	tested []path       // the fields that conditions of rules are about
	keeps  [2][]keeping // by the version that has the values
	late   late
	inside int // the bytes of values in annotations of rules
}

// keeping is a value of a version that the annotation may keep, and the most bytes that it needs.
type keeping struct {
	line int
	at   path
	size int
}

// origin is where the values come from that the annotation may keep.
type origin struct {
	line   int     // of the rule
	roots  [2]path // the value that the rule's paths begin at, in both versions
	at     [2]path // the field, from there
	inCase bool    // the rule has a condition
	drops  bool    // it drops the field
	mapped bool    // the field is in an element that is a member of a map in the other version
}

// origin returns the field of a rule as an origin.
func (r placed) origin() origin {
	return origin{line: r.Line, roots: r.roots, at: r.at, inCase: r.inCase, drops: r.Verb == "drop", mapped: r.mapped}
}

// of returns an origin with the same rule, and another field.
func (o origin) of(at [2]path) origin {
	o.at = at
	return o
}

func (o origin) whole(side int) path { return o.roots[side].Join(o.at[side]...) }

// reason says when a kept value comes back, besides that the list around it, if there is one, is as
// it was.
type reason struct {
	empty bool   // it is an empty object
	value bool   // the field in the other version is as it was, and there
	on    []path // these fields of the other version are as they were
}

// covers reports whether a field of the other version is among those that a kept value depends on. All
// of an object is all but metadata and status.
func (why reason) covers(at path) bool {
	return slices.ContainsFunc(why.on, func(q path) bool {
		return at.Common(q) == len(q) && !(len(q) == 0 && at[0] == "status")
	})
}

// keep decides about values of a version that the annotation keeps in some objects, of at most so many
// bytes.
func (p *stash) keep(side int, of origin, size int, why reason) {
	other, line := 1-side, of.line
	whole, there := of.whole(side), of.whole(other)
	p.need(kept, !of.mapped, line, whole, "a value of it may have to be kept, and the elements have no places in the other version")
	for _, name := range whole {
		if !p.need(outside, !isIndex(name), line, whole, "a value of it may have to be kept, and %s may be the place of an element", name) {
			return
		}
	}
	lasts := why.empty && p.chain.untouched(whole) && p.chain.untouched(there) && p.chain.everywhere(whole[0])
	p.need(direct, p.steps == 1 || lasts, line, whole, "a value of it may have to be kept on the way through a third version, whose rules may change it")
	if p.twins && !why.empty {
		p.limit(twin, line, whole, "a version with the schema of %s or %s neither shows nor restores a value that is kept for %s: no client may write both of them", p.versions[side], p.versions[other], p.versions[side])
	}
	if !slices.ContainsFunc(p.keeps[side], func(k keeping) bool { return k.line == line && k.size == size && k.at.Equal(whole) }) { // of another case
		p.keeps[side] = append(p.keeps[side], keeping{line, whole, size})
	}
	for _, test := range p.tested {
		p.need(always, !of.inCase || why.covers(test), line, whole,
			"the rule may restore a value after an edit of %s in %s, when it does not apply any more: name that field in for", test, p.versions[other])
	}
	list := slices.IndexFunc(there, isEvery)
	if !of.drops {
		p.need(null, !holdsNull(lookup(p.schemas[other], there), 0), line, there, "a client of %s may set a member of it to null, which the converter does not see before it restores the value in %s", p.versions[other], p.versions[side])
	}
	switch {
	case why.on != nil:
		for _, q := range why.on {
			p.late.looks(other, look{line: line, at: q, inside: true})
		}
	case list >= 0:
		p.late.looks(other, look{line: line, at: there[:list], inside: true})
	case !of.drops:
		p.late.looks(other, look{line: line, at: there, inside: true})
	}
	switch {
	case list >= 0:
		if why.on != nil && !p.need(outside, why.covers(there[:list]), line, whole, "the rule restores it in elements of %s that were edited: name the list in for", there[:list]) {
			return
		}
		p.limit(edited, line, whole, "an edit of %s in %s drops the values that are kept for %s", there[:list], p.versions[other], p.versions[side])
		if list = slices.Index(whole, everyElement); list >= 0 && (lemma{p}).granular(side, whole[:list]) {
			p.limit(applied, line, whole, "a kept value that leaves what a manager applies at %s stays, and goes with other elements, once a manager has an entry at %s", p.versions[side], p.versions[other])
		}
	case why.on != nil:
		for _, q := range why.on {
			what := q.String()
			if len(q) == 0 {
				what = "the object, except of metadata and status,"
			}
			p.limit(edited, line, whole, "an edit of %s in %s drops the value that is kept for %s", what, p.versions[other], p.versions[side])
		}
		p.regained(side, there, line, why.covers, true)
	case !why.value:
		p.regained(side, there, line, why.covers, true)
	}
}

// regained decides about a client that deletes an object around a kept value in the other version:
// the object would come back with the value. The members at the top, such as spec, do so if no rule
// names a field of the other version within.
// covered reports whether the value does not come back then, and stashed whether the stash has it, not an
// annotation of the rule. at is the place in the other version.
func (p *stash) regained(side int, at path, line int, covered func(path) bool, stashed bool) {
	other := 1 - side
	for n := 1; n < len(at); n++ {
		outer, object := lookup(p.schemas[other], at[:n-1]), lookup(p.schemas[other], at[:n])
		if object == nil {
			return // the other version has no such object
		}
		required := p.steps == 1 && requires(outer, at[n-1]) // a client of a third version may delete it
		switch {
		case covered(at[:n]), n == 1 && stashed && p.lasting(other, at[0]):
		case n > 1:
			p.need(stays, required, line, at[:n], "a client of %s may delete it, and it would come back around a value that is kept: require it in %s, or name it in for", p.versions[other], p.versions[other])
		default:
			p.need(defaults, required || !setsDefaults(object, object, 0) && !setsDefaults(lookup(p.schemas[side], at[:n]), object, 0) && !p.defaultsOf(side, at[:n]), line, at[:n], "a client of %s may delete it, and it would come back with defaults around a value that is kept: require it in %s, or name it in for", p.versions[other], p.versions[other])
		}
	}
}

// defaultsOf reports whether a version sets a default within an object that a rule brings to the other one.
func (p *pair) defaultsOf(side int, object path) bool {
	return slices.ContainsFunc(p.rules, func(r placed) bool {
		return r.Verb != "drop" && slices.ContainsFunc(r.fields(side), func(at path) bool {
			f := lookup(p.schemas[side], at)
			return at.Common(object) == len(object) && f != nil && (f.Default.Object != nil || setsDefaults(f, f, 0))
		})
	})
}

// lasting reports whether the converter restores nothing within a member at the top that a client of
// a version deletes: rules name a field of that version within.
func (p *pair) lasting(side int, member string) bool {
	return !slices.ContainsFunc(p.rules, leaves) && slices.ContainsFunc(p.rules, func(r placed) bool {
		return r.about(side) && r.Verb != "each" && slices.ContainsFunc(r.fields(side), func(at path) bool { return len(at) > 1 && at[0] == member })
	})
}

// checkLooks decides about what the converter looks at on the way back: an API server sets no default
// there before.
func (p *stash) checkLooks() {
	p.late.seen(func(side int, l look, f path) {
		p.need(defaults, false, l.line, l.at, "%s sets a default of %s after the conversion, and the converter looks there on the way back", p.versions[side], f)
	})
}
