package rules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

type (
	turns = [2]func([]any) ([]any, error)
	makes = [2]func(*rand.Rand) []any
)

// one returns a maker of one value: mostly one of these, sometimes anything.
func (m *maker) one(values ...any) func(*rand.Rand) []any {
	return func(*rand.Rand) []any {
		if m.IntN(12) == 0 {
			return []any{m.value(1)}
		}
		return []any{pick(m, values...)}
	}
}

func numbers(texts ...string) (all []any) {
	for _, text := range texts {
		all = append(all, json.Number(text))
	}
	return all
}

// sizes are numbers for conversions between units.
var sizes = numbers("0", "1", "-1", "500", "1000", "60000", "90000", "-90000", "1048576", "1073741824", "8589934592", "1.5", "1.0", "1e3", "9223372036854775807", "-9223372036854775808", "9223372036854775808")

// rule makes a rule about new fields.
func (m *maker) rule(prefix string) *model {
	a, b := m.field(prefix, 0), m.field(prefix, 1)
	head := func(verb string, more string) string {
		return fmt.Sprintf("%s: %s\nto: %s\n%s", verb, quote(a), quote(b), more)
	}
	one := &model{paths: [2][]fieldpath.Path{{a}, {b}}, only: -1}
	switch m.IntN(22) {
	case 0, 1:
		return m.moved(a, b)
	case 18, 19, 20, 21:
		return m.lookedUp(one, head)
	case 2:
		one.yaml = head("translate", `values: [[a, b], ["", "x"], [c, d]]`)
		one.turn = turns{translated("a", "b", "", "x", "c", "d"), translated("b", "a", "x", "", "d", "c")}
		one.make = makes{m.one("a", "b", "c", "d", "", "x", "other"), m.one("a", "b", "c", "d", "", "x", "other")}
	case 3:
		one.yaml = head("convert", "as: [string, integer]")
		one.turn = turns{onText(wholeNumber), onInteger(func(n int64) (any, error) { return number64(n).String(), nil })}
		one.make = makes{m.one("1", "007", "-1", "+5", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.0", "", " 1", "1_0"),
			m.one(numbers("0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e2")...)}
	case 4:
		one.yaml = head("convert", "as: [duration, s]")
		one.turn = turns{onText(seconds), onInteger(fromSeconds)}
		one.make = makes{m.one("1h30m0s", "90m", "1.5s", "-1.5s", "0", "0s", "1h", "1ns", "1µs", ".5h", "5.s", "1d", "", "5", "-9223372036854775808ns", "2562047h47m16.854775807s", "2562048h", "1h1h"),
			m.one(numbers("0", "1", "-1", "5400", "9223372036", "9223372037", "-9223372036", "9223372036854775807")...)}
	case 5:
		one.yaml = head("convert", "as: [quantity, Mi]")
		one.turn = turns{onText(mebibytes), onInteger(func(n int64) (any, error) { return quantityOf(n), nil })}
		one.make = makes{m.one("20Gi", "1.5Gi", "1M", "1e3", "1E", "0", "-5Mi", "500m", "1Ki", "", "5Qi", "1.5", "+1Gi", "8Ei", "1048576", "1048577", "0.1Mi", "1e3Mi", ".5Gi", "5.Gi", "100n", "12e6", "12E6"),
			m.one(numbers("0", "1", "1024", "20480", "-1", "1536", "1048576")...)}
	case 16, 17:
		return m.partsObject(a, b)
	case 14:
		one.yaml = head("convert", "as: [ms, min]")
		one.turn = turns{onInteger(counted(1, 60000)), onInteger(counted(60000, 1))}
		one.make = makes{m.one(sizes...), m.one(sizes...)}
	case 15:
		one.yaml = head("convert", "as: [G, Mi]")
		one.turn = turns{onInteger(counted(1e9, 1<<20)), onInteger(counted(1<<20, 1e9))}
		one.make = makes{m.one(sizes...), m.one(sizes...)}
	case 6:
		one.yaml = head("wrap", "")
		one.turn = turns{func(in []any) ([]any, error) { return wrapped(in[0]), nil }, unwrapped}
		one.make = makes{m.any, m.one([]any{}, []any{"a"}, []any{"a", "b"}, []any{json.Number("1.0")}, []any{members{"x": "y"}, "z"})}
	case 7:
		one.yaml = head("splitList", `separator: ","`)
		one.turn = turns{onText(func(s string) (any, error) { return parted(s), nil }), listed}
		one.make = makes{m.one("", "a", "a,b", ",", "a,,b", "ü,€"), m.one([]any{}, []any{"a"}, []any{"a", "b"}, []any{""}, []any{"", ""}, []any{"a,b"}, []any{json.Number("1")})}
	case 8:
		one.yaml = head("nest", "key: k")
		one.turn = turns{func(in []any) ([]any, error) {
			if in[0] == nil {
				return in, nil
			}
			return []any{members{"k": in[0]}}, nil
		}, unnested}
		one.make = makes{m.any, m.one(members{"k": "v"}, members{"k": json.Number("1.0"), "l": true}, members{}, members{"l": "x"}, members{"k": members{"k": "v"}})}
	case 9:
		one.yaml = head("listFromMap", "key: name\nvalue: value")
		one.turn = turns{listOfMap, mapOfList}
		one.make = makes{m.one(members{}, members{"a": "b"}, members{"a/b.c": json.Number("1"), "": "x", "ü": members{"y": "z"}}),
			m.one([]any{}, []any{members{"name": "a", "value": "b"}}, []any{members{"name": "a", "value": "b"}, members{"name": "a", "value": "c"}}, []any{members{"name": "b", "value": "x"}, members{"name": "é", "value": "y"}, members{"name": "a", "value": "z"}}, []any{members{"name": "ab", "value": "x"}, members{"name": "a", "value": "y"}}, []any{members{"name": "", "value": "c"}, members{"name": "x/y~", "value": true}}, []any{"a"}, []any{members{"value": "a"}})}
	case 10, 11:
		return m.splitting(prefix, a)
	case 12:
		side := m.IntN(2)
		p := one.paths[side][0]
		one.paths = [2][]fieldpath.Path{{p}, {p}}
		one.only = side
		one.yaml = fmt.Sprintf("drop: %s\nin: %s", quote(p), version(side))
		one.make = makes{m.any, m.any}
	default:
		side := m.IntN(2)
		p := one.paths[side][0]
		if slices.Contains(p, "both") { // other rules may empty it on the way, and no object, no constant
			return m.moved(a, b)
		}
		one.paths, one.only, one.fixed = [2][]fieldpath.Path{{p}, {p}}, side, pick[any](m, "constant", json.Number("7777777"))
		text, _ := json.Marshal(one.fixed)
		one.yaml = fmt.Sprintf("constant: %s\nin: %s\nvalue: %s", quote(p), version(side), text)
		one.make = makes{m.one(one.fixed, one.fixed, "other"), m.one(one.fixed, one.fixed, "other")}
	}
	return one
}

func (m *maker) splitting(prefix string, a fieldpath.Path) *model {
	separator := pick(m, ":", ",", "::", " ")
	one := &model{paths: [2][]fieldpath.Path{{a}, nil}, only: -1}
	var places []string
	for range 2 + m.IntN(2) {
		p := m.field(prefix, 1)
		one.paths[1] = append(one.paths[1], p)
		places = append(places, quote(p))
	}
	n := len(places)
	one.yaml = fmt.Sprintf("split: %s\nto: [%s]\nseparator: %q", quote(a), strings.Join(places, ", "), separator)
	cut := func(in []any) ([]any, error) {
		if in[0] == nil {
			return make([]any, n), nil
		}
		s, ok := in[0].(string)
		parts := strings.Split(s, separator)
		if !ok || len(parts) != n {
			return nil, errRefused
		}
		var out []any
		for _, part := range parts {
			out = append(out, part)
		}
		return out, nil
	}
	one.turn = turns{cut, func(in []any) ([]any, error) {
		out, err := joined(separator)(in)
		if err != nil || out == nil {
			return nil, err
		}
		again, err := cut(out)
		if err != nil || !slices.Equal(again, in) { // "a:" and ":b" with "::"
			return nil, errRefused
		}
		return out, nil
	}}
	one.make = makes{m.one(strings.Repeat("a"+separator, n-1)+"b", strings.Repeat(separator, n-1), "a"), func(*rand.Rand) (all []any) {
		for range n {
			all = append(all, pick[any](m, "a", "b", "", "ü", separator[:1], "a"+separator, nil, "c", "d", "e"))
		}
		return all
	}}
	return one
}

// partsObject makes a rule between a string and an object with its parts.
func (m *maker) partsObject(a, b fieldpath.Path) *model {
	if m.IntN(2) == 0 {
		b = a
	}
	how, cut, glue := "words: true", strings.Fields, " "
	if m.IntN(2) == 0 {
		how, cut, glue = `separator: ","`, func(s string) []string { return strings.Split(s, ",") }, ","
	}
	one := &model{paths: [2][]fieldpath.Path{{a}, {b}}, only: -1}
	one.yaml = fmt.Sprintf("split: %s\nto: [%s, %s]\n%s\nabsent: \"*\"", quote(a), quote(b.Join("x")), quote(b.Join("y/z")), how)
	one.turn = turns{onText(func(s string) (any, error) {
		parts, o := cut(s), members{}
		if len(parts) != 2 {
			return nil, errRefused
		}
		for i, name := range []string{"x", "y/z"} {
			if parts[i] != "*" {
				o[name] = parts[i]
			}
		}
		return o, nil
	}), func(in []any) ([]any, error) {
		o, ok := in[0].(members)
		if in[0] == nil || !ok {
			if in[0] == nil {
				return in, nil
			}
			return nil, errRefused
		}
		parts := []string{"*", "*"}
		for i, name := range []string{"x", "y/z"} {
			if o[name] == nil {
				continue
			}
			if parts[i], ok = o[name].(string); !ok || len(cut(parts[i])) != 1 || how[0] == 'w' && strings.TrimSpace(parts[i]) != parts[i] {
				return nil, errRefused
			}
		}
		return []any{strings.Join(parts, glue)}, nil
	}}
	one.make = makes{m.one("a b", "a,b", "* *", "*,*", "a  b", " a b", "a,", ",", "*", "", "*,b", "* b"),
		m.one(members{}, members{"x": "a"}, members{"x": "*", "y/z": "b"}, members{"x": "a b"}, members{"x": "a,b"}, members{"x": ""}, members{"x": " "},
			members{"x": "a", "y/z": "b", "other": members{}}, members{"x": json.Number("1")}, members{"other": "c"}, members{"y/z": nil})}
	return one
}

func translated(pairs ...string) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		if _, ok := in[0].(string); !ok && in[0] != nil {
			return nil, errRefused
		}
		for i := 0; i < len(pairs); i += 2 {
			if in[0] == pairs[i] {
				return []any{pairs[i+1]}, nil
			}
		}
		return in, nil
	}
}

