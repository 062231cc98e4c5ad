package prove

import (
	"fmt"
	"math"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// The fates of a value in a table.
const (
	translated = iota
	remains
	isPartner // of another value only: it stays, and the annotation keeps it
)

func fateOf(pairs [][2]any, side int, v any) int {
	switch {
	case slices.Contains(column(pairs, side), v):
		return translated
	case slices.Contains(column(pairs, 1-side), v):
		return isPartner
	}
	return remains
}

func column(pairs [][2]any, side int) (all []any) {
	for _, pair := range pairs {
		all = append(all, pair[side])
	}
	return all
}

// present returns the values without the absent one.
func present(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == any(rules.Absent{}) })
}

// kindIn returns the kind of the values of a column that has one; "" if all are absent.
func kindIn(values []any) string {
	for _, v := range present(values) {
		return kindOf(v)
	}
	return ""
}

// tableFault says why no lemma is about a table; "" if one is. longest is the length of its longest
// text.
func tableFault(pairs [][2]any, merge bool) (fault string, longest int) {
	for i, pair := range pairs {
		for side, v := range pair {
			switch v := v.(type) {
			case string:
				longest = max(longest, len(v))
			case bool, rules.Absent:
			case float64:
				if v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
					return "the table has a number that is not a small integer", 0
				}
			default:
				return "the table has values other than texts, booleans and integers", 0
			}
			if _, absent := v.(rules.Absent); !absent && kindOf(v) != kindIn(column(pairs, side)) {
				return "the table has values of several types of one version", 0
			}
		}
		for _, other := range pairs[:i] {
			if !merge && (pair[0] == other[0]) != (pair[1] == other[1]) {
				return "a value of the table has two partners", 0
			}
		}
	}
	if shared(pairs, 0) && shared(pairs, 1) {
		return "values of both versions share a partner", 0
	}
	if len(present(slices.Concat(column(pairs, 0), column(pairs, 1)))) == 0 {
		return "the table has no value", 0
	}
	return "", longest
}

// shared reports whether two values of a side have one partner.
func shared(pairs [][2]any, side int) bool {
	partners := map[any]any{}
	for _, pair := range pairs {
		if first, ok := partners[pair[1-side]]; ok && first != pair[side] {
			return true
		}
		partners[pair[1-side]] = pair[side]
	}
	return false
}

func kindOf(v any) string { return fmt.Sprintf("%T", v) }
