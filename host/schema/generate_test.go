package schema

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// generator makes random objects that a schema allows. On request it breaks the object in one
// place.
type generator struct {
	rand *rand.Rand
	full bool // every field, and some elements in every list

	sites int // values made so far
	bad   int // the number of the value to give a wrong type, or -1
	odd   int // the number of the object to give an unknown field, or -1

	path   []string
	broken string // path of the value that was broken
}

func newGenerator(seed uint64, full bool) *generator {
	return &generator{rand: rand.New(rand.NewPCG(seed, 1)), full: full, bad: -1, odd: -1}
}

// object makes an object of a version.
func (g *generator) object(c *CRD, v *Version) []byte {
	dst := []byte(`{"apiVersion":"` + c.Group + "/" + v.Name + `","kind":"` + c.Kind + `","metadata":{"name":"x","labels":{"a":"b"}}`)
	dst = g.fields(dst, v.root, 0)
	return append(dst, '}')
}

func (g *generator) fields(dst []byte, n *node, depth int) []byte {
	site := g.sites
	g.sites++
	var names []string
	for name, f := range n.fields {
		if f.node != nil && !(n.embedded && metaOf([]byte(name)) != notMeta) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		f := n.fields[name]
		if n.members != nil && n.members.min > 0 || f.required >= 0 || f.mapKey >= 0 || g.full && depth < 20 || g.rand.IntN(3) > 0 && depth < 12 {
			dst = g.member(dst, name, "."+name, f.node, depth)
		}
	}
	if n.additional != nil && depth < 20 {
		count := g.count(n.members)
		for i := range count {
			name := "key-" + strconv.Itoa(i)
			dst = g.member(dst, name, "["+name+"]", n.additional, depth)
		}
	}
	if site == g.odd && n.additional == nil && !n.preserve {
		g.broken = g.where("zzUnknown")
		dst = append(g.comma(dst), `"zzUnknown":{"a":[null]}`...)
	}
	return dst
}

func (g *generator) comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return dst
}

func (g *generator) where(field string) string {
	path := strings.Join(g.path, "")
	if field != "" {
		path += "." + field
	}
	return strings.TrimPrefix(path, ".")
}

func (g *generator) member(dst []byte, name, piece string, n *node, depth int) []byte {
	dst = append(rawjson.Quote(g.comma(dst), name), ':')
	g.path = append(g.path, piece)
	dst = g.value(dst, n, depth+1)
	g.path = g.path[:len(g.path)-1]
	return dst
}

// count returns how many parts to generate.
func (g *generator) count(size *sizeRules) int {
	least, most := int64(0), int64(3)
	if g.full {
		least = 2
	}
	if size != nil {
		least = max(least, size.min)
		most = max(most, least)
		least, most = min(least, size.max), min(most, size.max)
	}
	return int(least) + g.rand.IntN(int(most-least)+1)
}

func (g *generator) value(dst []byte, n *node, depth int) []byte {
	site := g.sites
	if site == g.bad {
		g.sites++
		for _, wrong := range []struct {
			kind rawjson.Kind
			text string
		}{{rawjson.Bool, "true"}, {rawjson.String, `"x"`}, {rawjson.Array, "[]"}} {
			if !n.kinds.has(wrong.kind) {
				g.broken = g.where("")
				return append(dst, wrong.text...)
			}
		}
	}
	if n.enum != nil && len(n.enum.texts) > 0 {
		g.sites++
		return rawjson.Quote(dst, n.enum.texts[g.rand.IntN(len(n.enum.texts))])
	}
	switch {
	case n.kinds.has(rawjson.Object):
		if n.kinds == anyKind {
			g.sites++
			return append(dst, `{}`...)
		}
		dst = append(dst, '{')
		if n.embedded {
			dst = append(dst, `"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}`...)
		}
		return append(g.fields(dst, n, depth), '}')
	case n.kinds.has(rawjson.Array):
		return g.array(dst, n, depth)
	case n.kinds&integerKind != 0, n.kinds.has(rawjson.Number):
		g.sites++
		return g.number(dst, n.number)
	case n.kinds.has(rawjson.String):
		g.sites++
		return rawjson.Quote(dst, g.text(n.text))
	default:
		g.sites++
		return strconv.AppendBool(dst, g.rand.IntN(2) == 0)
	}
}

