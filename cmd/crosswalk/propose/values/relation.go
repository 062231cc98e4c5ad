package values

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Equal relates fields with equal values.
func Equal(all *Compared, f, g *Field) *Fit {
	return (&Fit{F: f, G: g, Rule: "rename"}).each(all, func(a, b *cell) (same, counts bool) {
		return a.text == b.text || a.number != nil && b.number != nil && a.number.Cmp(b.number) == 0, true
	})
}

// Listed relates a text and a list that begins with it.
func Listed(all *Compared, f, g *Field) *Fit {
	begins := func(list, text *cell) bool {
		v, ok := list.value.([]any)
		return ok && len(v) > 0 && canonical(v[0]) == text.text
	}
	return (&Fit{F: f, G: g}).each(all, func(a, b *cell) (same, counts bool) { return begins(a, b) || begins(b, a), true })
}

// Telling reports whether one value alone says that two fields correspond: two fields seldom have it by chance.
func Telling(v any, f, g schema.Field) bool {
	switch v := v.(type) {
	case string:
		return len(v) >= 6 && len(f.Enum)+len(g.Enum) == 0
	case json.Number:
		digits := strings.Trim(string(v), "-0.")
		return len(digits) >= 4
	}
	return false
}

// unitsWithFactor returns two units of which one of the first is so many of the second, and whether
// the names of the fields say them.
func unitsWithFactor(factor *big.Rat, f, g string) (as string, named bool) {
	for _, units := range []map[string]*big.Rat{durationUnits, quantityUnits} {
		a, b := units[unitWords[UnitAt(f)]], units[unitWords[UnitAt(g)]]
		if a != nil && b != nil && new(big.Rat).Quo(a, b).Cmp(factor) == 0 {
			return fmt.Sprintf("%s, %s", unitWords[UnitAt(f)], unitWords[UnitAt(g)]), true
		}
	}
	for _, units := range []map[string]*big.Rat{durationUnits, quantityUnits} {
		for _, one := range unitOrder {
			for _, other := range unitOrder {
				if a, b := units[one], units[other]; a != nil && b != nil && one != other && new(big.Rat).Quo(a, b).Cmp(factor) == 0 && !contradictedUnit(f, one) && !contradictedUnit(g, other) {
					return one + ", " + other, false
				}
			}
		}
	}
	return "", false
}

// contradictedUnit reports whether a name says another unit.
func contradictedUnit(path, unit string) bool {
	said := unitWords[UnitAt(path)]
	return said != "" && said != unit
}

// Scaled relates two numbers by a constant factor. Zero fits each factor, and says nothing.
func Scaled(all *Compared, f, g *Field) (x *Fit, factor *big.Rat, named bool) {
	counts := map[string]int{}
	var most string
	(&Fit{F: f, G: g}).each(all, func(a, b *cell) (same, counted bool) {
		if a.number != nil && b.number != nil && a.number.Sign() != 0 && b.number.Sign() != 0 {
			text := new(big.Rat).Quo(b.number, a.number).RatString()
			if counts[text]++; most == "" || counts[text] > counts[most] {
				most = text
			}
		}
		return true, false
	})
	factor, ok := new(big.Rat).SetString(most)
	if !ok || factor.Cmp(big.NewRat(1, 1)) == 0 {
		return nil, nil, false
	}
	x = (&Fit{F: f, G: g, Rule: "convert"}).each(all, func(a, b *cell) (same, counts bool) {
		m, n := a.number, b.number
		return m != nil && n != nil && new(big.Rat).Mul(m, factor).Cmp(n) == 0, m != nil && m.Sign() != 0
	})
	x.As, named = unitsWithFactor(factor, f.Path, g.Path)
	return x, factor, named
}

// scalars are the types that a text may say, by the types of fields, as convert has them.
var scalars = map[string]string{"an integer": "integer", "a number": "number", "a boolean": "boolean"}

