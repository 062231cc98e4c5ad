package rules

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// valueType is a type as sdk/rules/numbers.h numbers it.
type valueType uint32

const (
	anyType valueType = iota
	stringType
	integerType
	numberType
	booleanType
	quantityType
	durationType
)

// typeNames are the types of convert besides units.
var typeNames = map[string]valueType{
	"string": stringType, "integer": integerType, "number": numberType, "boolean": booleanType, "quantity": quantityType, "duration": durationType,
}

// Units, by their index in sdk/rules/numbers.h.
var (
	durationUnits = map[string]word{"ns": 0, "us": 1, "ms": 4, "s": 5, "min": 6, "h": 7}
	quantityUnits = map[string]word{"integer": 0, "1": 0, "n": 1, "u": 2, "m": 3, "k": 4, "M": 5, "G": 6, "T": 7, "P": 8, "E": 9,
		"Ki": 10, "Mi": 11, "Gi": 12, "Ti": 13, "Pi": 14, "Ei": 15, "bytes": 16}
)

// nano is the unit between quantities and durations: a quantity counts seconds.
const nano word = 1

func (l *lowering) convert(one *rule) []phased {
	p, ok := l.both(one)
	types, units, good := l.types(one)
	if !ok || !good {
		return nil
	}
	inexact := l.word(one, "inexact")
	refusal := refusalOf(types[l.dir], types[1-l.dir])
	if one.args["message"] != nil {
		refusal = l.text(one, "message")
	}
	return l.elements(one, p, func(l *lowering, p [2]path) []phased {
		l.claim(one, 0, p[0], shaping)
		l.claim(one, 1, p[1], shaping)
		op := operation{code: opConvert, path: p[l.dir]}
		op.args = [10]arg{word(types[l.dir]), word(types[1-l.dir]), units.of[l.dir], units.of[1-l.dir], nil, text(refusal), word(slices.Index([]string{"stash", "refuse", "round"}, inexact)), bit(units.durations)}
		if from := types[l.dir]; inexact == "stash" && (from == quantityType || from == durationType || types[1-l.dir] == integerType) {
			if !l.mapped {
				op.args[4] = l.stashFor(one, p[l.dir], p[1-l.dir])
			} else if one.args["inexact"] != nil {
				l.unstashable(one)
			}
		}
		return append([]phased{{op, shaping}}, l.relocate(p)...)
	})
}

// unitsOf are the units that the two sides count.
type unitsOf struct {
	of        [2]word
	durations bool // both sides are integers that count a time
}

// types reads the types of a conversion, and the units of their numbers.
func (s *scope) types(one *rule) (types [2]valueType, units unitsOf, ok bool) {
	n := one.args["as"]
	if n == nil {
		return types, units, false
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		s.r.at(n, "as has two types, such as [duration, s]")
		return types, units, false
	}
	var names [2]string
	for side, item := range n.Content {
		names[side] = textOf(item, s.r, "a type")
		if types[side] = typeNames[names[side]]; types[side] != anyType {
			continue
		}
		_, isDuration := durationUnits[names[side]]
		if _, isQuantity := quantityUnits[names[side]]; !isDuration && !isQuantity {
			s.r.at(item, "%s is not a type: it may be string, integer, number, boolean, quantity, duration or a unit such as s or Mi", nodeText(item))
			return types, units, false
		}
		types[side] = integerType
	}
	if types[0] == integerType && types[1] == integerType && names[0] != names[1] {
		for _, all := range []map[string]word{durationUnits, quantityUnits} {
			from, known := all[names[0]]
			to, both := all[names[1]]
			if known && both && from != to {
				_, durations := durationUnits[names[0]]
				return types, unitsOf{[2]word{from, to}, durations}, true
			}
		}
	}
	for side := range types {
		name, other := names[1-side], types[1-side]
		switch types[side] {
		case stringType:
			if other == numberType || other == booleanType || name == "integer" {
				return types, units, true
			}
		case quantityType:
			if unit, ok := quantityUnits[name]; ok {
				return types, unitsOf{of: [2]word{unit, unit}}, true
			}
			if other == durationType {
				return types, unitsOf{of: [2]word{nano, nano}}, true
			}
		case durationType:
			if unit, ok := durationUnits[name]; ok {
				return types, unitsOf{of: [2]word{unit, unit}}, true
			}
		}
	}
	s.r.at(n, "%s cannot be converted to %s and back: there are string and integer, number or boolean, duration and ns, us, ms, s, min or h, quantity and integer or a unit such as Mi, quantity and duration, and two units of time or of quantities such as Gi and Mi", names[0], names[1])
	return types, units, false
}

// refusalOf is the message for a value that cannot be converted.
func refusalOf(from, to valueType) string {
	switch {
	case from == durationType:
		return `{path} must be a duration such as "1h30m", but is {value}`
	case from == quantityType:
		return `{path} must be a quantity such as "20Gi", but is {value}`
	case from == integerType && to == integerType:
		return "{path} must be a whole number that the other unit can hold, but is {value}"
	case to == integerType:
		return "{path} must be a whole number, but is {value}"
	case to == numberType:
		return "{path} must be a number, but is {value}"
	case to == booleanType:
		return `{path} must be "true" or "false", but is {value}`
	}
	return fmt.Sprintf("{path} must be a number that a %s can hold, but is {value}", map[valueType]string{durationType: "duration", quantityType: "quantity"}[to])
}