func (g *generator) array(dst []byte, n *node, depth int) []byte {
	g.sites++
	var size *sizeRules
	if n.list != nil {
		size = n.list.size
	}
	count := g.count(size)
	if n.list != nil && n.list.unique != "" && count > 1 {
		count = max(1, int(orZero(size))) // more would have to differ
	}
	dst = append(dst, '[')
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		g.path = append(g.path, "["+strconv.Itoa(i)+"]")
		dst = g.value(dst, n.items, depth+1)
		g.path = g.path[:len(g.path)-1]
	}
	return append(dst, ']')
}

func orZero(size *sizeRules) int64 {
	if size == nil {
		return 0
	}
	return size.min
}

func (g *generator) number(dst []byte, r *numberRules) []byte {
	low, high := int64(-1000), int64(1000)
	if r != nil && r.min != nil {
		low = int64(*r.min)
		high = max(high, low+1)
	}
	if r != nil && r.max != nil {
		high = int64(*r.max)
		low = min(low, high)
	}
	return strconv.AppendInt(dst, low+g.rand.Int64N(high-low+1), 10)
}

func (g *generator) text(r *textRules) string {
	if r == nil {
		return strings.Repeat("plain text ", 1+g.rand.IntN(3))
	}
	if r.format != nil {
		for _, text := range []string{
			"2026-08-01T12:00:00Z", "2026-08-01", "10.0.0.1", "::1", "10.0.0.0/8", "1h30m", "aGVsbG8=", "https://example.com/", "example.com",
			"a@example.com", "123e4567-e89b-42d3-a456-426614174000",
		} {
			if r.format.Matches([]byte(text)) {
				return text
			}
		}
	}
	least, most := 0, 20
	if r.length != nil {
		least = int(r.length.min)
		most = int(min(r.length.max, int64(least+20)))
	}
	if r.pattern == nil {
		return strings.Repeat("x", least+g.rand.IntN(most-least+1))
	}
	parsed, err := syntax.Parse(r.pattern.String(), syntax.Perl)
	if err != nil {
		panic(err)
	}
	for range 10_000 {
		text := string(g.matching(nil, parsed.Simplify()))
		if n := utf8.RuneCountInString(text); n >= least && (r.length == nil || int64(n) <= r.length.max) && r.pattern.MatchString(text) {
			return text
		}
	}
	panic("no text found for " + r.pattern.String())
}

// matching appends a text that matches the expression, if the expression has no assertions about
// the text around it.
func (g *generator) matching(dst []byte, re *syntax.Regexp) []byte {
	repeat := func(least, most int) {
		for range least + g.rand.IntN(most-least+1) {
			dst = g.matching(dst, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		dst = append(dst, string(re.Rune)...)
	case syntax.OpCharClass:
		i := 2 * g.rand.IntN(len(re.Rune)/2)
		low, high := re.Rune[i], min(re.Rune[i+1], re.Rune[i]+30)
		dst = utf8.AppendRune(dst, low+g.rand.Int32N(high-low+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		dst = append(dst, 'a')
	case syntax.OpCapture:
		dst = g.matching(dst, re.Sub[0])
	case syntax.OpStar:
		repeat(0, 3)
	case syntax.OpPlus:
		repeat(1, 4)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			dst = g.matching(dst, sub)
		}
	case syntax.OpAlternate:
		dst = g.matching(dst, re.Sub[g.rand.IntN(len(re.Sub))])
	}
	return dst
}
