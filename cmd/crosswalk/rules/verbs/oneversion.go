package verbs

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// give lowers defaults and constants.
func give(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, side := l.Path(one.Args[one.Verb.Name]), l.Side(one)
	raw := l.Json(one, "value")
	if string(raw) == "null" {
		l.Mistakes.At(one.Args["value"], "value is null, which is the same as an absent field")
	}
	if p == nil || side < 0 || raw == nil {
		return nil
	}
	if len(p) == 0 || fieldpath.IsEvery(p.Last()) {
		l.Mistakes.At(one.Node, "%s is not a field: a path to one ends with a name", p)
		return nil
	}
	l.Needs.Uid = true
	syntax.Text(one.Args["reason"], l.Mistakes, "reason")
	return l.Elements(one, [2]fieldpath.Path{p, p}, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		l.Claim(one, side, p[side], lowering.Giving)
		switch {
		case side != l.Dir && one.Verb.Name == "default":
			return lowering.Giving.Of(program.Operation{Code: program.OpDefault, Path: p[side], Args: [10]program.Arg{raw}})
		case side != l.Dir:
			return lowering.Giving.Of(program.Operation{Code: program.OpConstant, Path: p[side], Args: [10]program.Arg{raw}})
		case one.Verb.Name == "constant" && !l.Unstashable(one):
			op, ph := program.Operation{Code: program.OpNoConstant, Path: p[side], Args: [10]program.Arg{raw, l.StashFor(one, p[side], around(l)...)}}, lowering.Stashing
			object := p[side].Parent()
			if is, whole := l.Standing(side, object), l.Prefix[side].Join(object...); is != lowering.Outside && !l.Touched(whole) {
				op.Args[2], ph = l.Constants(side, whole), lowering.Thinning // or it would not come back with the object
				if is == lowering.Alone {
					ph = lowering.Clearing
				}
			}
			return ph.Of(op)
		}
		return nil
	})
}

// drop lowers a rule about a field that the other version does not have, and one that is a copy then.
func drop(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, side := l.Path(one.Args[one.Verb.Name]), l.Side(one)
	of, copies := p, one.Verb.Name == "copy"
	if copies {
		of, l.Needs.Uid = l.Path(one.Args["of"]), true
	}
	stash := l.Bool(one, "stash", true)
	syntax.Text(one.Args["reason"], l.Mistakes, "reason")
	switch {
	case p == nil || side < 0 || of == nil:
		return nil
	case len(p) == 0 || fieldpath.IsEvery(p.Last()):
		l.Mistakes.At(one.Node, "%s is not a field: a path to one ends with a name", p)
		return nil
	case copies && p.Related(of):
		l.Mistakes.At(one.Node, "%s cannot be a copy of %s: one is within the other", p, of)
		return nil
	}
	if !stash && one.Args["for"] != nil {
		l.Mistakes.At(one.Args["for"], "for is about the stash, which the rule does not use")
	}
	var on program.Arg
	given := side == l.Dir && one.Args["for"] != nil
	if given {
		on = readDependence(l, one)
	}
	return l.Elements(one, [2]fieldpath.Path{p, of}, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		op := program.Operation{Code: program.OpRemove, Path: p[0]}
		l.Claim(one, side, p[0], lowering.Stashing)
		if copies {
			l.Declare(side, p[1])
			op.Args[1] = program.Steps(p[1])
		}
		switch {
		case side != l.Dir && copies:
			op.Code = program.OpDefault
			return lowering.Giving.Of(op)
		case side != l.Dir:
			return nil
		case stash && !l.Unstashable(one):
			op.Code = program.OpStash
			if op.Args[0] = l.StashFor(one, p[0], around(l)...); given {
				op.Args[0] = on
			}
		}
		return lowering.Stashing.Of(op)
	})
}

// around returns the path to the list around the value; nil if there is none.
func around(l *lowering.Lowering) []fieldpath.Path {
	if l.InList() {
		return []fieldpath.Path{{}}
	}
	return nil
}

// readDependence reads the fields that a dropped field depends on; nil for all of the object.
func readDependence(l *lowering.Lowering, one *syntax.Rule) program.Arg {
	n := one.Args["for"]
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "object":
		l.Needs.Whole = true
		return nil
	case n.Kind != yaml.SequenceNode:
		l.Mistakes.At(n, "for is %s, but must be object or a list of paths", syntax.NodeText(n))
		return nil
	}
	pointers := program.Texts{}
	for _, item := range syntax.Items(n, l.Mistakes, "for") {
		p, err := fieldpath.Parse(syntax.Text(item, l.Mistakes, "a path"))
		if err != nil {
			l.Mistakes.At(item, "%v", err)
			continue
		}
		if slices.ContainsFunc(p, fieldpath.IsEvery) || len(p) == 0 {
			l.Mistakes.At(item, "%s leads to several values: name the list", p)
			continue
		}
		if pointer := p.Pointer(); len(l.Later) > 0 && !slices.Contains(pointers, pointer) {
			pointers = append(pointers, pointer) // of a later version, perhaps
		}
		pointers = l.Depend(pointers, p)
	}
	return pointers
}
