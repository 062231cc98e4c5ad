package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// rule applies the lemma for the verb of a rule. s are the values that its paths begin at, and c the
// fields that rules are about.
func (p *prover) rule(s sides, at path, r placed, c [2]*claims) {
	where := at.join(r.at[r.Side]...)
	need := func(c condition, holds bool, format string, args ...any) bool {
		return p.need(c, holds, r.Line, where, format, args...)
	}
	need(known, !r.Elsewise, "there is no lemma for a member of the rule")
	need(always, !r.Conditional || r.inCase && len(at) == 0, "the rule has a condition, and the lemmas are about conditions of rules for the object as a whole")
	need(kept, !r.OneWay, "the rule is for one direction, and both versions lose their field")
	need(direct, p.steps == 1 || slices.Contains([]string{"rename", "move", "each", "translate"}, r.Verb), "on the way through a third version, the lemmas cover rename, move, each and translate only")
	outer := p.current
	p.current = r
	switch {
	case r.Verb == "drop":
		p.drop(s, at, r)
	case r.scatters():
		listLemmas{p}.splitFields(s, at, r)
	default:
		p.pair(s, at, r, c)
	}
	p.current = outer
	p.applied = append(p.applied, Open{Line: r.Line, Path: where.String(), Text: r.Verb})
}

// pair decides about a rule with a field on both sides.
func (p *prover) pair(s sides, at path, r placed, c [2]*claims) {
	fields := sides{}
	for side := range s {
		whole := at.join(r.at[side]...)
		if !p.need(place, !isMetadata(at, r.at[side]), r.Line, whole, "the schema does not describe metadata") {
			return
		}
		if fields[side] = lookup(s[side], r.at[side]); !p.need(place, fields[side] != nil, r.Line, whole, "the schema of %s does not name the field", p.versions[side]) {
			return
		}
		p.need(null, !nullable(fields[side], r.at[side]), r.Line, whole, "it can be null in %s", p.versions[side])
	}
	if r.relocates() {
		p.relocation(s, at, r, fields, c)
	}
	switch r.Verb {
	case "rename", "move", "each":
		p.moved(at, r, fields)
	case "translate":
		p.translate(s, at, r, fields)
	case "nest":
		p.nest(at, r, fields)
	case "wrap":
		p.wrap(at, r, fields)
	case "split":
		p.splitObject(at, r, fields)
	case "convert":
		p.converted(at, r, fields)
	case "splitList":
		listLemmas{p}.splitList(at, r, fields)
	case "listFromMap":
		listLemmas{p}.listFromMap(at, r, fields)
	case "renameKeys":
		listLemmas{p}.renameKeys(at, r, fields)
	case "skip":
		listLemmas{p}.skip(at, r, fields)
	}
}

// relocation decides about a field that the rule brings to another object.
func (p *prover) relocation(s sides, at path, r placed, fields sides, c [2]*claims) {
	common := r.at[0].parent().common(r.at[1].parent())
	p.need(top, len(at) > 0 || common > 0, r.Line, at.join(r.at[0]...), "it moves to another member at the top of the object")
	for side := range s {
		whole, other := at.join(r.at[side]...), 1-side
		p.need(defaults, fields[side].Default.Object == nil, r.Line, whole, "%s sets a default, and only where the object around the field is", p.versions[side])
		for n := common + 1; n < len(r.at[side]); n++ {
			object := r.at[side][:n]
			p.need(around, c[0].within(object).block(r.block) && c[1].within(object).block(r.block), r.Line, at.join(object...), "the rules for the fields of the object are in several lists")
			if lookup(s[other], object) == nil {
				p.need(around, !p.shares(side, object, c), r.Line, at.join(object...), "the file lists it in shared, and %s does not have it", p.versions[other])
				continue
			}
			if p.need(around, p.shares(side, object, c), r.Line, at.join(object...), "both versions have the object, and the move deletes it when it becomes empty: list it in shared") {
				p.need(defaults, lookup(s[side], object).Default.Object == nil && lookup(s[other], object).Default.Object == nil, r.Line, at.join(object...), "a version sets a default for the object around the field")
				for _, o := range []*schema.Structural{lookup(s[0], object), lookup(s[1], object)} { // where the move makes the object, the API server fills it
					p.need(defaults, !setsDefaults(o, o, 0), r.Line, at.join(object...), "a version sets a default within the object, which the move can make")
				}
				p.keep(other, [2]path{object, object}, r.Line, len("{}"), reason{empty: true, value: true}) // an empty one that the move fills
			}
		}
	}
}

// shares reports whether the module keeps an object of both versions that is empty: the file lists it
// in shared, or rules are about fields of it on the other side, too.
func (p *prover) shares(side int, object path, c [2]*claims) bool {
	for _, q := range p.shared {
		for s := range p.roots {
			if whole := p.roots[s].join(object...); q.common(whole) == len(whole) {
				return true
			}
		}
	}
	there := c[1-side]
	for _, name := range object {
		if there = there.child(name); there == nil {
			return false
		}
	}
	return there.children != nil
}

