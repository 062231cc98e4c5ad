package prove

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// translate decides about a table of values: each value that the schema allows comes back from its
// partner, or is the same in both versions, or is kept.
func (p lemma) translate(g region, r placed, fields sides) {
	kinds := [2]string{kindIn(column(r.Pairs, 0)), kindIn(column(r.Pairs, 1))}
	for side, f := range fields {
		whole, other := r.where(side), 1-side
		here, there := slices.Contains(column(r.Pairs, side), any(rules.Absent{})), slices.Contains(column(r.Pairs, other), any(rules.Absent{}))
		steady := !here && !there && p.steady(g, r.at)
		p.need(defaults, f.Default.Object == nil || there && !here || steady, r.Line, whole, "%s sets a default"+unlessBoth, p.versions[side])
		why, some := tableFault(r.Pairs, r.Merge)
		if !p.need(partner, why == "", r.Line, whole, "%s", why) {
			continue
		}
		if here {
			always := fields[other].Default.Object != nil || requires(lookup(g.sides[other], r.at[other].Parent()), r.at[other][len(r.at[other])-1])
			p.need(partner, there || always, r.Line, whole, "an absent field has a partner, and the field may be absent in %s, too", p.versions[other])
			p.need(partner, !r.relocates() && lasts(g, r.at[side].Parent()), r.Line, whole, "an absent field has a partner, and the object around it may go")
		}
		values, all := valuesOf(f)
		if p.steps > 1 {
			values, all = p.chain.values(r.whole(side), f)
			untouched := p.chain.untouched(r.whole(0)) && p.chain.untouched(r.whole(1))
			p.need(direct, untouched && !here && !there, r.Line, whole, "on the way through a third version, other rules are about the field, or absent has a partner")
		}
		if !all {
			fits := func(kind string) bool { return kind == "" || kind == kindOfType(f.Type) }
			p.need(partner, fits(kinds[0]) && fits(kinds[1]) && !r.Refuses, r.Line, whole, "%s allows any %s, and the rule does not convert all", p.versions[side], typeOf(f))
			values = present(column(r.Pairs, other)) // of the others, those that are partners only have to be kept
		}
		mustKeep := r.Merge
		for _, v := range values {
			fate := fateOf(r.Pairs, side, v)
			if fate == translated {
				continue
			}
			fits := func(kind string) bool { return kind == "" || kind == kindOf(v) }
			p.need(partner, !r.Refuses, r.Line, whole, "%s allows %v, which the rule refuses", p.versions[side], v)
			p.need(partner, fits(kinds[0]) && fits(kinds[1]), r.Line, whole, "%s allows %v, which has another type than the table", p.versions[side], v)
			mustKeep = mustKeep || fate == isPartner
		}
		if mustKeep && (r.Merge || !r.Refuses) {
			p.keep(side, r.origin(), longestNumber+longestRune*some, reason{value: !r.Merge || !there})
		}
	}
}

// lasts reports whether an object is in both versions or in none, whatever rules move: a member at
// the top, or an element.
func lasts(g region, object path) bool {
	whole := g.here(object)
	return g.top() && len(object) == 1 || len(whole) > 0 && isEvery(whole.Last())
}
