package rules

import (
	"encoding/json"
	"slices"
	"strings"
)

// lookedUp are the rules about tables of values, groups and keys, and about skipped elements.
func (m *maker) lookedUp(one *model, head func(verb, more string) string) *model {
	switch m.IntN(4) {
	case 0:
		one.yaml = head("translate", "merge: true\nvalues: [[a, x], [b, x], [c, y], [c, z], [d, w]]")
		words := []any{"a", "b", "c", "d", "w", "x", "y", "z", "other"}
		one.turn = turns{translated("a", "x", "b", "x", "c", "y", "d", "w"), translated("x", "a", "y", "c", "z", "c", "w", "d")}
		one.make = makes{m.one(words...), m.one(words...)}
	case 1:
		one.yaml = head("convert", `as: [apiVersion, apiGroup]`+"\n"+`versions: [[apps, v1], ["", v1], [example.com, v2]]`)
		one.turn = turns{onText(groupOf), onText(func(group string) (any, error) {
			version, ok := map[string]string{"apps": "apps/v1", "": "v1", "example.com": "example.com/v2"}[group]
			if !ok {
				return nil, errRefused
			}
			return version, nil
		})}
		one.make = makes{m.one("apps/v1", "apps/v1beta1", "v1", "v2", "example.com/v2", "other/v1", "", "/", "a/", "/v1", "a/b/c", "ü/v1"), m.one("apps", "", "example.com", "other", "apps/v1")}
	case 2:
		prefix := m.IntN(2) == 0
		more := "values: [[cpu, CPU], [mem, cpu]]"
		pairs := [][2]string{{"cpu", "CPU"}, {"mem", "cpu"}}
		if prefix {
			more, pairs = "values: [[old/, new/], [x-, y]]\nprefix: true", [][2]string{{"old/", "new/"}, {"x-", "y"}}
		}
		one.yaml = head("renameKeys", more)
		one.turn = turns{renamed(pairs, 0, prefix), renamed(pairs, 1, prefix)}
		some := func() any {
			o := members{}
			for range m.IntN(4) {
				o[pick(m, "cpu", "CPU", "mem", "other", "old/a", "new/a", "old/", "x-b", "yb", "y", "ü\"", "")] = m.value(1)
			}
			return o
		}
		one.make = makes{m.one(some(), some()), m.one(some(), some())}
	default:
		side := m.IntN(2)
		one.yaml = head("skip", "in: "+version(side)+"\nwhere: {path: k, in: [a, 1]}\neach:\n- {rename: x, to: y}")
		one.turn = turns{skipped(side == 0, "x", "y"), skipped(side == 1, "y", "x")}
		old := []string{"x", "y"}
		element := func(side int) any {
			return pick[any](m, members{"k": "a"}, members{"k": json.Number("1.0"), old[side]: "v"}, members{"k": "b", old[side]: m.value(1)}, members{old[side]: "w"}, members{"k": members{}}, members{})
		}
		list := func(side int) any {
			var all []any
			for range m.IntN(4) {
				all = append(all, element(side))
			}
			return slices.Clip(append([]any{}, all...))
		}
		one.make = makes{m.one(list(0), list(0)), m.one(list(1), list(1))}
	}
	return one
}

func groupOf(text string) (any, error) {
	group, version, ok := strings.Cut(text, "/")
	switch {
	case !ok && text != "":
		return "", nil
	case !ok || group != "apps" && group != "example.com" || version == "" || strings.Contains(version, "/"):
		return nil, errRefused
	}
	return group, nil
}

// renamed returns the conversion of the keys of a map from a side.
func renamed(pairs [][2]string, side int, prefix bool) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		o, ok := in[0].(members)
		if in[0] == nil {
			return in, nil
		}
		if !ok {
			return nil, errRefused
		}
		out := members{}
		for key, v := range o {
			to := key
			for _, pair := range pairs {
				if rest, is := strings.CutPrefix(key, pair[side]); is && (prefix || rest == "") {
					to = pair[1-side] + rest
				}
			}
			if _, twice := out[to]; twice {
				return nil, errRefused
			}
			out[to] = v
		}
		return []any{out}, nil
	}
}

// skipped returns the conversion of a list, of which elements with certain values of k go, and whose
// elements have a field renamed.
func skipped(skips bool, from, to string) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		list, err := listOf(in)
		if list == nil {
			return in, err
		}
		out := []any{}
		for _, e := range list {
			o, ok := e.(members)
			if ok && skips && (o["k"] == "a" || o["k"] == json.Number("1.0")) {
				continue
			}
			if !ok {
				out = append(out, e)
				continue
			}
			o = clone(o).(members)
			if v, ok := o[from]; ok {
				delete(o, from)
				o[to] = v
			}
			out = append(out, o)
		}
		return []any{out}, nil
	}
}
