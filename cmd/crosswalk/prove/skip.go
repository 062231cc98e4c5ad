package prove

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// skip decides about a list of which the converter omits elements. It keeps the whole list if an
// element goes, or if one would go on the way back, so it does not matter which elements those are; of
// other lists, the rules for the elements decide: skip returns the schemas of the lists for them.
func (p lemma) skip(r placed, fields sides) (kept sides, ok bool) {
	for side, f := range fields {
		whole, other := r.whole(side), 1-side
		if !p.need(place, f.Type == "array" && f.Items != nil, r.Line, r.where(side), "it is not a list in %s", p.versions[side]) {
			return fields, false
		}
		if side == r.Side {
			for _, t := range r.Where {
				p.late.looks(side, look{line: r.Line, at: whole.Join(everyElement).Join(t.Path...)})
			}
		} else if r.fills() {
			continue // no element that comes from this version goes on the way back
		}
		p.keep(side, r.origin(), longest(f, 0), reason{value: true})
		p.limit(edited, r.Line, whole, "an edit of %s in %s drops the elements that are kept for %s", r.whole(other), p.versions[other], p.versions[side])
	}
	fields[r.Side] = withMember(fields[r.Side], r)
	return fields, true
}

// without returns the member without which a rule skips elements; "" if it has another condition.
func (r placed) without() string {
	if len(r.Where) != 1 || r.Where[0].Values != nil || !r.Where[0].Not || len(r.Where[0].Path) != 1 {
		return ""
	}
	return r.Where[0].Path[0]
}

// fills reports whether each converted element has the member without which the rule skips elements.
func (r placed) fills() bool {
	return slices.ContainsFunc(r.Inner, func(n rules.Statement) bool {
		return n.Verb == "nest" && !n.Conditional && n.Side != r.Side && len(n.Paths[0]) == 0 && len(n.Paths[1]) == 0 && n.Key == r.without()
	})
}

// withMember returns the schema of a list of which the elements without a certain member are skipped:
// the others have it.
func withMember(list *schema.Structural, r placed) *schema.Structural {
	if r.without() == "" {
		return list
	}
	copied, element, validation := *list, *list.Items, schema.ValueValidation{}
	if element.ValueValidation != nil {
		validation = *element.ValueValidation
	}
	validation.Required = append(slices.Clone(validation.Required), r.without())
	element.ValueValidation, copied.Items = &validation, &element
	return &copied
}
