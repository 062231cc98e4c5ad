package prove

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// keeping is a value of a version that the annotation may keep, and the most bytes that it needs.
type keeping struct {
	line int
	at   path
	size int
}

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
		return at.common(q) == len(q) && !(len(q) == 0 && at[0] == "status")
	})
}

// keep notes a value that the annotation keeps in some objects. of are its paths from the values
// that the rules are about.
func (p *prover) keep(side int, of [2]path, line, size int, why reason) {
	other := 1 - side
	whole, there := p.roots[side].join(of[side]...), p.roots[other].join(of[other]...)
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
	p.keeps[side] = append(p.keeps[side], keeping{line, whole, size})
	for _, test := range p.tested {
		p.need(always, !p.current.inCase || why.covers(test), line, whole,
			"the rule may restore a value after an edit of %s in %s, when it does not apply any more: name that field in for", test, p.versions[other])
	}
	list := slices.IndexFunc(there, isEvery)
	drops := p.current.Statement != nil && p.current.Verb == "drop"
	if !drops {
		p.need(null, !holdsNull(lookup(p.schemas[other], there), 0), line, there, "a client of %s may set a member of it to null, which the converter does not see before it restores the value in %s", p.versions[other], p.versions[side])
	}
	switch {
	case why.on != nil:
		for _, q := range why.on {
			p.late.looks(other, look{line: line, at: q, inside: true})
		}
	case list >= 0:
		p.late.looks(other, look{line: line, at: there[:list], inside: true})
	case !drops:
		p.late.looks(other, look{line: line, at: there, inside: true})
	}
	switch {
	case list >= 0:
		if why.on != nil && !p.need(outside, why.covers(there[:list]), line, whole, "the rule restores it in elements of %s that were edited: name the list in for", there[:list]) {
			return
		}
		p.limit(edited, line, whole, "an edit of %s in %s drops the values that are kept for %s", there[:list], p.versions[other], p.versions[side])
	case why.on != nil:
		for _, q := range why.on {
			what := q.String()
			if len(q) == 0 {
				what = "the object, except of metadata and status,"
			}
			p.limit(edited, line, whole, "an edit of %s in %s drops the value that is kept for %s", what, p.versions[other], p.versions[side])
		}
		p.regained(side, there, line, why.covers)
	case !why.value:
		p.regained(side, there, line, why.covers)
	}
}

// drop decides about a field that only one version has: the annotation keeps it, and nothing that
// changes in the other version touches it, but for the fields in for.
func (p *prover) drop(s sides, at path, r placed) {
	whole := r.at[r.Side]
	if !p.need(place, len(at) > 0 || len(whole) > 1 && !isMetadata(at, whole), r.Line, whole, "it is not a field of spec, status or another member of the object") {
		return
	}
	p.need(kept, !r.Unkept, r.Line, whole, "the rule does not keep the field")
	f := lookup(s[r.Side], whole)
	if !p.need(place, f != nil, r.Line, whole, "the schema of %s does not name the field", p.versions[r.Side]) {
		return
	}
	p.need(null, !f.Nullable, r.Line, whole, "it can be null in %s", p.versions[r.Side])
	p.late.sets(r.Side, p.roots[r.Side].join(whole...), f)
	p.keep(r.Side, r.at, r.Line, longest(f, 0), reason{on: p.dependence(r)})
}

// dependence returns the fields of the other version that a dropped field depends on; nil without for.
func (p *prover) dependence(r placed) (on []path) {
	other := 1 - r.Side
	if r.For != nil {
		on = []path{} // the rule says that it depends on nothing
	}
	for _, q := range r.For {
		// A field of no schema is absent before and after every edit.
		p.need(kept, !isMetadata(nil, q) && lookup(p.schemas[other], q) != nil, r.Line, q, "for names it, and the schema of %s does not", p.versions[other])
		on = append(on, q)
	}
	if r.ForObject {
		on = append(on, path{})
	}
	return on
}

