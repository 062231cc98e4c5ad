package schema

import (
	"bytes"
	"math"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
)

// numberRules are the rules for numbers.
type numberRules struct {
	min, max     *float64
	above, below bool    // the bounds themselves are not allowed
	multipleOf   float64 // 0: no rule
	format       string  // int32 or float, or empty: the others allow all that a JSON number may be here

	tooLow, tooHigh, noMultiple string // the rules that a value violates
}

// numberRulesOf returns nil if the schema has no such rules.
func numberRulesOf(d *definition.Schema) *numberRules {
	r := &numberRules{min: d.Minimum, max: d.Maximum, above: d.ExclusiveMinimum, below: d.ExclusiveMaximum}
	if d.MultipleOf != nil {
		r.multipleOf = *d.MultipleOf
	}
	if d.Type == "integer" && d.Format == "int32" || d.Type == "number" && d.Format == "float" {
		r.format = d.Format
	}
	if r.min == nil && r.max == nil && r.multipleOf == 0 && r.format == "" {
		return nil
	}
	if r.min != nil {
		r.tooLow = boundRule("at least ", "more than ", r.above, *r.min)
	}
	if r.max != nil {
		r.tooHigh = boundRule("at most ", "less than ", r.below, *r.max)
	}
	r.noMultiple = "must be a multiple of " + formatFloat(r.multipleOf)
	return r
}

// integer is the largest absolute value of a number with a point or an exponent that counts as an
// integer: 2^53 - 1, because a float64 holds every integer up to there. A number that is written as
// an integer may be any int64.
const integer = 1<<53 - 1

// isInteger says whether a number, a token of JSON, is an integer.
func isInteger(token []byte) bool {
	if _, whole := parseInt(token); whole {
		return true
	}
	f := parseFloat(token)
	return f == math.Trunc(f) && math.Abs(f) <= integer
}

// parseFloat returns the value of a token. The scanner let it through, so there is one.
func parseFloat(token []byte) float64 {
	f, _ := strconv.ParseFloat(string(token), 64)
	return f
}

// parseInt returns the value of a token that is written without a point and without an exponent,
// and is an int64. API servers take all others for a float64.
func parseInt(token []byte) (n int64, ok bool) {
	if bytes.ContainsAny(token, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(string(token), 10, 64)
	return n, err == nil
}

// broken returns the rules that a number, a token of JSON, breaks: of its bounds, of multipleOf and of
// the format. A rule that it keeps is empty.
func (r *numberRules) broken(token []byte) (rules [4]string) {
	n, whole := parseInt(token)
	f := float64(n)
	if !whole {
		f = parseFloat(token)
	}
	against := func(bound float64) int {
		if whole {
			return compareInt(n, bound)
		}
		return compareFloat(f, bound)
	}
	if r.min != nil {
		if order := against(*r.min); order < 0 || order == 0 && r.above {
			rules[0] = r.tooLow
		}
	}
	if r.max != nil {
		if order := against(*r.max); order > 0 || order == 0 && r.below {
			rules[1] = r.tooHigh
		}
	}
	if r.multipleOf != 0 && !isMultiple(whole, n, f, r.multipleOf) {
		rules[2] = r.noMultiple
	}
	switch {
	case r.format == "int32" && (f < math.MinInt32 || f > math.MaxInt32):
		rules[3] = "must fit 32 bits (format int32)"
	case r.format == "float" && math.IsInf(float64(float32(f)), 0):
		rules[3] = "must fit a 32-bit float (format float)"
	}
	return rules
}

func boundRule(bound, exclusive string, isExclusive bool, limit float64) string {
	if isExclusive {
		bound = exclusive
	}
	return "must be " + bound + formatFloat(limit)
}

func formatFloat(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareInt compares exactly, which a conversion of n would not.
func compareInt(n int64, bound float64) int {
	switch {
	case bound >= 1<<63:
		return -1
	case bound < -1<<63:
		return 1
	}
	floor := math.Floor(bound)
	switch below := int64(floor); {
	case n < below, n == below && floor < bound:
		return -1
	case n > below:
		return 1
	}
	return 0
}

// isMultiple reports whether a number is a multiple of the factor: exactly if both are integers,
// else to a billionth, because a float64 cannot hold fractions such as 0.1.
func isMultiple(whole bool, n int64, f, factor float64) bool {
	if whole && factor == math.Trunc(factor) && factor < 1<<63 {
		return n%int64(factor) == 0
	}
	quotient := f / factor
	nearest := math.Round(quotient)
	return math.Abs(quotient) <= integer && math.Abs(quotient-nearest) <= 1e-9*math.Abs(nearest)
}