// moved decides about a value that keeps its bytes, except for the rules within it.
func (p *prover) moved(at path, r placed, fields sides) {
	whole := at.join(r.at[0]...)
	if len(r.Inner) == 0 {
		p.same(fields, [2]bool{}, r.Line, whole)
		return
	}
	p.need(defaults, fields[0].Default.Object == nil && fields[1].Default.Object == nil, r.Line, whole, "a version sets a default for the value")
	prefix := path{}
	if r.Every != "" {
		prefix = prefix.join(r.Every)
	}
	outer := p.roots
	for side := range p.roots {
		p.roots[side] = outer[side].join(r.at[side]...)
	}
	inner := expand(r.Inner, prefix)
	for i := range inner {
		inner[i].inCase = r.inCase
	}
	p.values(fields, whole, inner)
	p.roots = outer
}

// translate decides about a table of values: each value that the schema allows comes back from its
// partner, or is the same in both versions, or is kept.
func (p *prover) translate(s sides, at path, r placed, fields sides) {
	kinds := [2]string{kindIn(column(r.Pairs, 0)), kindIn(column(r.Pairs, 1))}
	for side, f := range fields {
		whole, other := at.join(r.at[side]...), 1-side
		here, there := slices.Contains(column(r.Pairs, side), any(rules.Absent{})), slices.Contains(column(r.Pairs, other), any(rules.Absent{}))
		p.need(defaults, f.Default.Object == nil || there && !here, r.Line, whole, "%s sets a default", p.versions[side])
		why, some := tableFault(r.Pairs, r.Merge)
		if !p.need(partner, why == "", r.Line, whole, "%s", why) {
			continue
		}
		if here {
			always := fields[other].Default.Object != nil || requires(lookup(s[other], r.at[other].parent()), r.at[other][len(r.at[other])-1])
			p.need(partner, there || always, r.Line, whole, "an absent field has a partner, and the field may be absent in %s, too", p.versions[other])
			p.need(partner, !r.relocates() && lasts(at, r.at[side].parent()), r.Line, whole, "an absent field has a partner, and the object around it may go")
		}
		values, all := valuesOf(f)
		if p.steps > 1 {
			values, all = p.chain.values(p.roots[side].join(r.at[side]...), f)
			untouched := p.chain.untouched(p.roots[0].join(r.at[0]...)) && p.chain.untouched(p.roots[1].join(r.at[1]...))
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
			p.need(partner, !r.Merge || !later(r.Pairs, other, v), r.Line, whole, "%s allows %v, which shares a partner in %s, so that both look alike there", p.versions[side], v, p.versions[other])
			mustKeep = mustKeep || fate == isPartner
		}
		if mustKeep && (r.Merge || !r.Refuses) {
			p.keep(side, r.at, r.Line, longestNumber+longestRune*some, reason{value: !r.Merge || !there})
		}
	}
}

// lasts reports whether an object is in both versions or in none, whatever rules move: a member at
// the top, or an element.
func lasts(at, object path) bool {
	return len(at) == 0 && len(object) == 1 || len(object) > 0 && isEvery(object[len(object)-1])
}

// valuesOf returns the texts or booleans that a schema allows. all is false if there may be others.
func valuesOf(s *schema.Structural) (values []any, all bool) {
	if s.Type == "boolean" {
		return []any{false, true}, true
	}
	if s.Type != "string" || s.ValueValidation == nil || len(s.ValueValidation.Enum) == 0 {
		return nil, false
	}
	for _, v := range s.ValueValidation.Enum {
		if text, ok := v.Object.(string); ok {
			values = append(values, text)
		}
	}
	return values, true
}

// kindOfType returns the kind of the values of a schema's type.
func kindOfType(name string) string {
	return map[string]string{"string": "string", "boolean": "bool", "integer": "float64", "number": "float64"}[name]
}

// wrap decides about a value that is the only element of a list in the other version.
func (p *prover) wrap(at path, r placed, fields sides) {
	value, list := fields[r.Side], fields[1-r.Side]
	whole, version := at.join(r.at[1-r.Side]...), p.versions[1-r.Side]
	p.need(known, r.Type == "" || r.Type == value.Type, r.Line, whole, "the rule demands the type %s", r.Type)
	if !p.need(place, list.Type == "array" && list.Items != nil, r.Line, whole, "it is not a list in %s", version) {
		return
	}
	v := list.ValueValidation
	some := v != nil && v.MinItems != nil && *v.MinItems > 0
	p.need(outside, some || !isEvery(r.at[1-r.Side].last()), r.Line, whole, "an empty list among the elements is omitted in %s, and the others get other places: require an element", p.versions[r.Side])
	if !some || v.MaxItems == nil || *v.MaxItems > 1 {
		p.keep(1-r.Side, r.at, r.Line, longest(list, 0), reason{value: some})
	}
	p.need(null, !nullable(list.Items, path{everyElement}), r.Line, whole.join(everyElement), "it can be null in %s", version)
	p.need(defaults, value.Default.Object == nil && list.Default.Object == nil && list.Items.Default.Object == nil, r.Line, whole, "a version sets a default")
	p.same(ordered(r.Side, value, list.Items), [2]bool{}, r.Line, at.join(r.at[r.Side]...))
}

// ordered returns the schema of a side's value and that of the other side's, in the order of the
// sides.
func ordered(side int, here, there *schema.Structural) sides {
	if side == 0 {
		return sides{here, there}
	}
	return sides{there, here}
}
