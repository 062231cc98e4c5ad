package definition

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// A pattern of some bytes becomes a program of some hundred megabytes where repeats are written
// out: (?:x??){1000} is 13 bytes and 3,000 instructions. The size is therefore estimated on the
// parsed pattern, before regexp writes anything out.
const (
	// maxPatternText is the most bytes of one pattern. Parsing takes up to 2 KB for a byte, where
	// \pL is written out.
	maxPatternText = 16 << 10
	// maxPatternSize is the most instructions of one pattern, 40 bytes each: 0.8 MB, and some 2 MB
	// for each match that is under way. The largest pattern known, an IPv6 address with all its
	// short forms, has some 1,000.
	maxPatternSize = 20_000
	// maxPatternSizes is the most instructions of all patterns of a definition: 8 MB. A thousand
	// patterns of 200 instructions fit.
	maxPatternSizes = 200_000
	// runesOfInstruction is how many bounds of character ranges, 4 bytes each, count as one
	// instruction.
	runesOfInstruction = 10
)

// pattern compiles a pattern. It returns nil and a reason where the pattern is over a bound or does
// not parse.
func (s *schemas) pattern(text string) (compiled *regexp.Regexp, size int, over, broken error) {
	if n := len(text); n > maxPatternText {
		return nil, 0, fmt.Errorf("has %d bytes, of at most %d", n, maxPatternText), nil
	}
	parsed, err := syntax.Parse(text, syntax.Perl) // the flags of regexp.Compile
	if err != nil {
		return nil, 0, nil, err
	}
	size = patternSize(parsed)
	switch {
	case size > maxPatternSize:
		return nil, 0, fmt.Errorf("compiles to some %d instructions, of at most %d: repeat less in it", size, maxPatternSize), nil
	case s.instructions+size > maxPatternSizes:
		return nil, 0, fmt.Errorf("compiles to some %d instructions, and all patterns of the definition together to more than %d: simplify some", size, maxPatternSizes), nil
	}
	s.instructions += size
	compiled, err = regexp.Compile(text)
	return compiled, size, nil, err
}

// patternSize estimates the instructions of a pattern's program, never too low; a test compares.
// Repeats share their character classes, which therefore count once.
func patternSize(re *syntax.Regexp) int {
	instructions, runes := programSize(re)
	return instructions + 2 + runes/runesOfInstruction // two: the beginning, the match
}

func programSize(re *syntax.Regexp) (instructions, runes int) {
	for _, sub := range re.Sub {
		i, n := programSize(sub)
		instructions, runes = instructions+i, runes+n
	}
	switch re.Op {
	case syntax.OpLiteral:
		instructions, runes = len(re.Rune), len(re.Rune)
	case syntax.OpCharClass:
		instructions, runes = 1, len(re.Rune)
	case syntax.OpCapture, syntax.OpStar: // a star of an operand that can be empty has two branches
		instructions += 2
	case syntax.OpPlus, syntax.OpQuest:
		instructions++
	case syntax.OpAlternate:
		instructions += len(re.Sub)
	case syntax.OpRepeat:
		copies := re.Max // each copy may have a branch
		if copies < 0 {
			copies = re.Min + 1 // x{3,} is xxx+, and x{0,} is x*
		}
		instructions = min((instructions+2)*copies, maxProgram)
	}
	return max(instructions, 1), runes
}

// maxProgram keeps the estimate of nested repeats within an int. The parser refuses a pattern of
// more than 3.4 million instructions.
const maxProgram = 1 << 30
