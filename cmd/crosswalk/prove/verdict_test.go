package prove

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

func verdictOf(t *testing.T, f fixture) *Verdict {
	t.Helper()
	file, _ := f.parsed(t)
	v, err := Rules(context.Background(), file, []byte(f.text()), f.crd(t).CRD, Options{Objects: 1000, For: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerdicts tests the three answers.
func TestVerdicts(t *testing.T) {
	proved := fixture{specs: []string{`{a: {type: string}}`, `{b: {type: string}}`}, rules: "- {rename: spec.a, to: spec.b}\n"}
	if v := verdictOf(t, proved); v.Answer != Proved || v.Objects != 1000 || len(v.Lemmas) != 1 || v.Lemmas[0] != "line 7: rename spec.a" {
		t.Errorf("%s", encoded(t, v))
	}
	invalid := fixture{whole: true, specs: []string{`{type: object, properties: {spec: {type: object, properties: {a: {type: string}, c: {type: string}}}}}`,
		`{type: object, properties: {spec: {type: object, required: [d], properties: {b: {type: string, maxLength: 3}, d: {type: string}}}}}`},
		rules: "- {rename: spec.a, to: spec.b}\n- {drop: spec.c, in: v1}\n- {drop: spec.d, in: v2}\n"}
	if v := verdictOf(t, invalid); v.Answer != NotDecided || len(v.Open) != 2 || v.Open[0].Condition != valid || v.Open[0].Path != "spec.b" || v.Open[1].Path != "spec.d" {
		t.Errorf("%s", encoded(t, v))
	}
	if invalid.lossy = "lossy:\n- {from: v1, to: v2, path: spec.b, reason: r}\n- {from: v1, to: v2, path: spec.d, reason: r}\n"; verdictOf(t, invalid).Answer != Proved {
		t.Errorf("%s", encoded(t, verdictOf(t, invalid)))
	}
	lossy := fixture{specs: []string{`{a: {type: string}}`, `{b: {type: string}, c: {type: integer}}`}, rules: "- {rename: spec.a, to: spec.b}\n"}
	v := verdictOf(t, lossy)
	if v.Answer != Counterexample || v.Example == nil || v.Example.Path != "spec.c" || !strings.Contains(v.There, `"c":`) || strings.Contains(v.Back, `"c":`) {
		t.Errorf("%s", encoded(t, v))
	}
	refuses := fixture{specs: []string{`{n: {type: string}}`, `{n: {type: integer}}`}, rules: "- {convert: spec.n, as: [string, integer]}\n"}
	if v := verdictOf(t, refuses); v.Answer != Counterexample || v.Example.Property != "refused" {
		t.Errorf("%s", encoded(t, v))
	}
	undecided := fixture{specs: []string{`{n: {type: string, enum: [1Mi, 2Mi]}}`, `{n: {type: integer, minimum: 1, maximum: 2}}`}, rules: "- {convert: spec.n, as: [quantity, Mi]}\n"}
	if v := verdictOf(t, undecided); v.Answer != NotDecided || len(v.Open) != 1 || v.Open[0].Line != 7 || v.Open[0].Condition != string(accepted) {
		t.Errorf("%s", encoded(t, v))
	}
	if same := verdictOf(t, proved); same.Rules != v.Rules || same.Schemas == v.Schemas || same.Schemas != Digest(proved.crd(t).CRD) {
		t.Errorf("digests: %s", encoded(t, same))
	}
}

// TestPreservedFields tests that nothing is proved for a definition whose API server prunes nothing.
func TestPreservedFields(t *testing.T) {
	f := fixture{specs: []string{`{a: {type: string}}`, `{b: {type: string}}`}, rules: "- {rename: spec.a, to: spec.b}\n"}
	file, _ := f.parsed(t)
	crd := f.crd(t).CRD
	crd.Spec.PreserveUnknownFields = true
	v, err := Rules(t.Context(), file, nil, crd, Options{Objects: 16, For: time.Minute})
	if err != nil || v.Answer != NotDecided || len(v.Open) != 1 || v.Open[0].Condition != string(unknown) {
		t.Errorf("%v: %s", err, encoded(t, v))
	}
}

// TestLossWins tests that rules that lose something are not proved although all conditions hold.
func TestLossWins(t *testing.T) {
	f := fixture{specs: []string{`{a: {type: string}}`, `{b: {type: string}, c: {type: integer}}`}, rules: "- {rename: spec.a, to: spec.b}\n"}
	file, d := f.parsed(t)
	if len(decide(file, d, field).Open) > 0 {
		t.Fatal("a condition is open")
	}
	v := &Verdict{Answer: NotDecided} // without open conditions
	report := fuzzed(t, file, f.crd(t), 500, false)
	m, err := open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := v.refute(t.Context(), d, m, report); err != nil || v.Answer != Counterexample {
		t.Errorf("%v: %s", err, encoded(t, v))
	}
	report.Findings[0].Object = []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","uid":"u"},"spec":{"a":"x"}}`)
	report.Findings[0].From, report.Findings[0].To = "v1", "v2"
	report.Findings = report.Findings[:1]
	v = &Verdict{Answer: NotDecided}
	if err := v.refute(t.Context(), d, m, report); err != nil || v.Answer != NotDecided || len(v.Open) != 1 {
		t.Errorf("an object that does not show the loss: %v: %s", err, encoded(t, v))
	}
}

// TestOutside tests the limit of values that are kept of elements: an edit of the list in the other
// version drops them, and outside of lists it does not. A rule that restores them in other elements
// has no proof.
func TestOutside(t *testing.T) {
	list := fixture{name: "list", specs: []string{`{c: {type: string}, l: {type: array, items: {type: object, properties: {a: {type: string}}}}}`, `{c: {type: string}, l: {type: array, items: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}`},
		rules: "- {drop: 'spec.l[].n', in: v2}\n"}
	other := list
	other.rules = "- {drop: 'spec.l[].n', in: v2, for: [spec.c]}\n"
	object := fixture{name: "object", specs: []string{`{a: {type: string}}`, `{a: {type: string}, n: {type: integer}}`}, rules: "- {drop: spec.n, in: v2}\n"}
	for _, c := range []struct {
		f             fixture
		spec          string
		comesBack     bool
		open, limited []string
	}{
		{list, `{"l":[{"a":"x","n":1}]}`, false, nil, []string{edited, refused}},
		{other, `{"l":[{"a":"x","n":1}]}`, true, []string{string(outside)}, []string{refused}},
		{object, `{"a":"x","n":1}`, true, nil, nil},
	} {
		file, d := c.f.parsed(t)
		found := Decide(file, d)
		var limits []string
		for _, l := range found.Limits {
			limits = append(limits, l.Limit)
		}
		if !slices.Equal(listed(found.Open), c.open) || !slices.Equal(limits, c.limited) {
			t.Errorf("%s: %v", c.f.rules, found)
		}
		if left := changedInV1(t, file, d, c.spec); strings.Contains(left, `"n":1`) != c.comesBack || !strings.Contains(left, "edited") {
			t.Errorf("%s: %s", c.f.rules, left)
		}
	}
}

// changedInV1 converts an object of v2 to v1, edits a text there, and converts it back.
func changedInV1(t *testing.T, file *rules.File, d *apiserver.Definition, spec string) string {
	t.Helper()
	there := passed(t, file, d, "v2", "v1", spec)
	return passed(t, file, d, "v1", "v2", strings.Replace(there, `"a":"x"`, `"a":"edited"`, 1))
}

// passed converts an object, or a spec.
func passed(t *testing.T, file *rules.File, d *apiserver.Definition, from, to, object string) string {
	t.Helper()
	m, err := open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !strings.Contains(object, "apiVersion") {
		object = `{"apiVersion":"example.com/` + from + `","kind":"Thing","metadata":{"name":"x","uid":"u"},"spec":` + object + `}`
	}
	text, refused, err := convert(t.Context(), m, d.Version(from), d.Version(to), []byte(object))
	if err != nil || refused != "" {
		t.Fatal(err, refused)
	}
	return text
}

// TestEachUnboundedFieldIsNamed tests that a limit names every field whose kept value has no bound.
func TestEachUnboundedFieldIsNamed(t *testing.T) {
	f := fixture{specs: []string{`{a: {type: string}, b: {type: string, maxLength: 9}, c: {type: array, items: {type: string}}}`, `{x: {type: boolean}}`},
		rules: "- {drop: spec.a, in: v1}\n- {drop: spec.b, in: v1}\n- {drop: spec.c, in: v1}\n- {drop: spec.x, in: v2}\n"}
	file, d := f.parsed(t)
	var got []string
	for _, l := range Decide(file, d).Limits {
		got = append(got, l.String())
	}
	want := "spec.a and 1 other field: an object of v1 whose kept values need more than 131072 bytes in the annotation is refused (refused)"
	if len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}
}