func wrapped(v any) []any {
	if v == nil {
		return []any{nil}
	}
	return []any{[]any{v}}
}

func unwrapped(in []any) ([]any, error) {
	list, ok := in[0].([]any)
	switch {
	case in[0] == nil || ok && len(list) == 0:
		return []any{nil}, nil
	case !ok:
		return nil, errRefused
	}
	return list[:1], nil
}

func unnested(in []any) ([]any, error) {
	o, ok := in[0].(members)
	if in[0] != nil && !ok {
		return nil, errRefused
	}
	return []any{o["k"]}, nil
}

func parted(s string) any {
	list := []any{}
	if s == "" {
		return list
	}
	for _, part := range strings.Split(s, ",") {
		list = append(list, part)
	}
	return list
}

// listOf returns the list, nil if there is none; other values are refused.
func listOf(in []any) ([]any, error) {
	list, ok := in[0].([]any)
	if in[0] != nil && !ok {
		return nil, errRefused
	}
	return list, nil
}

func listed(in []any) ([]any, error) {
	list, err := listOf(in)
	if list == nil {
		return in, err
	}
	var parts []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok || strings.Contains(s, ",") {
			return nil, errRefused
		}
		parts = append(parts, s)
	}
	if len(parts) == 1 && parts[0] == "" {
		return nil, errRefused
	}
	return []any{strings.Join(parts, ",")}, nil
}

func listOfMap(in []any) ([]any, error) {
	o, ok := in[0].(members)
	if in[0] == nil || !ok {
		if in[0] == nil {
			return in, nil
		}
		return nil, errRefused
	}
	list := []any{}
	for _, key := range slices.Sorted(keysOf(o)) {
		list = append(list, members{"name": key, "value": o[key]})
	}
	return []any{list}, nil
}

func mapOfList(in []any) ([]any, error) {
	list, err := listOf(in)
	if list == nil {
		return in, err
	}
	o := members{}
	for _, e := range list {
		element, ok := e.(members)
		name, named := element["name"].(string)
		if _, twice := o[name]; !ok || !named || twice {
			return nil, errRefused
		}
		if o[name], ok = element["value"]; !ok || len(element) > 2 {
			return nil, errRefused
		}
	}
	return []any{o}, nil
}
