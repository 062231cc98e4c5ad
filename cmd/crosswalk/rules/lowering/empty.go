package lowering

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// This file is about the objects around the fields that rules move: spec.storage, if
// spec.storage.size is spec.storageSize in the other version. The other version usually has no such
// object. An API server would cut it there, and a hash of the whole object would change, so it goes
// when nothing is left in it. The stash remembers an object that was empty before.

// standing says where the object around a moved field exists.
type standing int

const (
	Outside standing = iota // no rule moves a field into or out of the object
	Alone                   // in one version, as far as the rules say
	read                    // the same, and a rule looks whether it is there, so it must not go early
	both                    // in both versions: rules name fields of it in both, or the file lists it in shared
)

// Standing returns where the object at a path of a side exists.
func (l *Ledger) Standing(side int, object fieldpath.Path) standing {
	here, there := l.Prefix[side].Join(object...), l.Prefix[1-side].Join(object...)
	if slices.ContainsFunc(l.step.Shared, func(p fieldpath.Path) bool { return p.Within(here) || p.Within(there) }) {
		return both
	}
	is := Outside
	for _, c := range l.Known {
		switch {
		case c.Side != side && len(c.Path) > len(there) && c.Path.Within(there):
			return both
		case c.Side == side && c.Phase == Shaping && len(c.Path) > len(here) && c.Path.Within(here):
			if is = max(is, Alone); translatesAbsent(c.Rule) {
				is = read
			}
		}
	}
	return is
}

// translatesAbsent reports whether a rule gives an absent field a value.
func translatesAbsent(one *syntax.Rule) bool {
	values := one.Args["values"]
	return one.Verb.Name == "translate" && values != nil && slices.ContainsFunc(values.Content, func(pair *yaml.Node) bool {
		return slices.ContainsFunc(pair.Content, syntax.IsAbsent)
	})
}

// emptied returns the operations for the objects around the fields that the rules of this block
// move.
func (l *Lowering) emptied() (ops []Phased) {
	if l.Known == nil || l.Mapped { // elements of a map have no pointers
		return nil
	}
	for side := range 2 {
		for _, object := range l.surrounding(side) {
			if whole := l.Prefix[l.Dir].Join(object...); l.Touched(whole) || l.shares(whole) {
				continue // it may be empty because of an earlier operation
			}
			ops = append(ops, l.Elements(nil, [2]fieldpath.Path{object, object}, func(l *Lowering, p [2]fieldpath.Path) []Phased {
				return l.emptiedAt(side, p[0])
			})...)
		}
	}
	return ops
}

// surrounding returns the objects around the fields that the rules of this block move, by their
// paths on a side, the innermost first. Objects at the top, such as spec, stay in any case.
func (l *Ledger) surrounding(side int) (objects []fieldpath.Path) {
	claims := map[*syntax.Rule][2][]fieldpath.Path{}
	for _, c := range *l.claims {
		if c.Phase == Shaping {
			sides := claims[c.Rule]
			sides[c.Side] = append(sides[c.Side], c.Path[len(l.Prefix[c.Side]):])
			claims[c.Rule] = sides
		}
	}
	for _, sides := range claims {
		for _, p := range sides[side] {
			if len(sides[1-side]) == 0 || len(l.Prefix[0]) == 0 && p[0] == "metadata" {
				continue
			}
			for n := l.Kept(p, sides[1-side]...) + 1; n < len(p); n++ {
				object := p[:n]
				if !fieldpath.IsEvery(p[n]) && !fieldpath.IsEvery(p[n-1]) && !slices.ContainsFunc(objects, object.Equal) {
					objects = append(objects, object)
				}
			}
		}
	}
	slices.SortFunc(objects, func(a, b fieldpath.Path) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a.String(), b.String())
	})
	return objects
}

// Touched reports whether an earlier direction of the way converts the value at a path.
func (l *Ledger) Touched(p fieldpath.Path) bool {
	return slices.ContainsFunc(l.Before, func(d Direction) bool {
		return slices.ContainsFunc(d.Claims, func(c Claim) bool { return c.Path.Within(p) || p.Within(c.Path) })
	})
}

