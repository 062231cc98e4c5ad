package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// This file is about the objects around the fields that rules move: spec.storage, if
// spec.storage.size is spec.storageSize in the other version. The other version usually has no such
// object. An API server would cut it there, and a hash of the whole object would change, so it goes
// when nothing is left in it. The stash remembers an object that was empty before.

// standing says where the object around a moved field exists.
type standing int

const (
	outside standing = iota // no rule moves a field into or out of the object
	alone                   // in one version, as far as the rules say
	read                    // the same, and a rule looks whether it is there, so it must not go early
	both                    // in both versions: rules name fields of it in both, or the file lists it in shared
)

// standing returns where the object at a path of a side exists.
func (l *ledger) standing(side int, object path) standing {
	here, there := l.prefix[side].join(object), l.prefix[1-side].join(object)
	if slices.ContainsFunc(l.step.shared, func(p path) bool { return p.within(here) || p.within(there) }) {
		return both
	}
	is := outside
	for _, c := range l.known {
		switch {
		case c.side != side && len(c.path) > len(there) && c.path.within(there):
			return both
		case c.side == side && c.phase == shaping && len(c.path) > len(here) && c.path.within(here):
			if is = max(is, alone); translatesAbsent(c.rule) {
				is = read
			}
		}
	}
	return is
}

// translatesAbsent reports whether a rule gives an absent field a value.
func translatesAbsent(one *rule) bool {
	values := one.args["values"]
	return one.verb.name == "translate" && values != nil && slices.ContainsFunc(values.Content, func(pair *yaml.Node) bool {
		return slices.ContainsFunc(pair.Content, isAbsent)
	})
}

// emptied returns the operations for the objects around the fields that the rules of this block
// move.
func (l *lowering) emptied() (ops []phased) {
	if l.known == nil || l.mapped { // elements of a map have no pointers
		return nil
	}
	for side := range 2 {
		for _, object := range l.surrounding(side) {
			if whole := l.prefix[l.dir].join(object); l.touched(whole) || l.shares(whole) {
				continue // it may be empty because of an earlier operation
			}
			ops = append(ops, l.elements(nil, [2]path{object, object}, func(l *lowering, p [2]path) []phased {
				return l.emptiedAt(side, p[0])
			})...)
		}
	}
	return ops
}

// surrounding returns the objects around the fields that the rules of this block move, by their
// paths on a side, the innermost first. Objects at the top, such as spec, stay in any case.
func (l *ledger) surrounding(side int) (objects []path) {
	claims := map[*rule][2][]path{}
	for _, c := range *l.claims {
		if c.phase == shaping {
			sides := claims[c.rule]
			sides[c.side] = append(sides[c.side], c.path[len(l.prefix[c.side]):])
			claims[c.rule] = sides
		}
	}
	for _, sides := range claims {
		for _, p := range sides[side] {
			if len(sides[1-side]) == 0 || len(l.prefix[0]) == 0 && p[0] == "metadata" {
				continue
			}
			for n := l.kept(p, sides[1-side]...) + 1; n < len(p); n++ {
				object := p[:n]
				if !isEvery(p[n]) && !isEvery(p[n-1]) && !slices.ContainsFunc(objects, object.equal) {
					objects = append(objects, object)
				}
			}
		}
	}
	slices.SortFunc(objects, func(a, b path) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a.String(), b.String())
	})
	return objects
}

// touched reports whether an earlier direction of the way converts the value at a path.
func (l *ledger) touched(p path) bool {
	return slices.ContainsFunc(l.before, func(d direction) bool {
		return slices.ContainsFunc(d.claims, func(c claim) bool { return c.path.within(p) || p.within(c.path) })
	})
}

// shares reports whether rules of another block take fields out of the object at a path.
func (l *ledger) shares(p path) bool {
	return slices.ContainsFunc(l.known, func(c claim) bool {
		return c.side == l.dir && c.phase == stashing && c.path.within(p) && !slices.ContainsFunc(*l.claims, func(own claim) bool {
			return own.side == c.side && own.phase == c.phase && own.path.equal(c.path)
		})
	})
}

// emptiedAt returns the operations for one object, which a side has.
func (l *lowering) emptiedAt(side int, object path) (ops []phased) {
	is := l.standing(side, object)
	here, there := l.prefix[l.dir].join(object), l.prefix[1-l.dir].join(object)
	if side == l.dir && is == both {
		return nil // it stays, and the other version has it
	}
	l.declare(side, l.prefix[side].join(object)) // to see that it is empty
	if is != both {
		l.step.alone[side] = append(l.step.alone[side], l.prefix[side].join(object))
	}
	l.needs.stash, *l.notes = true, true
	note := operation{code: opNoteEmpty, path: object}
	pointers := l.depend(texts{}, there)
	var sources paths
	for _, c := range l.known {
		if c.side != side || c.phase != shaping || !c.path.within(l.prefix[side].join(object)) {
			continue
		}
		for _, other := range l.known {
			if other.rule != c.rule || other.side == side {
				continue
			}
			if side == l.dir { // a value there makes the object again
				pointers = l.depend(pointers, other.path)
			} else if other.path.within(l.prefix[l.dir]) {
				sources = append(sources, other.path[len(l.prefix[l.dir]):].plain())
			}
		}
	}
	if is == both {
		note.args[1] = sources // only then will the object be filled
		pointers = l.returning(pointers, object)
	}
	note.args[0] = pointers
	ops = []phased{{note, noting}}
	if side != l.dir || is == read {
		return ops
	}
	ops = append(ops, phased{operation{code: opClean, path: object}, cleaning})
	if len(l.constants(side, here)) > 0 {
		ops = append(ops, phased{operation{code: opClean, path: object}, cleaningAgain})
	}
	return ops
}

// returning adds the fields of the other version that move into an object of both: a value there
// fills the object again, so that an empty one must not come back over it.
func (l *ledger) returning(pointers texts, object path) texts {
	here, there := l.prefix[l.dir].join(object), l.prefix[1-l.dir].join(object)
	for _, c := range l.known {
		if c.side != l.dir || c.phase != shaping || len(c.path) == len(here) || !c.path.within(here) {
			continue
		}
		for _, other := range l.known {
			if other.rule == c.rule && other.side != l.dir && !other.path.within(there) {
				pointers = l.depend(pointers, other.path)
			}
		}
	}
	return pointers
}

// constants returns the names of the constants that a side has in an object.
func (l *ledger) constants(side int, object path) (names texts) {
	for _, c := range l.known {
		if c.side == side && c.rule.verb.name == "constant" && c.path.parent().equal(object) && !slices.Contains(names, c.path.last()) {
			names = append(names, c.path.last())
		}
	}
	return names
}
