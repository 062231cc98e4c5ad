package generate

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxPattern is the longest pattern that strings are made from, in bytes. API servers accept
	// longer ones, but a definition with one has no room for much else.
	maxPattern = 16 << 10
	// maxMade is the longest string that is made from a pattern, in bytes. Repetitions end there.
	maxMade = 64 << 10
)

// pattern makes strings that match a regular expression.
type pattern struct {
	match *regexp.Regexp
	tree  *syntax.Regexp
}

// newPattern returns nil for a pattern that Go, and so an API server, does not compile.
func newPattern(text string) *pattern {
	if len(text) > maxPattern {
		return nil
	}
	match, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	return &pattern{match, tree.Simplify()}
}

// make returns a string of the pattern's language, except for its assertions. more is how many
// repetitions to make at most beyond those that the pattern demands.
func (p *pattern) make(r *rand.Rand, more int) string {
	var b strings.Builder
	write(&b, p.tree, r, more)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp, r *rand.Rand, more int) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && r.IntN(2) == 0 {
				c = unicode.SimpleFold(c)
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, r))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(oneOf([]rune{' ', '~', 'é', 'é', '😀', '😀'}, r))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, r, more)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[r.IntN(len(re.Sub))], r, more)
	case syntax.OpStar:
		repeat(b, re, r, r.IntN(more+1), more)
	case syntax.OpPlus:
		repeat(b, re, r, 1+r.IntN(more+1), more)
	case syntax.OpQuest:
		repeat(b, re, r, r.IntN(2), more)
	case syntax.OpRepeat:
		n := re.Min + r.IntN(more+1)
		if re.Max >= 0 {
			n = re.Min + r.IntN(re.Max-re.Min+1)
			if more == 0 {
				n = re.Min
			}
		}
		repeat(b, re, r, n, more)
	}
}

func repeat(b *strings.Builder, re *syntax.Regexp, r *rand.Rand, n, more int) {
	for ; n > 0 && b.Len() < maxMade; n-- {
		write(b, re.Sub[0], r, more)
	}
}

// oneOf returns a character of a class, given as pairs of first and last, nearly always a printable
// one of ASCII if there is one.
func oneOf(pairs []rune, r *rand.Rand) rune {
	if len(pairs) == 0 {
		return 'a'
	}
	if r.IntN(16) > 0 {
		var ascii []rune
		for i := 0; i < len(pairs); i += 2 {
			for c := max(pairs[i], ' '); c <= min(pairs[i+1], '~'); c++ {
				ascii = append(ascii, c)
			}
		}
		if len(ascii) > 0 {
			return ascii[r.IntN(len(ascii))]
		}
	}
	i := 2 * r.IntN(len(pairs)/2)
	for range 8 { // surrogates and unassigned code points are no characters
		c := pairs[i] + r.Int32N(min(pairs[i+1]-pairs[i], 1<<10)+1)
		if unicode.IsPrint(c) {
			return c
		}
	}
	return pairs[i]
}

// Matching returns a few texts that match a pattern and have a format, the same ones each time. It
// returns none without a pattern and without a format that it knows.
func Matching(text, format string) (all []string) {
	if text == "" {
		return formats[format]
	}
	p := newPattern(text)
	if p == nil {
		return nil
	}
	r := rand.New(rand.NewPCG(1, 1))
	for try := range 16 {
		s := p.make(r, try/4)
		if p.match.MatchString(s) && !slices.Contains(all, s) && len(all) < 4 {
			all = append(all, s)
		}
	}
	return all
}
