package rules

func (l *lowering) move(one *rule) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	if one.verb.name == "rename" && !p[0].parent().equal(p[1].parent()) {
		l.r.at(one.args["to"], "%s is in another object than %s: that is a move", p[1], p[0])
		return nil
	}
	if p[0].equal(p[1]) {
		l.r.at(one.node, "%s stays where it is: fields with the same path need no rule", p[0])
		return nil
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		for side := range p {
			l.claim(one, side, p[side], shaping)
		}
		inner := l.subrules()
		ops := append(inner.nested(one, "each", p, everyElement), inner.nested(one, "rules", p, "")...)
		return append(ops, l.relocate(p)...)
	})
}

func (l *lowering) each(one *rule) []phased {
	p, ok := l.both(one)
	if !ok {
		return nil
	}
	every := everyElement
	if l.bool(one, "map", false) {
		every = everyMember
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		if !p[0].equal(p[1]) {
			for side := range p {
				l.claim(one, side, p[side], shaping)
			}
		}
		return append(l.subrules().nested(one, "rules", p, every), l.relocate(p)...)
	})
}

// relocate returns the operation that brings a value to its place on the other side.
func (l *lowering) relocate(p [2]path) []phased {
	from, to := p[l.dir], p[1-l.dir]
	switch {
	case from.equal(to):
		return nil
	case len(from) == len(to) && from.parent().equal(to.parent()):
		return []phased{{operation{code: opRename, path: from, args: [10]arg{text(to.last())}}, shaping}}
	}
	return l.relocateLast(p)
}

// relocateLast does the same; the value becomes the last member even of the same object.
func (l *lowering) relocateLast(p [2]path) []phased {
	from, to := p[l.dir], p[1-l.dir]
	if from.equal(to) {
		return nil
	}
	return []phased{{operation{code: opMove, path: from, args: [10]arg{steps(to), word(l.kept(from, to))}}, shaping}}
}
