package rules

// give lowers defaults and constants.
func (l *lowering) give(one *rule) []phased {
	p, side := l.path(one.args[one.verb.name]), l.side(one)
	raw := l.json(one, "value")
	if string(raw) == "null" {
		l.r.at(one.args["value"], "value is null, which is the same as an absent field")
	}
	if p == nil || side < 0 || raw == nil {
		return nil
	}
	if len(p) == 0 || isEvery(p.last()) {
		l.r.at(one.node, "%s is not a field: a path to one ends with a name", p)
		return nil
	}
	l.needs.uid = true
	return l.elements(one, [2]path{p, p}, func(l *lowering, p [2]path) []phased {
		l.claim(one, side, p[side], giving)
		switch {
		case side != l.dir && one.verb.name == "default":
			return []phased{{operation{code: opDefault, path: p[side], args: [10]arg{raw}}, giving}}
		case side != l.dir:
			return []phased{{operation{code: opConstant, path: p[side], args: [10]arg{raw}}, giving}}
		case one.verb.name == "constant" && !l.unstashable(one):
			op, ph := operation{code: opNoConstant, path: p[side], args: [10]arg{raw, l.stashFor(one, p[side], l.around()...)}}, stashing
			object := p[side].parent()
			if is, whole := l.standing(side, object), l.prefix[side].join(object); is != outside && !l.touched(whole) {
				op.args[2], ph = l.constants(side, whole), thinning // or it would not come back with the object
				if is == alone {
					ph = clearing
				}
			}
			return []phased{{op, ph}}
		}
		return nil
	})
}

func (l *lowering) drop(one *rule) []phased {
	p, side := l.path(one.args["drop"]), l.side(one)
	stash := l.bool(one, "stash", true)
	if p == nil || side < 0 {
		return nil
	}
	if len(p) == 0 || isEvery(p.last()) {
		l.r.at(one.node, "%s is not a field: a path to one ends with a name", p)
		return nil
	}
	if !stash && one.args["for"] != nil {
		l.r.at(one.args["for"], "for is about the stash, which the rule does not use")
	}
	var on *dependences
	if side == l.dir {
		on = l.dependence(one, side)
	}
	return l.elements(one, [2]path{p, p}, func(l *lowering, p [2]path) []phased {
		l.claim(one, side, p[side], stashing)
		if side != l.dir {
			return nil
		}
		op := operation{code: opRemove, path: p[side]}
		if stash && !l.unstashable(one) {
			op.code = opStash
			list := l.stashFor(one, p[side], l.around()...)
			switch {
			case on != nil && on.object:
				op.args[0] = nil
			case on != nil:
				op.args[0] = on.pointers
			default:
				op.args[0] = list
			}
		}
		return []phased{{op, stashing}}
	})
}
