package rules

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestGivenFields converts objects to a version with a default and a constant: fragments, which have
// no uid, get neither, and a field with a default comes back if it is dropped on the way.
func TestGivenFields(t *testing.T) {
	g := newGuest(t, parse(t, inFile("- {default: spec.strategy, in: v2, value: Rolling}\n- {drop: spec.strategy, in: v2}\n- {constant: spec.engine, in: v2, value: a}")))
	for object, want := range map[string]string{
		`{"spec":{}}`: `{"spec":{"engine":"a","strategy":"Rolling"}}`,
		`{"metadata":{"name":"a"},"spec":{"size":1}}`: `{"metadata":{"name":"a"},"spec":{"size":1}}`,
		`{"status":{}}`: `{"status":{}}`,
	} {
		if got, _ := g.convert("example.com/v2", complete(t, "v1", object)); normal(t, got, false) != normal(t, complete(t, "v2", want), false) {
			t.Errorf("%s became %s, want %s", object, got, want)
		}
	}
	object := complete(t, "v2", `{"spec":{"engine":"b","strategy":"Recreate"}}`)
	there, _ := g.convert("example.com/v1", object)
	if normal(t, there, false) != normal(t, complete(t, "v1", `{"spec":{}}`), false) {
		t.Errorf("%s became %s", object, there)
	}
	if back, _ := g.convert("example.com/v2", there); normal(t, back, true) != normal(t, object, true) {
		t.Errorf("%s came back as %s", object, back)
	}
}

// TestCopy converts fields that are copies of others, or not, to a version that lacks them, where a client
// edits the object or does not: the module stores no more of a copy, and keeps all else.
func TestCopy(t *testing.T) {
	const whole = "- {rename: spec.t, to: spec.p}\n- {copy: spec.r, of: spec.p, in: v2%s}"
	elements := "- {rename: 'spec.l[].t', to: 'spec.l[].p'}\n- {copy: 'spec.l[].r', of: 'spec.l[].p', in: v2}"
	none, edited := strings.ReplaceAll(whole, "%s", ""), strings.ReplaceAll(whole, "%s", ", for: [spec.t]")
	for _, c := range []struct{ rules, object, there, edit, back string }{
		{none, `{"p":{"a":1.0},"r":{"a":1}}`, `{"t":{"a":1.0}}`, `{"t":"x"}`, `{"p":"x","r":"x"}`},
		{none, `{"p":"\u0061","r":"b"}`, `{"t":"a"}`, `{"t":"\u0063"}`, `{"p":"c","r":"b"}`},
		{none, `{"p":"a"}`, `{"t":"a"}`, `{"t":"c"}`, `{"p":"c"}`},
		{none, `{"r":"b"}`, `{}`, `{"t":"c"}`, `{"p":"c","r":"b"}`},
		{none, `{}`, `{}`, `{"t":"c"}`, `{"p":"c","r":"c"}`},
		{edited, `{"p":"a","r":"b"}`, `{"t":"a"}`, `{"t":"c"}`, `{"p":"c","r":"c"}`},
		{edited, `{"p":"a"}`, `{"t":"a"}`, `{"t":"c"}`, `{"p":"c","r":"c"}`},
		{elements, `{"l":[{"p":"a"},{"p":"b","r":"b"},{"p":"c","r":"d"},{"r":"e"}]}`, `{"l":[{"t":"a"},{"t":"b"},{"t":"c"},{}]}`, `{"l":[{"t":"z"}]}`, `{"l":[{"p":"z","r":"z"}]}`},
	} {
		g := newGuest(t, parse(t, inFile(c.rules)))
		convert := func(to, object, want string) string {
			got, ok := g.convert("example.com/"+to, object)
			if want := complete(t, to, `{"spec":`+want+`}`); !ok || normal(t, got, false) != normal(t, want, false) {
				t.Errorf("%s: %s became %s, want %s", c.rules, object, got, want)
			}
			return got
		}
		there := convert("v1", complete(t, "v2", `{"spec":`+c.object+`}`), c.there)
		back := convert("v2", there, c.object)
		if strings.Contains(back, "stash") {
			t.Errorf("%s: %s became %s and %s", c.rules, c.object, there, back)
		}
		var o map[string]any
		if err := json.Unmarshal([]byte(there), &o); err != nil {
			t.Fatal(err)
		}
		o["spec"] = json.RawMessage(c.edit)
		text, _ := json.Marshal(o)
		convert("v2", string(text), c.back)
	}
}
