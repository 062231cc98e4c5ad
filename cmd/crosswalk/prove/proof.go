package prove

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Lemmas is the part of a verdict that follows from the rules and the schemas alone.
type Lemmas struct {
	Applied []string // the lemma for each rule, with its line and its field
	Open    []Open   // nothing is proved if there are any
	Limits  []Limit  // of the theorem
}

// Decide applies the lemmas to a file and a definition.
func Decide(f *rules.File, d *apiserver.Definition) Lemmas { return decide(f, d, "") }

// decide leaves one condition out, for the tests.
func decide(f *rules.File, d *apiserver.Definition, without condition) (all Lemmas) {
	var changing []int // the pairs of versions that are not twins
	for i, s := range f.Statements() {
		if !twins(s, d) {
			changing = append(changing, i)
		}
	}
	most := 0
	for i, s := range f.Statements() {
		p := &prover{versions: [2]string{s.From, s.To}, steps: max(len(changing), 1), twins: len(changing) < len(f.Statements()), without: without, losses: f.Accepted()}
		a, b := d.Version(s.From), d.Version(s.To)
		for i, v := range []*apiserver.Version{a, b} {
			p.need(place, v != nil, 0, nil, "the definition has no version %s", p.versions[i])
		}
		if a != nil && b != nil {
			p.schemas = [2]*schema.Structural{a.Schema, b.Schema}
			for _, q := range s.Shared {
				p.shared = append(p.shared, q)
			}
			all := expand(s.Rules, nil)
			p.all = all
			p.others(f.Statements(), changing, i, d)
			for _, other := range f.Statements() { // a value that is kept on the way to a third version depends on its fields
				p.pointers += pointersOf(other.Rules, 0)
			}
			caseSplit{p}.cases(all)
			p.late.seen(func(side int, l look, f path) {
				p.need(defaults, false, l.line, l.at, "%s sets a default of %s after the conversion, and the converter looks there on the way back", p.versions[side], f)
			})
			p.checkFits(f, d)
		}
		for i, r := range p.applied {
			if slices.Contains(p.applied[:i], r) {
				continue // in another case
			}
			if !slices.ContainsFunc(p.open, func(o Open) bool { return o.Line == r.Line }) {
				all.Applied = append(all.Applied, fmt.Sprintf("line %d: %s %s", r.Line, r.Text, r.Path))
			}
		}
		all.Open = append(all.Open, p.open...)
		all.Limits = append(all.Limits, p.limits...)
		most += p.most
	}
	checkAllFit(&all, f, most)
	return all
}

// prover decides about the rules between two versions.
type prover struct {
	versions [2]string
	schemas  [2]*schema.Structural
	steps    int  // pairs of versions of the file, but not of twins
	twins    bool // the file has twins
	without  condition
	applied  []Open // the lemmas, as conditions that hold
	open     []Open
	all      []placed // the rules
	losses   []syntax.Accepted
	chain    chain
	tested   []path // the fields that conditions of rules are about
	current  placed // the rule in hand
	shared   []path // of objects that the file says both versions have
	limits   []Limit
	roots    [2]path      // to the values that the rules are about, in both versions
	keeps    [2][]keeping // by the version that has the values
	late     late
	most     int // the bytes that the kept values of a version need
	pointers int // more than the bytes of all pointers that a kept value depends on
}

// values decides about two values of which rules make one from the other; at is where they are, for
// messages. The paths of the rules begin at the values.
func (p *prover) values(s [2]*schema.Structural, at path, all []placed) {
	var c [2]*claims
	blind := false // a rule's fields are not known
	for side := range c {
		c[side] = &claims{}
	}
	told := slices.DeleteFunc(slices.Clone(all), func(r placed) bool {
		known := p.need(known, slices.Contains(verbs, r.Verb), r.Line, at.join(r.at[r.Side]...), "there is no lemma for the verb %s", r.Verb)
		blind = blind || !known
		return !known
	})
	inner := dropsWithin(told)
	for i := range told {
		r := &told[i]
		for side := range c {
			if inner[i] {
				break // the rule around it is about the field
			}
			for _, field := range r.fields(side) {
				if r.about(side) {
					p.need(one, c[side].add(field, r), r.Line, at.join(field...), "another rule is about the same field of %s", p.versions[side])
				}
			}
		}
	}
	for _, r := range told {
		for _, q := range told { // only rules of one list are ordered so that each finds its place free
			p.need(one, q.block == r.block || !r.crosses(q), r.Line, at.join(r.at[0]...), "a rule in another list is about the same path of %s", p.versions[1])
		}
		p.rule(s, at, r, c)
	}
	if !blind {
		p.frame(s, [2]bool{}, at, nil, c)
	}
}

// verbs are the verbs with a lemma.
var verbs = []string{"rename", "move", "each", "translate", "nest", "wrap", "drop", "convert", "split", "splitList", "listFromMap", "renameKeys", "skip"}

// metadata are the members of an object that no rule changes, and no schema describes.
var metadata = []string{"apiVersion", "kind", "metadata"}

// isMetadata reports whether a path from the value at leads to or into such a member.
func isMetadata(at, p path) bool {
	return len(at) == 0 && (len(p) == 0 || slices.Contains(metadata, p[0]))
}
