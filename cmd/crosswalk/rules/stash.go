package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// stashFor returns the pointers that a stashed value depends on: a path of the other version, or
// the list around the value. It notes the path that is stashed.
func (l *ledger) stashFor(one *rule, stashed path, p ...path) texts {
	l.needs.stash = true
	if whole := l.prefix[l.dir].join(stashed); len(whole) > 0 && whole[0] == "metadata" {
		l.r.at(one.node, "%s may have to be stashed, but the stash does not hold metadata: set %s", whole, map[string]string{
			"drop": "stash: false", "convert": "inexact: round or refuse", "split": "partial: leave or refuse", "join": "partial: leave or refuse",
		}[one.verb.name]+orElse(one))
	}
	*l.stashed = append(*l.stashed, claim{side: l.dir, path: l.prefix[l.dir].join(stashed), rule: one})
	list := texts{}
	for _, q := range p {
		list = l.depend(list, l.prefix[1-l.dir].join(q))
	}
	return list
}

// remember returns the pointers for a value that the stash keeps only where the rest of the rules can
// do without; nil where it cannot.
func (l *ledger) remember(at path, p ...path) arg {
	whole := l.prefix[l.dir].join(at)
	if l.known == nil || l.mapped || l.touched(whole) || len(whole) > 0 && whole[0] == "metadata" {
		return nil
	}
	l.needs.stash, *l.notes = true, true
	list := texts{}
	for _, q := range p {
		list = l.depend(list, l.prefix[1-l.dir].join(q))
	}
	return list
}

// depend adds a path of the other version to the pointers that a stashed value depends on. If the
// way goes on to more versions, the hash is that of the last one, and so are the pointers.
func (l *ledger) depend(list texts, p path) texts {
	all, version := []path{p}, l.version(1-l.dir)
	for _, d := range l.later {
		var next []path
		for _, q := range all {
			next = append(next, d.lead(q)...)
		}
		all, version = next, d.to
	}
	for _, q := range all {
		whole := q.plain() // of a path within elements, the list: a hash must see all of it
		if pointer := whole.pointer(); pointer != "" && !slices.Contains(list, pointer) {
			l.file.addHashed(version, whole)
			list = append(list, pointer)
		}
	}
	return list
}

// orElse completes the remedy for a rule that cannot do without the stash.
func orElse(one *rule) string {
	if slices.Contains([]string{"wrap", "unwrap"}, one.verb.name) {
		return "rest: {annotation: NAME, key: NAME}"
	}
	return ""
}

// unstashable reports a rule that would stash a part of a map that has become a list.
func (l *ledger) unstashable(one *rule) bool {
	if l.mapped {
		l.r.at(one.node, "the rule cannot be inverted: the stash cannot hold fields of the elements of a map, because they have other places in the list; drop the map as a whole, or write this converter with an SDK")
	}
	return l.mapped
}

// around returns the path to the list around the value; nil if there is none.
func (l *ledger) around() []path {
	if l.inList() {
		return []path{{}}
	}
	return nil
}

// dependences are the fields that a dropped field depends on.
type dependences struct {
	object   bool
	pointers texts
}

// dependence reads the member "for"; nil if it is absent.
func (l *ledger) dependence(one *rule, side int) *dependences {
	n := one.args["for"]
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode && n.Value == "object":
		l.needs.whole = true
		return &dependences{object: true}
	case n.Kind != yaml.SequenceNode:
		l.r.at(n, "for is %s, but must be object or a list of paths", nodeText(n))
		return nil
	}
	d := &dependences{pointers: texts{}}
	for _, item := range items(n, l.r, "for") {
		p, err := parsePath(textOf(item, l.r, "a path"))
		if err != nil {
			l.r.at(item, "%v", err)
			continue
		}
		if slices.ContainsFunc(p, isEvery) || len(p) == 0 {
			l.r.at(item, "%s leads to several values: name the list", p)
			continue
		}
		if pointer := p.pointer(); len(l.later) > 0 && !slices.Contains(d.pointers, pointer) {
			d.pointers = append(d.pointers, pointer) // of a later version, perhaps
		}
		d.pointers = l.depend(d.pointers, p)
	}
	return d
}
