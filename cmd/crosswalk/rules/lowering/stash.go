package lowering

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// StashFor returns the pointers that a stashed value depends on: a path of the other version, or
// the list around the value. It notes the path that is stashed.
func (l *Ledger) StashFor(one *syntax.Rule, stashed fieldpath.Path, p ...fieldpath.Path) program.Texts {
	l.Needs.stash = true
	if whole := l.Prefix[l.Dir].Join(stashed...); len(whole) > 0 && whole[0] == "metadata" {
		remedy := map[string]string{
			"drop": "stash: false", "convert": "inexact: round or refuse", "split": "partial: leave or refuse", "join": "partial: leave or refuse", "translate": "merge: false",
			"wrap": "rest: {annotation: NAME, key: NAME}", "unwrap": "rest: {annotation: NAME, key: NAME}",
		}[one.Verb.Name]
		if remedy != "" {
			remedy = ": set " + remedy
		}
		l.Mistakes.At(one.Node, "%s may have to be stashed, but the stash does not hold metadata%s", whole, remedy)
	}
	*l.Stashed = append(*l.Stashed, Claim{Side: l.Dir, Path: l.Prefix[l.Dir].Join(stashed...), Rule: one})
	list := program.Texts{}
	for _, q := range p {
		list = l.Depend(list, l.Prefix[1-l.Dir].Join(q...))
	}
	return list
}

// Remember returns the pointers for a value that the stash keeps only where the rest of the rules can
// do without; nil where it cannot.
func (l *Ledger) Remember(at fieldpath.Path, p ...fieldpath.Path) program.Arg {
	whole := l.Prefix[l.Dir].Join(at...)
	if l.Known == nil || l.Mapped || l.Touched(whole) || len(whole) > 0 && whole[0] == "metadata" {
		return nil
	}
	l.Needs.stash, *l.Notes = true, true
	list := program.Texts{}
	for _, q := range p {
		list = l.Depend(list, l.Prefix[1-l.Dir].Join(q...))
	}
	return list
}

// Depend adds a path of the other version to the pointers that a stashed value depends on. If the
// way goes on to more versions, the hash is that of the last one, and so are the pointers.
func (l *Ledger) Depend(list program.Texts, p fieldpath.Path) program.Texts {
	all, version := []fieldpath.Path{p}, l.Version(1-l.Dir)
	for _, d := range l.Later {
		var next []fieldpath.Path
		for _, q := range all {
			next = append(next, d.lead(q)...)
		}
		all, version = next, d.To
	}
	for _, q := range all {
		whole := q.Plain() // of a path within elements, the list: a hash must see all of it
		if pointer := whole.Pointer(); pointer != "" && !slices.Contains(list, pointer) {
			l.declared.addHashed(version, whole)
			list = append(list, pointer)
		}
	}
	return list
}

// Unstashable reports a rule that would stash a part of a map that has become a list.
func (l *Ledger) Unstashable(one *syntax.Rule) bool {
	if l.Mapped {
		l.Mistakes.At(one.Node, "the rule cannot be inverted: the stash cannot hold fields of the elements of a map, because they have other places in the list; drop the map as a whole, or write this converter with an SDK")
	}
	return l.Mapped
}
