// Package prove decides whether the rules of a converter lose nothing: it derives that from the rules
// and the schemas, by the lemmas of docs/author/prove.md, and otherwise looks for an object that is
// lost. Its answer is never that rules are proved if they lose something: a lemma with a condition
// that the schemas do not decide does not apply.
package prove