// regained decides about a client that deletes an object around a kept value in the other version:
// the object would come back with the value. The members at the top, such as spec, do so if no rule
// names a field of the other version within.
// covered reports whether the value does not come back then. at is the place in the other version.
func (p *prover) regained(side int, at path, line int, covered func(path) bool) {
	other := 1 - side
	for n := 1; n < len(at); n++ {
		outer, object := lookup(p.schemas[other], at[:n-1]), lookup(p.schemas[other], at[:n])
		if object == nil {
			return // the other version has no such object
		}
		required := p.steps == 1 && requires(outer, at[n-1]) // a client of a third version may delete it
		switch {
		case covered(at[:n]), n == 1 && p.lasting(other, at[0]):
		case n > 1:
			p.need(stays, required, line, at[:n], "a client of %s may delete it, and it would come back around a value that is kept: require it in %s, or name it in for", p.versions[other], p.versions[other])
		default:
			p.need(defaults, required || !setsDefaults(object, object, 0) && !setsDefaults(lookup(p.schemas[side], at[:n]), object, 0), line, at[:n], "a client of %s may delete it, and it would come back with defaults around a value that is kept: require it in %s, or name it in for", p.versions[other], p.versions[other])
		}
	}
}

// lasting reports whether the converter restores nothing within a member at the top that a client of
// a version deletes: rules name a field of that version within.
func (p *prover) lasting(side int, member string) bool {
	return !slices.ContainsFunc(p.all, leaves) && slices.ContainsFunc(p.all, func(r placed) bool {
		return r.about(side) && r.Verb != "each" && slices.ContainsFunc(r.fields(side), func(at path) bool { return len(at) > 1 && at[0] == member })
	})
}

// setsDefaults reports whether the schema sets a default of a member that the other one has, too, or
// of one within.
func setsDefaults(s, other *schema.Structural, depth int) bool {
	if s == nil || other == nil {
		return false
	}
	for name, property := range s.Properties {
		same, both := other.Properties[name]
		if both && (property.Default.Object != nil || depth > deepest || setsDefaults(&property, &same, depth+1)) {
			return true
		}
	}
	return false
}

func isEvery(name string) bool { return name == everyElement || name == everyMember }

// isIndex reports whether a name may be that of an element in a pointer.
func isIndex(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// checkFits states that objects are refused whose kept values the annotation cannot hold, if the
// schemas do not bound them.
func (p *prover) checkFits(f *rules.File, d *apiserver.Definition) {
	for side, all := range p.keeps {
		if len(all) == 0 {
			continue
		}
		first, size := all[0], keptHead
		if len(d.Versions) != len(f.Versions) {
			p.limit(refused, first.line, first.at, "modules for the other versions of the definition may keep values in the same annotation, and an object that needs more than %d bytes of it is refused", mostKept)
		}
		for _, k := range all {
			if k.size >= mostKept || slices.ContainsFunc(k.at, isEvery) && k.size > 0 {
				p.limit(refused, k.line, k.at, "an object of %s whose kept values need more than %d bytes in the annotation is refused", p.versions[side], mostKept)
				size = 0
				break
			}
			size += k.size + pointerBytes(k.at) + p.pointers + 64
		}
		p.most = max(p.most, size-keptHead)
		if size > mostKept {
			p.limit(refused, first.line, first.at, "an object of %s whose kept values need more than %d bytes in the annotation is refused", p.versions[side], mostKept)
		}
	}
}

// checkAllFit does the same for the values that the versions of a longer chain keep together. Each of
// the others may have kept values, of all pairs of versions. most is the sum of what they need.
func checkAllFit(all *Lemmas, f *rules.File, most int) {
	others := len(f.Versions) - 1
	if others < 2 || keptHead+others*most <= mostKept || slices.ContainsFunc(all.Limits, func(l Limit) bool { return l.Limit == refused && l.accepts.Line == 0 }) {
		return
	}
	all.Limits = append(all.Limits, Limit{Limit: refused, Path: ".", Text: fmt.Sprintf("an object whose kept values of all versions need more than %d bytes in the annotation is refused", mostKept)})
}
