package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// drop decides about a field that only one version has: the annotation keeps it, and nothing that
// changes in the other version touches it, but for the fields in for.
func (p lemma) drop(g region, r placed) {
	field, where := r.at[r.Side], r.where(r.Side)
	if !p.need(place, !g.top() || len(field) > 1 && !g.isMetadata(field), r.Line, where, "it is not a field of spec, status or another member of the object") {
		return
	}
	p.need(kept, !r.Unkept, r.Line, where, "the rule does not keep the field")
	f := lookup(g.sides[r.Side], field)
	if !p.need(place, f != nil, r.Line, where, "the schema of %s does not name the field", p.versions[r.Side]) {
		return
	}
	p.lacks(r.Side, r.Line, r.whole(r.Side), f)
	if r.Of != nil {
		p.copied(g, r, f)
	}
	p.keep(r.Side, r.origin(), longest(f, 0), reason{on: p.dependence(r)})
}

// copied decides about a field that is a copy of another one, whose place and bytes in both versions are
// as a rename leaves them: the copy that the way back makes is the one that went, or the annotation has
// another value, or that there was none.
func (p lemma) copied(g region, r placed, f *schema.Structural) {
	original := lookup(g.sides[r.Side], r.Of)
	plain := !slices.ContainsFunc(p.rules, func(q placed) bool {
		return slices.ContainsFunc(q.fields(r.Side), path(r.Of).Related) && !(len(q.Inner) == 0 && slices.Contains([]string{"rename", "move"}, q.Verb))
	})
	if p.need(known, g.top() && !r.Conditional && plain && original != nil && !original.Nullable && !f.Nullable, r.Line, r.Of, "the lemma for copy is about a field of the object that a rule moves at most, and that cannot be null") {
		p.same(sides{original, f}, [2]bool{}, r.Line, r.where(r.Side))
	}
}

// withdrawn names the lists of objects of which an applier cannot withdraw an element at one version, once
// a manager has an entry at the other one, which has the list as one field (docs/use/apply.md). The stash
// has a kept list as one.
func (p lemma) withdrawn(r placed) {
	for side, other := range []int{1, 0} {
		at := r.whole(side)
		here, there := p.granular(side, at), p.granular(other, r.whole(other))
		if here {
			list := lookup(p.schemas[side], at)
			here = list.Type == "array" && list.Items != nil && list.Items.Type == "object"
		}
		switch {
		case r.Verb == "drop":
			here = here && side == r.Side
		case r.Verb != "skip" && (r.Verb != "wrap" || side == r.Side):
			here = here && !there
		}
		if here {
			p.limit(applied, r.Line, at, staysApplied, p.versions[side], p.versions[other])
		}
	}
}

const staysApplied = "an element that leaves what a manager applies at %s stays, once a manager has an entry at %s"

// lists is withdrawn for lists that both versions have at one path.
func (p lemma) lists(at path) {
	s := sides{lookup(p.schemas[0], at), lookup(p.schemas[1], at)}
	if s[0] == nil || s[1] == nil {
		return
	}
	for side, other := range []int{1, 0} {
		if s[0].Type == "array" && s[1].Type == "array" && p.granular(side, at) && !p.granular(other, at) {
			p.limit(applied, 0, at, staysApplied, p.versions[side], p.versions[other])
		}
	}
	for _, name := range names(s, [2]*claims{}) {
		p.lists(at.Join(name))
	}
}

// granular reports whether API servers know the manager of each part of the value at a path.
func (p lemma) granular(side int, at path) bool {
	for n := range len(at) + 1 {
		s := lookup(p.schemas[side], at[:n])
		if s == nil || s.Type != "object" && (s.XListType == nil || *s.XListType == "atomic") || s.XMapType != nil && *s.XMapType == "atomic" {
			return false
		}
	}
	return true
}

// dependence returns the fields of the other version that a dropped field depends on; nil without for.
func (p lemma) dependence(r placed) (on []path) {
	other := 1 - r.Side
	if r.For != nil {
		on = []path{} // the rule says that it depends on nothing
	}
	for _, q := range r.For {
		// A field of no schema is absent before and after every edit.
		p.need(kept, !(region{}).isMetadata(q) && lookup(p.schemas[other], q) != nil, r.Line, q, "for names it, and the schema of %s does not", p.versions[other])
		on = append(on, q)
	}
	if r.ForObject {
		on = append(on, path{})
	}
	return on
}