// Written relates a text and a number that it says: digits, a duration or a quantity.
func Written(all *Compared, f, g *Field) *Fit {
	text, number, order := f, g, [2]int{0, 1}
	if scalars[f.Type] != "" {
		text, number, order = g, f, [2]int{1, 0}
	}
	kind := scalars[number.Type]
	if kind == "" || kind == scalars[text.Type] {
		return nil
	}
	try := func(types [2]string, agree func(t, n *cell) (same, counts bool)) *Fit {
		x := (&Fit{F: f, G: g, Rule: "convert", As: types[order[0]] + ", " + types[order[1]]}).each(all, func(a, b *cell) (bool, bool) {
			both := [2]*cell{a, b}
			return agree(both[order[0]], both[order[1]])
		})
		if x.Fits() {
			return x
		}
		return nil
	}
	if text.Type == "a string" {
		if x := try([2]string{"string", kind}, func(t, n *cell) (bool, bool) { s, ok := t.value.(string); return ok && s == n.text, true }); x != nil {
			return x
		}
	}
	if kind != "integer" {
		return nil
	}
	said := unitWords[UnitAt(number.Path)]
	for _, form := range []struct {
		name  string
		of    func(any) *big.Rat
		units map[string]*big.Rat
	}{{"duration", durationOf, durationUnits}, {"quantity", quantityOf, quantityUnits}} {
		for _, unit := range unitOrder {
			size := form.units[unit]
			if size == nil || said != "" && said != unit {
				continue
			}
			name := unit
			if unit == "1" {
				name = "integer"
				for _, c := range text.cells {
					if strings.HasSuffix(c.text, `i"`) {
						name = "bytes" // written with binary suffixes
					}
				}
			}
			if x := try([2]string{form.name, name}, func(t, n *cell) (bool, bool) {
				q, m := form.of(t.value), n.number
				return q != nil && m != nil && q.Cmp(new(big.Rat).Mul(m, size)) == 0, q != nil && q.Sign() != 0
			}); x != nil {
				return x
			}
		}
	}
	return nil
}

// Translated relates each value to one partner. Values of free texts, which are all different, have no table.
func Translated(all *Compared, f, g *Field) *Fit {
	there, back, times := map[string]string{}, map[string]string{}, map[string]int{}
	tooMany := false
	x := (&Fit{F: f, G: g, Rule: "translate", Table: there}).each(all, func(a, b *cell) (same, counts bool) {
		if !isWord(a.value) || !isWord(b.value) {
			return false, false
		}
		s, t := a.text, b.text
		partner, known := there[s]
		other, taken := back[t]
		if known && partner != t || taken && other != s {
			return false, false
		}
		if !known {
			if tooMany = tooMany || len(there) == maxTable; tooMany {
				return false, false
			}
			there[s], back[t] = t, s
		}
		if s != t {
			times[s]++
		}
		return true, true
	})
	enums := len(f.Enum) > 0 && len(g.Enum) > 0
	recur := 0
	for _, n := range times {
		if n > 1 {
			recur++
		}
	}
	if free := f.Type == "a string" && g.Type == "a string" && !enums; len(times) == 0 || tooMany || free && f.Path == g.Path && recur < 2 || !enums && f.Path != g.Path && len(there) >= x.Objects && len(there) > 1 {
		return nil
	}
	return x
}

// isWord reports whether a value may stand in a table.
func isWord(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= maxWord
	case bool:
		return true
	}
	return false
}

// maxTable is the number of values in a table: more are free texts.
const maxTable = 200

// maxWord is the length of the longest text in a table.
const maxWord = 100

// TableText returns the pairs that differ, and the values of the older version that no object has.
func (x *Fit) TableText() (text string, unseen []string) {
	var pairs []string
	for a, b := range x.Table {
		if a != b {
			pairs = append(pairs, "["+yamlOf(a)+", "+yamlOf(b)+"]")
		}
	}
	slices.Sort(pairs)
	for side, field := range []*Field{x.F, x.G} {
		for _, v := range field.Enum {
			quoted := canonical(v)
			seen := slices.ContainsFunc(field.cells, func(c cell) bool { return c.text == quoted })
			if !seen && (side == 0 || !slices.Contains(x.F.Enum, v)) {
				unseen = append(unseen, foreign.Shorten(v, maxWord)+" of "+field.Path)
			}
		}
	}
	return "[" + strings.Join(pairs, ", ") + "]", unseen
}

// Among reports whether a table as YAML has each pair of the relation that differs.
func (x *Fit) Among(table string) bool {
	for a, b := range x.Table {
		if a != b && !strings.Contains(table, "["+yamlOf(a)+", "+yamlOf(b)+"]") {
			return false
		}
	}
	return true
}

// yamlOf returns a JSON scalar as YAML in double quotes, with escapes that YAML has, too.
func yamlOf(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return fmt.Sprintf("%+q", s)
	}
	return text
}
