// Package prove decides whether the rules of a converter lose nothing: it derives that from the rules
// and the schemas, by the lemmas of docs/author/prove.md, and otherwise looks for an object that is
// lost. Its answer is never that rules are proved if they lose something: a lemma with a condition
// that the schemas do not decide does not apply.
//
// Decide (proof.go) looks at the pairs of neighbouring versions one after the other. pair.go has what is
// known of a pair before, and decision.go what is found. cases.go divides the objects by the conditions
// of rules; rule.go goes through the rules for an object, or for a value within, and chooses the lemma
// for each, of which translate.go, nest.go, split.go and others have the arguments; frame.go looks at the
// fields without rules. kept.go decides about all values that a lemma leaves to the stash. verdict.go adds
// the search for a counterexample.
package prove
