package lowering

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

// Ledger records the fields that the rules of a direction name, the values that they stash, and the
// fields that the module has to declare for them. Its methods answer questions about the other rules.
type Ledger struct {
	Scope
	declared *Declaration

	claims  *[]Claim // of the block
	All     *[]Claim // of the step
	Stashed *[]Claim // values that the direction takes out of the object
	Needs   *Needs
	Notes   *bool // the direction notes empty objects

	// Known once all steps have been lowered for the first time.
	Known         []Claim     // all claims of the step
	Before, Later []Direction // the other directions of the way
}

// Claim notes that a rule is about a path on a side, and declares it.
func (l *Ledger) Claim(one *syntax.Rule, side int, p fieldpath.Path, ph Phase) {
	whole := l.Prefix[side].Join(p...)
	if len(whole) > 1 && whole[0] == "metadata" && whole[1] != "labels" && whole[1] != "annotations" {
		l.Mistakes.At(one.Node, "%s cannot be converted: of the metadata, only labels and annotations can", whole)
	}
	*l.claims = append(*l.claims, Claim{side, whole, one, ph})
	*l.All = append(*l.All, Claim{side, whole, one, ph})
	l.Declare(side, p)
}

// Name notes that a rule is about a path on a side, beside the paths of its claims.
func (l *Ledger) Name(one *syntax.Rule, side int, p fieldpath.Path) {
	*l.All = append(*l.All, Claim{side, l.Prefix[side].Join(p...), one, Shaping})
}

// Declare adds a path to the fields of a version. A path to elements declares their list.
func (l *Ledger) Declare(side int, p fieldpath.Path) {
	p = l.Prefix[side].Join(p...)
	for len(p) > 0 && fieldpath.IsEvery(p.Last()) {
		p = p.Parent()
	}
	if len(p) == 0 {
		return
	}
	l.declared.addField(l.Version(side), p)
}

// AnnotationOf returns the members of {annotation: NAME} and {annotation: NAME, key: NAME}, of a rule about a
// path.
func (l *Ledger) AnnotationOf(at fieldpath.Path, n *yaml.Node, members ...vocabulary.Member) (name, key string) {
	args := syntax.Mapping(n, l.Mistakes, "the annotation", append([]vocabulary.Member{{Name: "annotation", Required: true, About: "the annotation's name"}}, members...))
	name, key = syntax.Text(args["annotation"], l.Mistakes, "annotation"), syntax.Text(args["key"], l.Mistakes, "key")
	if len(l.Prefix[0]) > 0 || slices.ContainsFunc(at, fieldpath.IsEvery) {
		l.Mistakes.At(n, "an annotation cannot keep parts of several elements: leave it out, and they are kept in the stash")
	}
	if name != "" {
		if reasons := validation.IsQualifiedName(strings.ToLower(name)); len(reasons) > 0 { // as API servers check it
			l.Mistakes.At(args["annotation"], "annotation %q is not valid: %s", name, reasons[0])
		}
		for side := range 2 {
			l.Declare(side, fieldpath.Path{"metadata", "annotations", name})
		}
	}
	return name, key
}

// checkOverlap reports rules that are about the same field: their order would matter, and no order
// is right in both directions.
func (l *Ledger) checkOverlap(one *syntax.Rule, before int) {
	for _, c := range (*l.claims)[before:] {
		if c.Rule != one || c.Phase != Shaping {
			l.checkTaken(c, before)
			continue
		}
		for _, other := range (*l.claims)[:before] {
			if other.Phase != Shaping || other.Side != c.Side || other.Rule.Args["when"] != nil && one.Args["when"] != nil || opposite(one, other.Rule) {
				continue
			}
			if c.Path.Within(other.Path) || other.Path.Within(c.Path) {
				l.Mistakes.At(one.Node, "%s is converted by the rule at line %d already: write one rule for a field, with rules for its elements or members at each or rules", c.Path, other.Rule.Node.Line)
				return
			}
		}
	}
}

// checkTaken reports a field that two rules take out of the object, of which one only gives it a
// place in the other version.
func (l *Ledger) checkTaken(c Claim, before int) {
	for _, other := range (*l.claims)[:before] {
		if c.Phase != Stashing || other.Side != c.Side || other.Rule == c.Rule || other.Phase == Giving || other.Rule.Args["when"] != nil || c.Rule.Args["when"] != nil {
			continue
		}
		if other.Path.Within(c.Path) || other.Phase == Stashing && c.Path.Within(other.Path) {
			l.Mistakes.At(c.Rule.Node, "%s is converted by the rule at line %d already: a dropped field is in one version only", other.Path, other.Rule.Node.Line)
			return
		}
	}
}

// checkSkipped reports rules about the inside of a list whose elements are skipped: its elements have
// other places then, and the stash would put a value into another element.
func checkSkipped(l *Ledger) {
	for _, list := range *l.claims {
		if list.Rule.Verb.Name != "skip" || list.Phase != Shaping {
			continue
		}
		for _, c := range *l.claims {
			if c.Rule != list.Rule && c.Side == list.Side && c.Path.Within(list.Path) {
				l.Mistakes.At(c.Rule.Node, "%s is in the list of the rule skip at line %d: write the rule at its member each", c.Path, list.Rule.Node.Line)
			}
		}
	}
}