// shares reports whether rules of another block take members out of the object at a path. Rules for
// the inside of a member, such as those of a list that a move brings there, leave the member.
func (l *Ledger) shares(p fieldpath.Path) bool {
	return slices.ContainsFunc(l.Known, func(c Claim) bool {
		return c.Side == l.Dir && c.Phase == Stashing && c.Path.Parent().Equal(p) && !slices.ContainsFunc(*l.claims, func(own Claim) bool {
			return own.Side == c.Side && own.Phase == c.Phase && own.Path.Equal(c.Path)
		})
	})
}

// emptiedAt returns the operations for one object, which a side has.
func (l *Lowering) emptiedAt(side int, object fieldpath.Path) (ops []Phased) {
	is := l.Standing(side, object)
	here, there := l.Prefix[l.Dir].Join(object...), l.Prefix[1-l.Dir].Join(object...)
	if side == l.Dir && is == both {
		return nil // it stays, and the other version has it
	}
	l.Declare(side, object) // to see that it is empty
	if is != both {
		l.step.alone[side] = append(l.step.alone[side], l.Prefix[side].Join(object...))
	}
	l.Needs.stash, *l.Notes = true, true
	note := program.Operation{Code: program.OpNoteEmpty, Path: object}
	pointers := l.Depend(program.Texts{}, there)
	var sources program.Paths
	for _, c := range l.Known {
		if c.Side != side || c.Phase != Shaping || !c.Path.Within(l.Prefix[side].Join(object...)) {
			continue
		}
		for _, other := range l.Known {
			if other.Rule != c.Rule || other.Side == side {
				continue
			}
			if side == l.Dir { // a value there makes the object again
				pointers = l.Depend(pointers, other.Path)
			} else if other.Path.Within(l.Prefix[l.Dir]) {
				sources = append(sources, other.Path[len(l.Prefix[l.Dir]):].Plain())
			}
		}
	}
	if is == both {
		note.Args[1] = sources // only then will the object be filled
		pointers = l.returning(pointers, object)
	}
	note.Args[0] = pointers
	ops = []Phased{{note, Noting}}
	direct := len(l.Before)+len(l.Later) == 0
	if direct {
		l.step.Noted[l.Dir] = append(l.step.Noted[l.Dir], here)
	}
	if side != l.Dir || is == read {
		return ops
	}
	if direct {
		l.step.Cleaned[l.Dir] = append(l.step.Cleaned[l.Dir], here)
	}
	ops = append(ops, Phased{program.Operation{Code: program.OpClean, Path: object}, Cleaning})
	if len(l.Constants(side, here)) > 0 {
		ops = append(ops, Phased{program.Operation{Code: program.OpClean, Path: object}, CleaningAgain})
	}
	return ops
}

// returning adds the fields of the other version that move into an object of both: a value there
// fills the object again, so that an empty one must not come back over it.
func (l *Ledger) returning(pointers program.Texts, object fieldpath.Path) program.Texts {
	here, there := l.Prefix[l.Dir].Join(object...), l.Prefix[1-l.Dir].Join(object...)
	for _, c := range l.Known {
		if c.Side != l.Dir || c.Phase != Shaping || len(c.Path) == len(here) || !c.Path.Within(here) {
			continue
		}
		for _, other := range l.Known {
			if other.Rule == c.Rule && other.Side != l.Dir && !other.Path.Within(there) {
				pointers = l.Depend(pointers, other.Path)
			}
		}
	}
	return pointers
}

// Constants returns the names of the constants that a side has in an object.
func (l *Ledger) Constants(side int, object fieldpath.Path) (names program.Texts) {
	for _, c := range l.Known {
		if c.Side == side && c.Rule.Verb.Name == "constant" && c.Path.Parent().Equal(object) && !slices.Contains(names, c.Path.Last()) {
			names = append(names, c.Path.Last())
		}
	}
	return names
}
