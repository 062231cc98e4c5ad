package verbs

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

func convert(l *lowering.Lowering, one *syntax.Rule, _ int) []lowering.Phased {
	p, ok := l.Both(one)
	types, units, good := readTypes(l, one)
	if !ok || !good {
		return nil
	}
	inexact := l.Word(one, "inexact")
	refusal := refusalOf(types[l.Dir], types[1-l.Dir]) + restOf(one, types, l.Dir, inexact) + ", but is {value}"
	if one.Args["message"] != nil {
		refusal = l.Text(one, "message")
	}
	table, ok := readVersions(l, one, types)
	if !ok {
		return nil
	}
	return both(l, one, p, func(l *lowering.Lowering, p [2]fieldpath.Path) []lowering.Phased {
		op := program.Operation{Code: program.OpConvert, Path: p[l.Dir]}
		op.Args = [10]program.Arg{program.Word(types[l.Dir]), program.Word(types[1-l.Dir]), units.of[l.Dir], units.of[1-l.Dir], nil, program.Text(refusal), program.Word(slices.Index([]string{"stash", "refuse", "round"}, inexact)), program.Bit(units.durations)}
		if table != nil {
			op.Args[8] = table
		}
		if from := types[l.Dir]; inexact == "stash" && (from == program.QuantityType || from == program.DurationType || from == program.APIVersionType || types[1-l.Dir] == program.IntegerType || types[1-l.Dir] == program.NumberType) {
			if !l.Mapped {
				op.Args[4] = l.StashFor(one, p[l.Dir], p[1-l.Dir])
			} else if one.Args["inexact"] != nil || from == program.APIVersionType {
				l.Unstashable(one)
			}
		}
		return append(attempted(l, one, lowering.Shaping.Of(op), p[l.Dir:l.Dir+1], p[1-l.Dir]), relocate(l, p)...)
	})
}

// attempted returns operations that refuse some values as one that moves what they read to the stash
// instead, if the rule has unfit: stash. from are the fields that they read, and to those that they make.
func attempted(l *lowering.Lowering, one *syntax.Rule, ops []lowering.Phased, from []fieldpath.Path, to ...fieldpath.Path) []lowering.Phased {
	if l.Word(one, "unfit") != "stash" || len(ops) == 0 || l.Unstashable(one) {
		return ops
	}
	op, keep := program.Operation{Code: program.OpAttempt}, len(from[0])
	var list program.Texts
	for _, p := range from {
		if len(p) == 0 {
			l.Mistakes.At(one.Node, "the stash cannot hold an element alone: write the rule for a field, without unfit: stash, or for the list")
			return nil
		}
		list, keep = l.StashFor(one, p, to...), min(keep, l.Kept(p, to...))
	}
	var b program.Block
	for _, o := range ops {
		b = append(b, o.Operation)
	}
	op.Args = [10]program.Arg{b, list, program.Paths(from), program.Word(keep)}
	return lowering.Shaping.Of(op)
}

// unitsOf are the units that the two sides count.
type unitsOf struct {
	of        [2]program.Word
	durations bool // both sides are integers that count a time
}

// refusalOf is the message for a value that cannot be converted.
func refusalOf(from, to program.Type) string {
	switch {
	case from == program.DurationType:
		return `{path} must be a duration such as "1h30m"`
	case from == program.QuantityType:
		return `{path} must be a quantity such as "20Gi"`
	case from == program.APIVersionType:
		return "{path} must be an apiVersion of a group that versions has a version for"
	case from == program.APIGroupType:
		return "{path} must be an API group that versions has a version for"
	case from == program.IntegerType && to == program.IntegerType:
		return "{path} must be a whole number that the other unit can hold"
	case to == program.IntegerType:
		return "{path} must be a whole number"
	case to == program.NumberType:
		return "{path} must be a number"
	case to == program.BooleanType:
		return `{path} must be "true" or "false"`
	}
	return fmt.Sprintf("{path} must be a number that a %s can hold", map[program.Type]string{program.DurationType: "duration", program.QuantityType: "quantity"}[to])
}

