package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/verbs"
)

// compile derives the operations of all conversions.
func (f *File) compile(r *syntax.Mistakes) {
	f.declared = lowering.Declaration{Fields: map[string][]fieldpath.Path{}, Hashed: map[string][]fieldpath.Path{}}
	var all lowering.Needs
	var directions []lowering.Direction
	for _, one := range f.Steps {
		s := &lowering.Pair{Pair: one}
		f.pairs = append(f.pairs, s)
		for dir := range 2 {
			l := lowering.New(&f.declared, s, dir, r, &all, verbs.Lower)
			l.Block(s.Rules)
			s.Claims = append(s.Claims, *l.All...)
			directions = append(directions, lowering.Direction{Pair: s, Claims: *l.All, Stashed: *l.Stashed, From: l.Version(dir), To: l.Version(1 - dir), Backward: dir == 1})
		}
	}
	f.checkAnnotations(r)
	if r.Any() {
		return
	}
	for _, from := range f.Versions {
		for _, to := range f.Versions {
			if from != to {
				f.connect(from, to, directions, &all, r)
			}
		}
	}
	f.declared.Complete(f.Versions, f.Group, all, directions)
	if !r.Any() {
		f.checkFields(r)
	}
}

// checkAnnotations reports an annotation in which a rule keeps values, and that another rule uses, too.
func (f *File) checkAnnotations(r *syntax.Mistakes) {
	used := map[string]int{} // lines
	for _, s := range f.pairs {
		for _, c := range s.Claims {
			if len(c.Path) == 3 && c.Path.Within(fieldpath.Path{"metadata", "annotations"}) {
				used[c.Path.Last()] = c.Rule.Node.Line
			}
		}
	}
	for _, s := range f.pairs {
		for _, one := range s.Rules {
			n := yamlfile.Member(cmp.Or(one.Args["partial"], one.Args["rest"]), "annotation")
			switch {
			case n == nil:
				continue
			case used[n.Value] > 0:
				r.At(n, "the annotation %q is used at line %d, too: a rule keeps values in one of its own", n.Value, used[n.Value])
			case strings.HasPrefix(n.Value, "conversion."+f.Group+"/stash"):
				r.At(n, "the annotation %q is one of the stash: a rule keeps values in one of its own", n.Value)
			}
			used[n.Value] = n.Line
		}
	}
}

// connect adds the conversion from one version to another: the directions on the way.
func (f *File) connect(from, to string, all []lowering.Direction, n *lowering.Needs, r *syntax.Mistakes) {
	there, back := route(from, to, all), route(to, from, all)
	if there == nil {
		r.At(f.Steps[len(f.Steps)-1].Node, "no rules connect %s and %s: a module converts among all its versions, so make the others another module", from, to)
		return
	}
	var b program.Block
	for i, d := range there {
		for _, s := range d.Stashed {
			if i > 0 {
				f.checkPlace(s, there[:i], r)
			}
		}
		one, _ := f.lower(there, i, n, r)
		if len(there) == 1 {
			b = append(b, one...)
		} else if len(one) > 0 {
			b = append(b, program.Operation{Code: program.OpWithin, Args: [10]program.Arg{one}})
		}
	}
	stashes := false
	for i, d := range back {
		_, notes := f.lower(back, i, n, r)
		stashes = stashes || notes || len(d.Stashed) > 0
	}
	if stashes {
		op := program.Operation{Code: program.OpRestore}
		if members := lasting(there); len(members) > 0 {
			op.Args[0] = members
		}
		b = slices.Insert(b, 0, op)
	}
	f.conversions = append(f.conversions, program.Conversion{From: f.Group + "/" + from, To: f.Group + "/" + to, Block: b})
}

// lasting returns the members at the top, such as spec, that both ends of a way have whenever one
// has them: the version that it leads from has fields of rules within, and no rule moves fields
// from one member to another. If a client deletes such a member, the stash does not bring it back.
func lasting(way []lowering.Direction) (members program.Texts) {
	for _, d := range way {
		for _, c := range d.Claims {
			for _, other := range d.Claims {
				if c.Rule == other.Rule && c.Path[0] != other.Path[0] {
					return nil
				}
			}
		}
	}
	first := 0
	for first < len(way)-1 && len(way[first].Claims) == 0 { // a pair without rules: both versions have the same fields
		first++
	}
	for _, c := range way[first].Claims {
		if c.Side == way[first].Side() && len(c.Path) > 1 && c.Path[0] != "metadata" && !slices.Contains(members, c.Path[0]) {
			members = append(members, c.Path[0])
		}
	}
	slices.Sort(members)
	return members
}

// lower returns the operations of a direction of a way, and whether they note empty objects.
func (f *File) lower(way []lowering.Direction, i int, n *lowering.Needs, r *syntax.Mistakes) (program.Block, bool) {
	d := way[i]
	l := lowering.New(&f.declared, d.Pair, d.Side(), r, n, verbs.Lower)
	l.Known, l.Before, l.Later = d.Claims, way[:i], way[i+1:]
	return l.Block(d.Pair.Rules), *l.Notes
}

// checkPlace reports a value that is stashed after an earlier step of the way moved it: the stash
// would restore it to the wrong place.
func (f *File) checkPlace(s lowering.Claim, before []lowering.Direction, r *syntax.Mistakes) {
	for _, d := range before {
		for _, c := range d.Claims {
			if c.Phase == lowering.Shaping && (s.Path.Within(c.Path) || c.Path.Within(s.Path)) {
				r.At(s.Rule.Node, "%s may be stashed on the way from %s, where the rule at line %d puts it elsewhere: make the two pairs of versions two modules, which the gateway chains", s.Path, d.From, c.Rule.Node.Line)
				return
			}
		}
	}
}

// route returns the directions that lead from one version to another, fewest first; nil if none do.
func route(from, to string, all []lowering.Direction) []lowering.Direction {
	ways := [][]lowering.Direction{nil}
	reached := []string{from}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		end := from
		if len(way) > 0 {
			end = way[len(way)-1].To
		}
		for _, d := range all {
			if d.From != end || slices.Contains(reached, d.To) {
				continue
			}
			longer := append(slices.Clone(way), d)
			if d.To == to {
				return longer
			}
			reached, ways = append(reached, d.To), append(ways, longer)
		}
	}
	return nil
}
