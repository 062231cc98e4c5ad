package prove

import (
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// only reports whether each text that a schema allows is one of a language, a regular expression for whole
// texts. The schema's enum decides, or its pattern, of which an API server looks for a match anywhere.
func only(f *schema.Structural, language string) bool {
	language = `\A(?:` + language + `)\z`
	if values, all := valuesOf(f); all {
		whole := regexp.MustCompile(language)
		return !slices.ContainsFunc(values, func(v any) bool {
			text, ok := v.(string)
			return !ok || !whole.MatchString(text)
		})
	}
	return f.Type == "string" && f.ValueValidation != nil && includes(language, f.ValueValidation.Pattern)
}

// maxSteps and maxInstructions bound a comparison of regular expressions. Nothing is decided beyond them.
// Numbers of instructions are written as letters, of which there are none from 0xd800 on.
const (
	maxSteps        = 3_000_000
	maxInstructions = 0xd000
)

// reading is the state of two automata that have read the same text: the instructions of each before the
// next letter, and a letter that stands for the last one.
type reading struct {
	threads [2]string
	before  rune
}

// includes reports whether the first of two regular expressions matches in each text in which the second one
// does. It reads all texts at once: texts that lead to one state have the same continuations.
func includes(patterns ...string) bool {
	var programs [2]*syntax.Prog
	for i, text := range patterns {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return false
		}
		if programs[i], err = syntax.Compile(parsed.Simplify()); err != nil || len(programs[i].Inst) > maxInstructions {
			return false
		}
	}
	letters, steps := lettersOf(programs[:]), 0
	first := reading{before: -1}
	seen, todo := map[reading]bool{first: true}, []reading{first}
	for len(todo) > 0 {
		now := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, letter := range letters {
			next, found := reading{before: like(letter)}, [2]bool{}
			for i, p := range programs {
				next.threads[i], found[i] = read(p, now.threads[i], now.before, letter, &steps)
			}
			switch {
			case found[0]: // and so in every continuation
				continue
			case found[1] && letter < 0 || steps > maxSteps:
				return false
			}
			if letter >= 0 && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return true
}

// matched are the threads of an automaton that has found a match.
const matched = "matched"

// read returns the threads of an automaton after a letter, or, if the letter is negative, at the end of the
// text. A match may begin at each letter.
func read(p *syntax.Prog, threads string, before, letter rune, steps *int) (after string, found bool) {
	if threads == matched {
		return matched, true
	}
	flags, seen, next := syntax.EmptyOpContext(before, letter), map[uint32]bool{}, map[rune]bool{}
	for todo := append([]rune(threads), rune(p.Start)); len(todo) > 0 && !found; *steps++ {
		at := uint32(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch i := &p.Inst[at]; i.Op {
		case syntax.InstMatch:
			found = true
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, rune(i.Out), rune(i.Arg))
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, rune(i.Out))
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^flags == 0 {
				todo = append(todo, rune(i.Out))
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if letter >= 0 && i.MatchRune(letter) {
				next[rune(i.Out)] = true
			}
		}
	}
	if found {
		return matched, true
	}
	var b strings.Builder
	for _, at := range slices.Sorted(maps.Keys(next)) {
		b.WriteRune(at)
	}
	return b.String(), false
}

// lettersOf returns a letter for each set of letters that no instruction tells apart, and -1.
func lettersOf(programs []*syntax.Prog) []rune {
	from := []rune{-1, 0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}
	for _, p := range programs {
		for _, i := range p.Inst {
			for n, r := range i.Rune {
				if len(i.Rune) > 1 {
					from = append(from, r+rune(n%2)) // pairs of first and last
					continue
				}
				for other := r; ; {
					from = append(from, other, other+1)
					if other = unicode.SimpleFold(other); other == r {
						break
					}
				}
			}
		}
	}
	slices.Sort(from)
	return slices.DeleteFunc(slices.Compact(from), func(r rune) bool { return r > unicode.MaxRune })
}

// like returns a letter that stands for another one before a place: assertions see whether it ends a line,
// and whether it belongs to a word.
func like(r rune) rune {
	switch {
	case r == '\n':
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// mostRunes returns the most letters of a text in which a pattern finds a match; mostKept if it bounds none.
func mostRunes(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || parsed.Sub[0].Op != syntax.OpBeginText || parsed.Sub[len(parsed.Sub)-1].Op != syntax.OpEndText {
		return mostKept
	}
	return runesOf(parsed)
}

func runesOf(re *syntax.Regexp) (n int) {
	for _, sub := range re.Sub {
		if re.Op == syntax.OpAlternate {
			n = max(n, runesOf(sub))
		} else {
			n = min(mostKept, n+runesOf(sub))
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpStar, syntax.OpPlus:
		return times(int64(n), mostKept)
	case syntax.OpRepeat:
		if re.Max < 0 {
			return times(int64(n), mostKept)
		}
		return times(int64(re.Max), n)
	}
	return n
}
