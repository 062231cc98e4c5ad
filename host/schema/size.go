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

// size checks how many parts there are, and says whether that is fine. Of a fragment there may be
// too few.
func (c *checker) size(r *sizeRules, n int64) bool {
	if n > r.max {
		c.violate(r.tooMany)
		return false
	}
	if n < r.min && (r.parts == characters || !c.partial) {
		c.violate(r.tooFew)
		return false
	}
	return true
}

// times says how many: "1 element", "2 elements".
func (parts noun) times(n int64) string {
	if n == 1 {
		return "1 " + string(parts)
	}
	return strconv.FormatInt(n, 10) + " " + string(parts) + "s"
}
