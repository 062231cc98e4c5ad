package generate

import (
	"math"
	"strings"
	"unicode/utf8"
)

func (m *maker) text(n *node, r *rules) (any, bool) {
	value, ok := m.anyText(n, r)
	text, _ := value.(string)
	return value, ok && m.charge(textWork(len(text)))
}

func (m *maker) anyText(n *node, r *rules) (any, bool) {
	least, most := r.bounds(lengths)
	if least > maxMade {
		return nil, m.charge(maxWork + 1)
	}
	patterns := r.patterns()
	fits := func(s string) bool {
		length := utf8.RuneCountInString(s)
		if length < least || length > most {
			return false
		}
		for _, text := range patterns {
			if p := m.pattern(text); p == nil || !p.match.MatchString(s) {
				return false
			}
		}
		return true
	}
	want := -1
	if g := m.forced(n); g != nil && g.sized {
		want = g.length
		if want == 0 && fits("") {
			return "", true
		}
	}
	example := func(list []string) (string, bool) {
		if want >= 0 {
			return "", false
		}
		for i, start := 0, m.rand.IntN(len(list)); i < len(list); i++ {
			if s := list[(start+i)%len(list)]; fits(s) {
				return s, true
			}
		}
		return "", false
	}
	if s, ok := m.word(n, fits); ok && want < 0 {
		return s, true
	}
	if s, ok := m.wide.text(n, fits); ok && want < 0 {
		return s, true
	}
	if list := formats[r.format()]; list != nil && len(patterns) == 0 {
		return example(list)
	}
	if len(patterns) > 0 {
		if m.rand.IntN(8) == 0 {
			if s, ok := example(texts); ok {
				return s, true
			}
		}
		return m.matching(patterns, least, most, want, fits)
	}
	if want < 0 && m.rand.IntN(32) == 0 && fits("") {
		return "", true
	}
	if s, ok := example(texts); ok {
		return s, true
	}
	if want < 0 {
		want = max(least, min(most, least+m.rand.IntN(8)))
	}
	return strings.Repeat("x", min(want, maxMade)), want <= maxMade
}

// word returns an example value of a string, for two of three values.
func (m *maker) word(n *node, fits func(string) bool) (string, bool) {
	if len(n.words) == 0 || m.rand.IntN(3) == 0 {
		return "", false
	}
	for i, start := 0, m.rand.IntN(len(n.words)); i < len(n.words); i++ {
		if s, ok := n.words[(start+i)%len(n.words)].(string); ok && fits(s) {
			return s, true
		}
	}
	return "", false
}

// matching makes a string from one of the patterns that matches them all.
func (m *maker) matching(patterns []string, least, most, want int, fits func(string) bool) (any, bool) {
	if want >= 0 {
		least, most = want, want
	}
	found := ""
	for try := range 24 {
		p := m.pattern(patterns[try%len(patterns)])
		if p == nil {
			return nil, false
		}
		s := p.make(m.rand, []int{0, 1, 2, 5, 20, least}[try%6])
		if n := utf8.RuneCountInString(s); n < least && p.match.MatchString(s+strings.Repeat("x", least-n)) {
			s += strings.Repeat("x", least-n)
		} else if n > most && most > 0 {
			s = string([]rune(s)[:most])
		}
		if !fits(s) {
			continue
		}
		if want < 0 || utf8.RuneCountInString(s) == want {
			return s, true
		}
		found = s
	}
	return found, found != ""
}

func (m *maker) number(n *node, r *rules, whole bool) (any, bool) {
	least, most, multiples := r.limits()
	for _, v := range r.all {
		if v.Format == "int32" || n.s.XIntOrString {
			least, most = max(least, math.MinInt32), min(most, math.MaxInt32)
		}
	}
	fits := func(x float64) bool {
		if x < least || x > most {
			return false
		}
		for _, of := range multiples {
			if q := x / of; math.Abs(q-math.Round(q)) > 1e-9 {
				return false
			}
		}
		return true
	}
	var list []any
	for _, word := range n.words {
		switch w := word.(type) {
		case int64:
			list = append(list, w)
		case float64:
			if !whole {
				list = append(list, w)
			}
		}
	}
	for _, edge := range []float64{least, most} {
		if value, ok := nearest(edge, least, most, multiples, whole); ok && !math.IsInf(edge, 0) {
			list = append(list, value)
		}
	}
	if len(list) == 0 || m.rand.IntN(2) == 0 {
		if !whole && m.rand.IntN(2) == 0 {
			list = append(list, fractions[m.rand.IntN(len(fractions))])
		}
		list = append(list, integers[m.rand.IntN(len(integers))], integers[m.rand.IntN(8)])
	}
	if len(multiples) > 0 {
		if value, ok := nearest(multiples[0]*float64(m.rand.IntN(100)), least, most, multiples, whole); ok {
			list = append(list, value)
		}
	}
	m.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, value := range list {
		if fits(number(value)) {
			return value, true
		}
	}
	low, high := max(least, -1000), min(most, max(least, -1000)+1000)
	return nearest(low+math.Floor(m.rand.Float64()*(high-low+1)), least, most, multiples, whole)
}
