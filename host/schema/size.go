package schema

import (
	"math"
	"strconv"
)

// sizeRules bound how many characters a string, elements an array or members an object has.
type sizeRules struct {
	min, max        int64
	parts           noun
	tooFew, tooMany string // the rules that a value violates
}

// noun names the counted parts, in the singular.
type noun string

const (
	characters noun = "character"
	elements   noun = "element"
	members    noun = "member"
)

// sizeRulesOf returns nil if the schema has no bound.
func sizeRulesOf(least, most *int64, parts noun) *sizeRules {
	if least == nil && most == nil {
		return nil
	}
	r := &sizeRules{max: math.MaxInt64, parts: parts}
	if least != nil {
		r.min, r.tooFew = *least, "must have at least "+parts.times(*least)
	}
	if most != nil {
		r.max, r.tooMany = *most, "must have at most "+parts.times(*most)
	}
	return r
}

// broken returns the rule that so many parts break; empty if there is none. Of a fragment there may
// be too few. Nil rules allow any number.
func (r *sizeRules) broken(n int64, partial bool) string {
	switch {
	case r == nil:
	case n > r.max:
		return r.tooMany
	case n < r.min && (r.parts == characters || !partial):
		return r.tooFew
	}
	return ""
}

// times says how many: "1 element", "2 elements".
func (parts noun) times(n int64) string {
	if n == 1 {
		return "1 " + string(parts)
	}
	return strconv.FormatInt(n, 10) + " " + string(parts) + "s"
}
