package prove

import (
	"math"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// caseSplit divides the objects into cases by the fields that conditions test.
type caseSplit struct{ prover }

// maxCases bounds the cases that conditions make.
const maxCases = 64

// others is the value of a tested field in the case of all values that no condition names.
type others struct{}

// cases decides about the rules between two versions. Conditions divide the objects into cases by the
// values of the fields that they test. No rule is about a tested field, so both directions are in the
// same case, and the rules that apply there have to be proved, as if there were no others.
func (p caseSplit) cases() {
	all := p.rules
	if !slices.ContainsFunc(all, func(r placed) bool { return r.Conditional }) {
		p.values(region{sides: p.schemas}, all)
		return
	}
	for _, r := range all {
		where := r.at[r.Side]
		p.need(always, !r.relocates(), r.Line, where, "the file has conditions, and a rule that moves a field to another object")
		if !r.Conditional {
			continue
		}
		p.need(direct, p.steps == 1, r.Line, where, "on the way through a third version, the lemmas are about rules without conditions")
		if !p.need(always, r.When != nil && len(r.prefix) == 0, r.Line, where, "the lemmas are about conditions of rules for the object as a whole that are the same in both versions") {
			return
		}
		for _, q := range all {
			p.need(always, !q.Conditional || q.Statement == r.Statement || !r.crosses(q), r.Line, where, "another rule with a condition is about the same path in the other version")
		}
		for _, t := range r.When {
			p.tests(t, r, all)
		}
	}
	domains, total := [][]any{}, 1
	for _, at := range p.tested {
		domain := p.domain(at, all)
		domains, total = append(domains, domain), total*len(domain)
		if !p.need(always, total <= maxCases, all[0].Line, at, "the conditions make more than %d cases", maxCases) {
			return
		}
	}
	for n := range total {
		var values []any
		for _, domain := range domains {
			values, n = append(values, domain[n%len(domain)]), n/len(domain)
		}
		p.inside = 0 // all cases have the same annotations
		p.values(region{sides: p.schemas}, p.applying(all, values))
	}
}

// tests decides about a condition of a rule, and notes its field.
func (p caseSplit) tests(t rules.Test, r placed, all []placed) {
	at := path(t.Path)
	for side, s := range p.schemas {
		f := lookup(s, at)
		scalar := f != nil && slices.Contains([]string{"string", "boolean", "integer"}, f.Type) && !f.XIntOrString
		if !p.need(place, scalar && !slices.ContainsFunc(at, isEvery) && !(region{}).isMetadata(at), r.Line, at, "a condition tests it, and it is not a text, a boolean or an integer in %s", p.versions[side]) {
			return
		}
		p.need(null, !f.Nullable, r.Line, at, "a condition tests it, and it can be null in %s", p.versions[side])
	}
	for _, v := range t.Values {
		n, number := v.(float64)
		p.need(always, simple(v) && (!number || math.Abs(n) < 1<<53), r.Line, at, "a condition compares it with %v, which is not a text, a boolean or a small integer", v)
	}
	for _, q := range all {
		for side := range p.schemas {
			p.need(one, !slices.ContainsFunc(q.fields(side), at.Related), q.Line, at, "a condition tests it at line %d, and the rule is about it", r.Line)
		}
	}
	if !slices.ContainsFunc(p.tested, func(q path) bool { return slices.Equal(q, at) }) {
		p.tested = append(p.tested, at)
	}
}

// domain returns the values of a tested field that make cases of their own, and stand-ins for the
// absent value and for all others.
func (p caseSplit) domain(at path, all []placed) (values []any) {
	add := func(v any) {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	closed, always := true, true
	for _, s := range p.schemas {
		some, known := valuesOf(lookup(s, at))
		for _, v := range some {
			add(v)
		}
		closed = closed && known
		always = always && (requires(lookup(s, at.Parent()), at[len(at)-1]) || lookup(s, at).Default.Object != nil)
	}
	for _, r := range all {
		for _, t := range r.When {
			for _, v := range t.Values {
				if slices.Equal(path(t.Path), at) && simple(v) {
					add(v)
				}
			}
		}
		// Where the object around the tested field is absent, these rules have nothing to do.
		beside := func(q path) bool { return slices.Equal(q.Parent(), at.Parent()) }
		for side := range p.schemas {
			always = always && (!r.Conditional || !slices.ContainsFunc(r.fields(side), func(q path) bool { return !beside(q) }))
		}
	}
	if !closed {
		add(others{})
	}
	if !always {
		add(rules.Absent{})
	}
	return values
}

// simple reports whether a value can be compared.
func simple(v any) bool {
	switch v.(type) {
	case string, bool, float64:
		return true
	}
	return false
}

// applying returns the rules whose conditions hold for these values of the tested fields.
func (p caseSplit) applying(all []placed, values []any) (some []placed) {
	for _, r := range all {
		holds := true
		for _, t := range r.When {
			i := slices.IndexFunc(p.tested, func(q path) bool { return slices.Equal(q, path(t.Path)) })
			if i < 0 {
				holds = false // a condition that is not decided
				continue
			}
			found := values[i] != any(rules.Absent{})
			if t.Values != nil {
				found = slices.ContainsFunc(t.Values, func(v any) bool { return simple(v) && v == values[i] })
			}
			holds = holds && found != t.Not
		}
		if holds {
			r.inCase = r.Conditional
			some = append(some, r)
		}
	}
	return some
}
