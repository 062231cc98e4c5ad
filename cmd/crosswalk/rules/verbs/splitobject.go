package verbs

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// splitObject lowers a rule between a string, on a side, and an object with its parts on the other.
// The object is there if the string is, so that all parts may be absent; it may have the place of
// the string.
func splitObject(l *lowering.Lowering, one *syntax.Rule, side int, s splitting) []lowering.Phased {
	at := one.Args["absent"]
	object := s.parts[0].Path.Parent()
	named := slices.Clone(s.parts)
	for i, p := range s.parts {
		switch {
		case !p.Path.Parent().Equal(object) || len(object) == 0 || fieldpath.IsEvery(p.Path.Last()):
			l.Mistakes.At(at, "with absent, the parts are members of one object of their own: %s is not a member of %s", p.Path, object)
			return nil
		case p.Kind != program.StringType:
			l.Mistakes.At(at, "with absent, the parts are strings: %s is not", p.Path)
			return nil
		case slices.ContainsFunc(s.parts[:i], func(q program.Part) bool { return q.Path.Equal(p.Path) }):
			l.Mistakes.At(at, "%s is two parts", p.Path)
			return nil
		}
		named[i].Path = fieldpath.Path{p.Path.Last()}
	}
	switch same := s.one.Equal(object); {
	case !same && (s.one.Within(object) || object.Within(s.one)):
		l.Mistakes.At(at, "with absent, the parts need an object of their own, which is there if %s is: %s is not", s.one, object)
		return nil
	case s.how == program.SplitHostPort, one.Args["partial"] != nil:
		l.Mistakes.At(at, "absent says what to do with absent parts: omit partial and hostPort")
		return nil
	case s.how == program.SplitWords && len(strings.Fields(s.absent)) != 1 || s.how == program.SplitWords && strings.TrimSpace(s.absent) != s.absent:
		l.Mistakes.At(at, "absent is the text of a part, which is one word: %q is not", s.absent)
		return nil
	case s.separator != "" && strings.Contains(s.absent, s.separator):
		l.Mistakes.At(at, "absent is the text of a part, which does not contain the separator: %q does", s.absent)
		return nil
	}
	p := [2]fieldpath.Path{}
	p[side], p[1-side] = s.one, object
	l.Needs.Uid = true
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		for _, q := range named { // so that Check knows them
			l.Name(one, 1-side, p[1-side].Join(q.Path...))
		}
		op := program.Operation{Code: program.OpSplitObject, Path: p[side]}
		if l.Dir != side {
			op.Code = program.OpJoinObject
		}
		op.Args = [10]program.Arg{named, program.Text(s.separator), program.Word(s.how), program.Word(l.Kept(p[l.Dir], p[1-l.Dir])), program.Text(s.splitMessage(l)), program.Text(s.partMessage(l)), program.Steps(p[1-side]), nil,
			program.Text(s.absent), program.Bit(p[0].Equal(p[1]))}
		if !l.Unstashable(one) {
			op.Args[7] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
		}
		return attempted(l, one, lowering.Shaping.Of(op), p[l.Dir:l.Dir+1], p[1-l.Dir])
	})
}
