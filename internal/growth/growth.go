// Package growth has the one rule for how much larger than its input a module's answer may be. The
// runtime applies it before it reads an answer out of a guest's memory, and the host before it
// works on one, so neither relies on the other.
package growth

// Conversion renames and moves fields; an answer that grows more has run away. The constant leaves
// room for the defaults that a conversion adds to a tiny object.
const (
	factor   = 4
	constant = 1 << 20
)

// Limit returns the most bytes of the answer for an input of so many bytes, where no answer may
// have more than most.
func Limit(input, most int) int { return min(most, factor*input+constant) }
