package rules

import (
	"slices"
	"strings"
)

// splitObject lowers a rule between a string, on a side, and an object with its parts on the other.
// The object is there if the string is, so that all parts may be absent; it may have the place of
// the string.
func (l *lowering) splitObject(one *rule, side int, s splitting) []phased {
	at := one.args["absent"]
	object := s.parts[0].path.parent()
	named := slices.Clone(s.parts)
	for i, p := range s.parts {
		switch {
		case !p.path.parent().equal(object) || len(object) == 0 || isEvery(p.path.last()):
			l.r.at(at, "with absent, the parts are members of one object of their own: %s is not a member of %s", p.path, object)
			return nil
		case p.kind != stringType:
			l.r.at(at, "with absent, the parts are strings: %s is not", p.path)
			return nil
		case slices.ContainsFunc(s.parts[:i], func(q part) bool { return q.path.equal(p.path) }):
			l.r.at(at, "%s is two parts", p.path)
			return nil
		}
		named[i].path = path{p.path.last()}
	}
	switch same := s.one.equal(object); {
	case !same && (s.one.within(object) || object.within(s.one)):
		l.r.at(at, "with absent, the parts need an object of their own, which is there if %s is: %s is not", s.one, object)
		return nil
	case s.how == splitHostPort, one.args["partial"] != nil:
		l.r.at(at, "absent says what to do with absent parts: omit partial and hostPort")
		return nil
	case s.how == splitWords && len(strings.Fields(s.absent)) != 1 || s.how == splitWords && strings.TrimSpace(s.absent) != s.absent:
		l.r.at(at, "absent is the text of a part, which is one word: %q is not", s.absent)
		return nil
	case s.separator != "" && strings.Contains(s.absent, s.separator):
		l.r.at(at, "absent is the text of a part, which does not contain the separator: %q does", s.absent)
		return nil
	}
	p := [2]path{}
	p[side], p[1-side] = s.one, object
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.needs.uid = true
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		for _, q := range named { // so that Check knows them
			*l.all = append(*l.all, claim{1 - side, l.prefix[1-side].join(p[1-side]).join(q.path), one, shaping})
		}
		op := operation{code: opSplitObject, path: p[side]}
		if l.dir != side {
			op.code = opJoinObject
		}
		op.args = [10]arg{named, text(s.separator), word(s.how), word(l.kept(p[l.dir], p[1-l.dir])), text(s.splitMessage(l)), text(s.partMessage(l)), steps(p[1-side]), nil,
			text(s.absent), bit(p[0].equal(p[1]))}
		if !l.unstashable(one) {
			op.args[7] = l.stashFor(one, p[l.dir], p[1-l.dir])
		}
		return []phased{{op, shaping}}
	})
}
