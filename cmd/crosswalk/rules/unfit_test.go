package rules

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestUnfit converts values that the other version cannot say: without unfit the module refuses them. With
// unfit: stash the other version does not have them, they come back, and an edit there wins.
func TestUnfit(t *testing.T) {
	for _, c := range []struct{ rule, from, object, there, edit, edited string }{
		{"- {convert: spec.t, to: spec.s, as: [duration, s]}", "v1", `{"t":"never","a":1}`, `{"a":1}`, `{"a":1,"s":5}`, `{"a":1,"t":"5s"}`},
		{"- {convert: spec.t, as: [string, integer]}", "v1", `{"t":"x"}`, `{}`, `{"t":7}`, `{"t":"7"}`},
		{"- {convert: spec.t, as: [intOrString, integer]}", "v1", `{"t":"41%"}`, `{}`, `{"t":7}`, `{"t":7}`},
		{"- {convert: spec.box.t, to: spec.s, as: [string, integer]}", "v1", `{"box":{"t":"x"}}`, `{}`, `{"s":7}`, `{"box":{"t":"7"}}`},
		{"- {convert: 'spec.l[].t', to: 'spec.l[].s', as: [string, integer]}", "v1", `{"l":[{"t":"1"},{"t":"x"}]}`, `{"l":[{"s":1},{}]}`, `{"l":[{"s":2},{}]}`, `{"l":[{"t":"2"},{}]}`},
		{"- {split: spec.s, to: [spec.a, spec.b], separator: ':'}", "v1", `{"s":"x"}`, `{}`, `{"a":"y","b":"z"}`, `{"s":"y:z"}`},
		{"- {split: spec.s, to: [spec.a, {path: spec.b, type: integer}], separator: ':'}", "v1", `{"s":"x:y"}`, `{}`, `{"a":"y","b":1}`, `{"s":"y:1"}`},
		{"- {split: spec.s, to: [spec.a, spec.b], separator: ':'}", "v2", `{"a":"x:y","b":"z"}`, `{}`, `{"s":"p:q"}`, `{"a":"p","b":"q"}`},
		{"- {split: spec.s, to: [spec.s.a, spec.s.b], separator: ':', absent: '*'}", "v1", `{"s":"x"}`, `{}`, `{"s":{"a":"y"}}`, `{"s":"y:*"}`},
		{"- {split: spec.s, to: [spec.s.a, spec.s.b], separator: ':', absent: '*'}", "v2", `{"s":{"a":"x:y"}}`, `{}`, `{"s":"y:*"}`, `{"s":{"a":"y"}}`},
		{"- {splitList: spec.s, to: spec.l, separator: ','}", "v2", `{"l":["a,b","c"]}`, `{}`, `{"s":"d"}`, `{"l":["d"]}`},
		{"- {listFromMap: spec.m, key: k, value: v}", "v2", `{"m":[{"k":"a","v":1},{"k":"a","v":2}]}`, `{}`, `{"m":{"b":1}}`, `{"m":[{"k":"b","v":1}]}`},
		{"- {listFromMap: spec.m, key: k, each: [{rename: x, to: y}]}", "v2", `{"m":[{"k":"a","y":1},{"k":"a","y":2}]}`, `{}`, `{"m":{"b":{"x":1}}}`, `{"m":[{"k":"b","y":1}]}`},
	} {
		to := map[string]string{"v1": "v2", "v2": "v1"}[c.from]
		object := complete(t, c.from, `{"spec":`+c.object+`}`)
		if _, ok := newGuest(t, parse(t, inFile(c.rule))).convert("example.com/"+to, object); ok {
			t.Errorf("%s converts %s", c.rule, c.object)
		}
		g := newGuest(t, parse(t, inFile(strings.TrimSuffix(c.rule, "}")+", unfit: stash}")))
		there, ok := g.convert("example.com/"+to, object)
		if want := complete(t, to, `{"spec":`+c.there+`}`); normal(t, there, false) != normal(t, want, false) {
			t.Errorf("%s: %s became %s (ok: %v), want %s", c.rule, c.object, there, ok, c.there)
			continue
		}
		if back, ok := g.convert("example.com/"+c.from, there); normal(t, back, false) != normal(t, object, false) {
			t.Errorf("%s: %s came back as %s (ok: %v)", c.rule, c.object, back, ok)
		}
		var o map[string]any
		if err := json.Unmarshal([]byte(there), &o); err != nil {
			t.Fatal(err)
		}
		o["spec"] = json.RawMessage(c.edit)
		edited, _ := json.Marshal(o)
		if back, ok := g.convert("example.com/"+c.from, string(edited)); normal(t, back, false) != normal(t, complete(t, c.from, `{"spec":`+c.edited+`}`), false) {
			t.Errorf("%s: %s became %s (ok: %v), want %s", c.rule, edited, back, ok, c.edited)
		}
	}
	if _, err := Parse([]byte(inFile("- {convert: 'spec.l[]', as: [string, integer], unfit: stash}"))); err == nil || !strings.Contains(err.Error(), "the stash cannot hold an element alone") {
		t.Error(err)
	}
}
