package prove

import (
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// Lemmas is the part of a verdict that follows from the rules and the schemas alone.
type Lemmas struct {
	Applied []string // the lemma for each rule, with its line and its field
	Open    []Open   // nothing is proved if there are any
	Limits  []Limit  // of the theorem

	Mistyped []Open // fields of other types than a rule is about
}

// Decide applies the lemmas to a file and a definition.
func Decide(f *rules.File, d *apiserver.Definition) Lemmas { return decide(f, d, "") }

// decide leaves one condition out, for the tests.
func decide(f *rules.File, d *apiserver.Definition, without condition) (all Lemmas) {
	most := 0
	for i := range f.Statements() {
		p, ok := pairOf(f, d, i, without)
		if ok {
			s := &stash{pair: p}
			caseSplit{prover{s}}.cases()
			s.checkLooks()
			lemma{s}.lists(nil)
			most += s.checkFits(f, d)
		}
		all.add(&p.decision)
	}
	checkAllFit(&all, f, most)
	return all
}

// add adds the decision about a pair of versions.
func (all *Lemmas) add(d *decision) {
	for i, r := range d.applied {
		again := slices.Contains(d.applied[:i], r) // in another case
		if !again && !slices.ContainsFunc(d.open, func(o Open) bool { return o.Line == r.Line }) {
			all.Applied = append(all.Applied, fmt.Sprintf("line %d: %s %s", r.Line, r.Text, r.Path))
		}
	}
	all.Open = append(all.Open, d.open...)
	all.Limits, all.Mistyped = append(all.Limits, d.limits...), append(all.Mistyped, d.mistyped...)
}
