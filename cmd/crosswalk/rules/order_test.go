package rules

import "testing"

// TestFieldsThatFollowEachOther converts objects in which one field takes the place of another one,
// whatever the order of the rules.
func TestFieldsThatFollowEachOther(t *testing.T) {
	for _, c := range []struct{ rules, v1, v2 string }{
		{"- {rename: spec.a, to: spec.b}\n- {rename: spec.b, to: spec.c}", `{"spec":{"a":1,"b":2}}`, `{"spec":{"b":1,"c":2}}`},
		{"- {rename: spec.b, to: spec.c}\n- {rename: spec.a, to: spec.b}", `{"spec":{"a":1,"b":2}}`, `{"spec":{"b":1,"c":2}}`},
		{"- {rename: spec.a, to: spec.b}\n- {rename: spec.b, to: spec.a}", `{"spec":{"a":1,"b":2}}`, `{"spec":{"b":1,"a":2}}`},
		{"- {rename: spec.a, to: spec.b}\n- {rename: spec.b, to: spec.a}", `{"spec":{"a":1}}`, `{"spec":{"b":1}}`},
		{"- {rename: spec.a, to: spec.b}\n- {rename: spec.b, to: spec.c}\n- {rename: spec.c, to: spec.a}", `{"spec":{"a":1,"b":2,"c":3}}`, `{"spec":{"b":1,"c":2,"a":3}}`},
		{"- {move: spec.a.x, to: spec.b.x}\n- {move: spec.b.x, to: spec.a.x}", `{"spec":{"a":{"x":1},"b":{"x":2}}}`, `{"spec":{"b":{"x":1},"a":{"x":2}}}`},
		{"- {convert: spec.a, to: spec.b, as: [string, integer]}\n- {rename: spec.b, to: spec.a}", `{"spec":{"a":"1","b":"x"}}`, `{"spec":{"b":1,"a":"x"}}`},
		{"- {split: spec.a, to: [spec.b, spec.c], separator: \":\"}\n- {rename: spec.b, to: spec.a}", `{"spec":{"a":"x:y","b":"z"}}`, `{"spec":{"b":"x","c":"y","a":"z"}}`},
		{"- each: spec.l\n  rules:\n  - {rename: a, to: b}\n  - {rename: b, to: a}", `{"spec":{"l":[{"a":1,"b":2}]}}`, `{"spec":{"l":[{"b":1,"a":2}]}}`},
	} {
		g := newGuest(t, parse(t, inFile(c.rules)))
		there, _ := g.convert("example.com/v2", complete(t, "v1", c.v1))
		back, _ := g.convert("example.com/v1", there)
		if normal(t, there, true) != normal(t, complete(t, "v2", c.v2), true) || normal(t, back, true) != normal(t, complete(t, "v1", c.v1), true) {
			t.Errorf("%s\n%s became %s, and came back as %s", c.rules, c.v1, there, back)
		}
	}
}
