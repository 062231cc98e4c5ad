package prove

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// converted decides about a value that is written in another type or unit. Each value has one partner.
// If the partner does not lead back to the value, because the module rounds it or spells it otherwise,
// the annotation keeps the value.
func (p lemma) converted(g region, r placed, fields sides) {
	types := [2]string{typeIn(r.As[0]), typeIn(r.As[1])}
	p.need(known, !slices.Contains(types[:], "number"), r.Line, r.where(0), "an API server rounds numbers of more than 15 digits")
	tens, kibis := [2]bool{isIn(decimalUnits, r.As[0]), isIn(decimalUnits, r.As[1])}, [2]bool{isIn(binaryUnits, r.As[0]), isIn(binaryUnits, r.As[1])}
	p.need(partner, !(tens[0] && kibis[1] || tens[1] && kibis[0]), r.Line, r.where(0), "neither %s nor %s is a multiple of the other, so two values have the same partner each way", r.As[0], r.As[1])
	for side, f := range fields {
		other, whole := 1-side, r.where(side)
		mixed := "intOrString"
		if !p.need(place, f.Type == types[side] && r.As[side] != mixed || f.XIntOrString && r.As[side] == mixed, r.Line, whole, "it is not of type %s in %s", types[side], p.versions[side]) {
			return
		}
		p.need(defaults, f.Default.Object == nil || p.steady(g, r.at), r.Line, whole, "%s sets a default"+unlessBoth, p.versions[side])
		if r.As[other] == mixed || r.As[side] == "string" && r.As[other] == "integer" && only(f, `0|-?[1-9][0-9]{0,17}`) {
			continue // an integer is one there, too, and each text is the only one of its number
		}
		p.need(known, !r.Rounds || types[side] != "string" && r.As[other] == "string", r.Line, whole, "%s allows values that inexact does not keep", p.versions[side])
		if !allGroups(r, side, f) && r.As[other] != "string" && (types[side] == "string" || r.As[other] != "quantity") { // any integer or boolean has a text, any integer is a quantity
			p.unfit(r, side, r.at[side], longest(f, 0), "a value that cannot be written as "+r.As[other])
		}
		if types[side] == "string" && types[other] != "boolean" && r.As[side] != "apiGroup" || types[side] == types[other] && r.As[side] != mixed { // in another spelling, or rounded
			p.keep(side, r.origin(), longest(f, 0), reason{value: true})
		}
	}
}

// unfit decides about values of a side that the rule cannot convert: the annotation keeps them, or the
// file accepts that the converter refuses them. at is where they are, in the field or a part of it.
func (p lemma) unfit(r placed, side int, at path, size int, values string) {
	if !r.Stashes {
		p.accepted(r.Line, side, r.roots[side].Join(at...), values)
		return
	}
	if f := lookup(p.schemas[1-side], r.whole(1-side)); f != nil {
		p.need(defaults, f.Default.Object == nil, r.Line, r.where(1-side), "%s sets a default, which stands there instead of a value that is kept", p.versions[1-side])
	}
	p.need(known, r.scatters() || !r.relocates(), r.Line, r.where(side), "there is no lemma for unfit: stash of a field that moves to another object")
	if isEvery(at[len(at)-1]) || !r.scatters() {
		at = r.at[side]
	}
	places := r.at
	places[side] = at
	p.keep(side, r.origin().of(places), size, reason{})
}

// allGroups reports whether the rule has a version for each API group that a schema allows.
func allGroups(r placed, side int, f *schema.Structural) bool {
	values, all := valuesOf(f)
	return r.As[side] == "apiGroup" && all && !slices.ContainsFunc(values, func(group any) bool {
		return !slices.ContainsFunc(r.Versions, func(pair [2]string) bool { return pair[0] == group })
	})
}

// decimalUnits and binaryUnits are those of quantities that are larger than one.
const (
	decimalUnits = "k M G T P E"
	binaryUnits  = "Ki Mi Gi Ti Pi Ei"
)

func isIn(units, name string) bool { return slices.Contains(strings.Fields(units), name) }

// typeIn returns the type in a schema of a type or unit of convert.
func typeIn(name string) string {
	switch name {
	case "string", "quantity", "duration", "apiVersion", "apiGroup":
		return "string"
	case "number", "boolean":
		return name
	}
	return "integer"
}
