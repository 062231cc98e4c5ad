package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestJudge sets the verdict for each thing that stands against equal, alone, and for the line of
// adopt.lock that accepts it.
func TestJudge(t *testing.T) {
	pair := Pair{From: "g/v1", To: "g/v2", Compared: 100}
	with := func(change func(p *Pair)) []Pair {
		p := pair
		change(&p)
		return []Pair{pair, p}
	}
	for _, test := range []struct {
		name   string
		result Result
		accept string // WHAT NAME
		want   string
	}{
		{"nothing", Result{Pairs: []Pair{pair}, Coverage: &Coverage{Blocks: 7, Ran: 7}}, "", "equal: 100 objects, 7 of 7 blocks of the operator's conversions ran"},
		{"a difference", Result{Pairs: with(func(p *Pair) { p.Differing = 1 })}, "refused -", "not equal: 1 of 200 objects differ"},
		{"a difference, and more", Result{Pairs: with(func(p *Pair) { p.Differing, p.NeverCompared = 1, []string{"spec.a"} })}, "",
			"not equal: 1 of 200 objects differ; and 1 more"},
		{"few refusals", Result{Pairs: with(func(p *Pair) { p.Refused, p.Refusals = 20, []Text{{"no", 20}} })}, "", "equal: 200 objects"},
		{"many refusals", Result{Pairs: with(func(p *Pair) { p.Refused, p.Refusals = 21, []Text{{"no", 20}} })}, "refused -",
			`not shown: g/v1 to g/v2: 21 of 100 objects are refused, such as with "no"`},
		{"many panics", Result{Pairs: with(func(p *Pair) { p.Panicked, p.Panics = 21, []Text{{"nil map", 30}} })}, "",
			"not shown: g/v1 to g/v2: 21 objects make the operator's code panic, and 100 do not: nil map"},
		{"a member that is always refused", Result{Pairs: with(func(p *Pair) { p.NeverAccepted = []Unaccepted{{"spec.ref", "the getter\n is not set", 9}} })}, "refused spec.ref",
			"not shown: g/v1 to g/v2: every object with spec.ref is refused: the getter is not set"},
		{"a member that was not compared", Result{Pairs: with(func(p *Pair) { p.NeverCompared = []string{"spec.a"} })}, "uncompared spec.a",
			"not shown: g/v1 to g/v2: no object with spec.a was compared"},
		{"a sample that is refused", Result{Pairs: with(func(p *Pair) { p.Samples, p.FailedSamples = 3, []Text{{"a panic: nil", 2}} })}, "refused -",
			"not shown: g/v1 to g/v2: 2 of the operator's own 3 samples fail in its code: a panic: nil"},
		{"a block that never ran", Result{Pairs: []Pair{pair}, Coverage: &Coverage{Blocks: 7, Ran: 6, Missing: []string{"api/a.go:3-4"}}}, "uncovered api/a.go:3-4",
			"not shown: 1 of 7 blocks of the operator's conversions never ran: api/a.go:3-4"},
		{"state", Result{Pairs: []Pair{pair}, State: []string{"depends on the clock: time.Now (a.go:1)"}}, "", "not shown: depends on the clock: time.Now (a.go:1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.result
			r.judge(accepted{})
			if got := r.line(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if r.Verdict == NotShown && test.accept != "" {
				what, name, _ := strings.Cut(test.accept, " ")
				again := test.result
				if again.judge(accepted{reasons: map[[2]string]string{{what, name}: "checked"}}); again.Verdict != Equal {
					t.Errorf("accepted, the verdict is %s", again.line())
				}
			}
		})
	}
}

// TestSummary prints the verdicts of several kinds, and fails with those that are not equal.
func TestSummary(t *testing.T) {
	equal, other := &Result{Kind: "A", Group: "g", Verdict: Equal}, &Result{Kind: "Bee", Group: "g", Verdict: NotShown, Reasons: []string{"why", "more"}}
	for _, test := range []struct {
		results  []*Result
		out, err string
	}{
		{[]*Result{equal}, "", ""},
		{[]*Result{{Kind: "A", Group: "g", Verdict: NotCompared}}, "", ""},
		{[]*Result{other}, "", "Bee.g: not shown to be equal to the operator's code: the verdict above says why"},
		{[]*Result{equal, other}, "A.g    equal: 0 objects\nBee.g  not shown: why; and 1 more\n", "not shown to be equal to the operator's code: Bee.g"},
	} {
		var out bytes.Buffer
		err := summary(&out, test.results)
		if errorText(err) != test.err || out.String() != test.out || err != nil && !errors.Is(err, ErrNotEqual) {
			t.Errorf("printed %q, %v", &out, err)
		}
	}
}

// TestPairLines reports one direction.
func TestPairLines(t *testing.T) {
	var out bytes.Buffer
	r := &report{out: &out}
	p := Pair{
		From: "g/v1", To: "g/v2", Compared: 9, Samples: 1, Given: 3, Differing: 2, Differences: []Difference{{Path: "spec.a", Module: "1", Want: "2", Object: "{}"}},
		Unstable: 1, UnstableAt: []string{"spec.list[]"}, Refusals: []Text{{"decoding: bad", 3}, {"a\nb", 1}}, Panics: []Text{{"nil", 2}},
	}
	for i := range mostTexts {
		p.Refusals = append(p.Refusals, Text{fmt.Sprint(i), 1})
	}
	r.pair(p)
	const want = `g/v1 to g/v2: 9 objects compared (1 of them the operator's samples, and 2 made from its definition), 2 differ
  differs at spec.a: the module has 1, the operator's code 2
  the operator's own results differ from each other for 1 objects, at spec.list[]
  refused by the operator's code once: a b
  refused by the operator's code once: 0
  refused by the operator's code once: 1
  refused by the operator's code once: 2
  and with other texts (report.json lists them)
  not decodable by the operator's types 3 times
  a panic in the operator's code 2 times: nil
`
	if out.String() != want {
		t.Errorf("got\n%s", &out)
	}
}
