package prove

import (
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// chain is the rest of a file with more than two versions: the rules of the other pairs of versions,
// and all schemas. Its conversions lead from version to version without an API server in between, so
// the lemmas for each pair hold for all, if no pair keeps a value or looks at one that another pair
// changes.
type chain struct {
	rules   [][]placed // of the other pairs
	schemas []*schema.Structural
}

// others fills in the chain of a pair, which is one of all. Only changing ones have rules that matter.
func (p *prover) others(all []rules.Statements, changing []int, own int, d *apiserver.Definition) {
	for _, i := range changing {
		if i != own {
			p.chain.rules = append(p.chain.rules, expand(all[i].Rules, nil))
		}
	}
	seen := map[string]bool{}
	for _, s := range all {
		for _, name := range []string{s.From, s.To} {
			if v := d.Version(name); v != nil && !seen[name] {
				seen[name] = true
				p.chain.schemas = append(p.chain.schemas, v.Schema)
			}
		}
	}
}

// untouched reports whether no rule of another pair is about a path, its inside, or a value around.
func (c *chain) untouched(at path) bool {
	for _, all := range c.rules {
		for _, r := range all {
			for side := range r.at {
				if r.about(side) && slices.ContainsFunc(r.fields(side), at.related) {
					return false
				}
			}
		}
	}
	return true
}

// everywhere reports whether each other pair has a rule about fields of both versions within a member
// at the top: whichever version a client deletes it in, no kept value brings it back.
func (c *chain) everywhere(member string) bool {
	return !slices.ContainsFunc(c.rules, func(all []placed) bool {
		return slices.ContainsFunc(all, leaves) || !slices.ContainsFunc(all, func(r placed) bool {
			return r.Verb != "drop" && len(r.at[0]) > 1 && len(r.at[1]) > 1 && r.at[0][0] == member && r.at[1][0] == member
		})
	})
}

// leaves reports whether a rule leads to another member at the top: the compiler then takes none for
// one that both versions have.
func leaves(r placed) bool {
	for _, here := range r.fields(0) {
		for _, there := range r.fields(1) {
			if here[0] != there[0] {
				return true
			}
		}
	}
	return false
}

// values returns the texts or booleans that a field can have if the object comes from any version.
// all is false if there may be others.
func (c *chain) values(at path, f *schema.Structural) (values []any, all bool) {
	values, all = valuesOf(f)
	for _, s := range c.schemas {
		if other := lookup(s, at); other != nil {
			more, known := valuesOf(other)
			values, all = append(values, more...), all && known && other.Type == f.Type
		}
	}
	return values, all
}

// caseSplit divides the objects into cases by the fields that conditions test.
type caseSplit struct{ *prover }

// maxCases bounds the cases that conditions make.
const maxCases = 64

// others is the value of a tested field in the case of all values that no condition names.
type others struct{}

// cases decides about the rules between two versions. Conditions divide the objects into cases by the
// values of the fields that they test. No rule is about a tested field, so both directions are in the
// same case, and the rules that apply there have to be proved, as if there were no others.
func (p caseSplit) cases(all []placed) {
	if !slices.ContainsFunc(all, func(r placed) bool { return r.Conditional }) {
		p.values(p.schemas, nil, all)
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
		p.values(p.schemas, nil, p.applying(all, values))
	}
}

// tests decides about a condition of a rule, and notes its field.
func (p caseSplit) tests(t rules.Test, r placed, all []placed) {
	at := path(t.Path)
	for side, s := range p.schemas {
		f := lookup(s, at)
		scalar := f != nil && slices.Contains([]string{"string", "boolean", "integer"}, f.Type) && !f.XIntOrString
		if !p.need(place, scalar && !slices.ContainsFunc(at, isEvery) && !isMetadata(nil, at), r.Line, at, "a condition tests it, and it is not a text, a boolean or an integer in %s", p.versions[side]) {
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
			p.need(one, !slices.ContainsFunc(q.fields(side), at.related), q.Line, at, "a condition tests it at line %d, and the rule is about it", r.Line)
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
		always = always && (requires(lookup(s, at.parent()), at[len(at)-1]) || lookup(s, at).Default.Object != nil)
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
		beside := func(q path) bool { return slices.Equal(q.parent(), at.parent()) }
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