// restOf completes the refusal of a duration or a quantity, which may have the right form: the other side
// cannot hold it.
func restOf(one *syntax.Rule, types [2]program.Type, side int, inexact string) string {
	from, to := types[side], types[1-side]
	if from != program.DurationType && from != program.QuantityType {
		return ""
	}
	unit := one.Args["as"].Content[1-side].Value
	if unit == "integer" {
		unit = "units"
	}
	switch whole := to == program.IntegerType && inexact == "refuse"; {
	case from == program.DurationType && whole:
		return ", a whole number of " + unit
	case from == program.DurationType:
		return ", of at most 292 years" // 64 bits of nanoseconds
	case to == program.DurationType:
		return " that a duration can hold"
	case whole:
		return fmt.Sprintf(", a whole number of %s below 2^63", unit)
	}
	return fmt.Sprintf(", of less than 2^63 %s", unit)
}

// readTypes reads the types of a conversion, and the units of their numbers.
func readTypes(l *lowering.Lowering, one *syntax.Rule) (types [2]program.Type, units unitsOf, ok bool) {
	n := one.Args["as"]
	if n == nil {
		return types, units, false
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		l.Mistakes.At(n, "as has two types, such as [duration, s]")
		return types, units, false
	}
	var names [2]string
	for side, item := range n.Content {
		names[side] = syntax.Text(item, l.Mistakes, "a type")
		if types[side] = program.TypeNames[names[side]]; types[side] != program.AnyType {
			continue
		}
		_, isDuration := program.DurationUnits[names[side]]
		if _, isQuantity := program.QuantityUnits[names[side]]; !isDuration && !isQuantity {
			l.Mistakes.At(item, "%s is not a type: it may be string, integer, intOrString, number, boolean, quantity, duration, apiVersion, apiGroup or a unit such as s or Mi", syntax.NodeText(item))
			return types, units, false
		}
		types[side] = program.IntegerType
	}
	if types[0] == program.IntegerType && types[1] == program.IntegerType && names[0] != names[1] {
		for _, all := range []map[string]program.Word{program.DurationUnits, program.QuantityUnits} {
			from, known := all[names[0]]
			to, both := all[names[1]]
			if known && both && from != to {
				_, durations := program.DurationUnits[names[0]]
				return types, unitsOf{[2]program.Word{from, to}, durations}, true
			}
		}
	}
	for side := range types {
		name, other := names[1-side], types[1-side]
		if name == "intOrString" && names[side] == "integer" {
			return types, units, true // one unit on both sides
		}
		switch types[side] {
		case program.StringType:
			if other == program.NumberType || other == program.BooleanType || name == "integer" {
				return types, units, true
			}
		case program.QuantityType:
			if unit, ok := program.QuantityUnits[name]; ok {
				return types, unitsOf{of: [2]program.Word{unit, unit}}, true
			}
			if other == program.DurationType {
				return types, unitsOf{of: [2]program.Word{program.Nano, program.Nano}}, true
			}
		case program.APIVersionType:
			if other == program.APIGroupType {
				return types, units, true
			}
		case program.DurationType:
			if unit, ok := program.DurationUnits[name]; ok {
				return types, unitsOf{of: [2]program.Word{unit, unit}}, true
			}
		}
	}
	l.Mistakes.At(n, "%s cannot be converted to %s and back: there are string and integer, number or boolean, intOrString and integer, duration and ns, us, ms, s, min or h, quantity and integer or a unit such as Mi, quantity and duration, apiVersion and apiGroup, and two units of time or of quantities such as Gi and Mi", names[0], names[1])
	return types, units, false
}

// readVersions reads the versions that API groups get.
func readVersions(l *lowering.Lowering, one *syntax.Rule, types [2]program.Type) (table program.Names, ok bool) {
	n, groups := one.Args["versions"], slices.Contains(types[:], program.APIGroupType)
	switch {
	case n == nil && groups:
		l.Mistakes.At(one.Node, "the rule needs the member versions, with a version for each API group: [[apps, v1]]")
		return nil, false
	case n == nil:
		return nil, true
	case !groups:
		l.Mistakes.At(n, "versions is about apiVersion and apiGroup, which as does not name")
		return nil, false
	}
	table = readNames(l, n, "versions", "[apps, v1]", true)
	seen := map[string]bool{}
	for i, pair := range table {
		if seen[pair[0]] {
			l.Mistakes.At(n.Content[i], "the group %q has two versions", pair[0])
		}
		if seen[pair[0]] = true; strings.Contains(pair[0], "/") || strings.Contains(pair[1], "/") {
			l.Mistakes.At(n.Content[i], "a group and a version do not contain a slash")
		}
	}
	return table, table != nil
}
