package schema

import (
	"math"
	"strconv"
)

// sizeRules bound how many characters a string, elements an array or members an object has.
type sizeRules struct{ min, max int64 }

// sizeRulesOf returns nil if there is no bound.
func sizeRulesOf(least, most *int64) *sizeRules {
	if least == nil && most == nil {
		return nil
	}
	r := &sizeRules{0, math.MaxInt64}
	if least != nil {
		r.min = *least
	}
	if most != nil {
		r.max = *most
	}
	return r
}

func (r *sizeRules) allow(n int64) bool { return n >= r.min && n <= r.max }

// size checks how many there are of what the noun names. Of a fragment there may be too few.
func (c *checker) size(r *sizeRules, n int64, noun string) {
	if n < r.min && !(c.partial && noun != characters) {
		c.violate("must have at least " + amount(r.min, noun))
	}
	if n > r.max {
		c.violate("must have at most " + amount(r.max, noun))
	}
}

// The nouns of size, in the singular.
const (
	characters = "character"
	elements   = "element"
	members    = "member"
)

func amount(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
