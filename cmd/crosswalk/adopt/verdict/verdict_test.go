package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
)

// TestJudge sets the verdict for each thing that stands against equal, alone, and for the line of
// adopt.lock that accepts it.
func TestJudge(t *testing.T) {
	pair := compare.Pair{From: "g/v1", To: "g/v2", Compared: 100}
	with := func(change func(p *compare.Pair)) []compare.Pair {
		p := pair
		change(&p)
		return []compare.Pair{pair, p}
	}
	ran := &compare.Coverage{Blocks: 7, Ran: 7}
	for _, test := range []struct {
		name   string
		result Result
		accept string // WHAT NAME
		want   string
	}{
		{"nothing", Result{Comparison: compare.Comparison{Pairs: []compare.Pair{pair}}}, "", "equal: 100 objects, 7 of 7 blocks of the operator's conversions ran"},
		{"a difference", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Differing = 1 })}}, "refused -", "not equal: 1 of 200 objects differ"},
		{"a difference, and more", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Differing, p.NeverCompared = 1, []string{"spec.a"} })}}, "",
			"not equal: 1 of 200 objects differ; and 1 more"},
		{"few refusals", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Refused, p.Refusals = 20, []compare.Text{{Text: "no", Count: 20}} })}}, "", "equal: 200 objects, 7 of 7 blocks of the operator's conversions ran"},
		{"many refusals", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Refused, p.Refusals = 21, []compare.Text{{Text: "no", Count: 20}} })}}, "refused -",
			`not shown: g/v1 to g/v2: 21 of 100 objects are refused, such as with "no"`},
		{"many panics", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Panicked, p.Panics = 21, []compare.Text{{Text: "nil map", Count: 30}} })}}, "",
			"not shown: g/v1 to g/v2: 21 objects make the operator's code panic, and 100 do not: nil map"},
		{"metadata that no module sees", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.Unseen, p.UnseenAt = 3, []string{"spec.a"} })}}, "uncompared metadata",
			"not shown: g/v1 to g/v2: the results of 3 objects depend on metadata.managedFields or metadata.resourceVersion (accept uncompared metadata), which a module does not see: they differ at spec.a"},
		{"a member that is always refused", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) {
			p.NeverAccepted = []compare.Unaccepted{{Path: "spec.ref", Text: "the getter\n is not set", Tries: 9}}
		})}}, "refused spec.ref",
			"not shown: g/v1 to g/v2: every object with spec.ref is refused: the getter is not set"},
		{"a member that was not compared", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) { p.NeverCompared = []string{"spec.a"} })}}, "uncompared spec.a",
			"not shown: g/v1 to g/v2: no object with spec.a was compared"},
		{"a sample that is refused", Result{Comparison: compare.Comparison{Pairs: with(func(p *compare.Pair) {
			p.Samples, p.FailedSamples = 3, []compare.Text{{Text: "a panic: nil", Count: 2}}
		})}}, "refused -",
			"not shown: g/v1 to g/v2: 2 of the operator's own 3 samples fail in its code: a panic: nil"},
		{"a block that never ran", Result{Comparison: compare.Comparison{Pairs: []compare.Pair{pair}, Coverage: &compare.Coverage{Blocks: 7, Ran: 6, Missing: []string{"api/a.go:3-4"}}}}, "uncovered api/a.go:3-4",
			"not shown: 1 of 7 blocks of the operator's conversions never ran: api/a.go:3-4"},
		{"a main that was not searched", Result{Comparison: compare.Comparison{Pairs: []compare.Pair{pair}}, Unsearched: []string{"a/b.V", "c.W"}}, "",
			"not searched: no main was searched: equal only if nothing sets a/b.V, c.W"},
		{"state", Result{Comparison: compare.Comparison{Pairs: []compare.Pair{pair}}, State: []string{"depends on the clock: time.Now (a.go:1)"}}, "", "not shown: depends on the clock: time.Now (a.go:1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.result.Coverage == nil {
				test.result.Coverage = ran
			}
			r := test.result
			r.Judge(Accepted{})
			if got := r.Line(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if r.Verdict == NotShown && test.accept != "" {
				what, name, _ := strings.Cut(test.accept, " ")
				again := test.result
				if again.Judge(Accepted{reasons: map[[2]string]string{{what, name}: "checked"}}); again.Verdict != Equal {
					t.Errorf("accepted, the verdict is %s", again.Line())
				}
			}
		})
	}
}

// TestNothingIsNotEqual asserts that a comparison of no object, or one that counted no blocks, shows
// nothing.
func TestNothingIsNotEqual(t *testing.T) {
	ran, pair := &compare.Coverage{Blocks: 7, Ran: 7}, compare.Pair{From: "g/v1", To: "g/v2", Compared: 100}
	for _, test := range []struct {
		comparison compare.Comparison
		want       string
	}{
		{compare.Comparison{Coverage: ran}, "not shown: no object was compared"},
		{compare.Comparison{Coverage: ran, Pairs: []compare.Pair{{From: "g/v1", To: "g/v2"}}}, "not shown: no object was compared"},
		{compare.Comparison{Pairs: []compare.Pair{pair}}, "not shown: the blocks of the operator's conversions that ran were not counted"},
	} {
		r := &Result{Comparison: test.comparison}
		if r.Judge(Accepted{}); r.Line() != test.want {
			t.Errorf("got  %s\nwant %s", r.Line(), test.want)
		}
	}
}

// TestUselessWebhook says that no API server accepts the answers of the operator's own webhook, and not
// that many objects are refused.
func TestUselessWebhook(t *testing.T) {
	r := &Result{Comparison: compare.Comparison{Coverage: &compare.Coverage{}, Pairs: []compare.Pair{{From: "g/v1", To: "g/v2", Compared: 10, Refused: 10, Differing: 10,
		Refusals: []compare.Text{{Text: `an API server refuses the webhook's answer: must have the same name: n0 != ""`, Count: 10}}}}}}
	r.Judge(Accepted{reasons: map[[2]string]string{{"refused", "-"}: "checked"}})
	const want = `10 of 10 objects differ|g/v1 to g/v2: no API server accepts an answer of the operator's own webhook, so no client depends on this conversion: must have the same name: n0 != ""`
	if got := strings.Join(r.Reasons, "|"); r.Verdict != NotEqual || got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCrashIsNotEqual asserts that a comparison without large numbers alone does not make a module
// equal, and that a line accepts it.
func TestCrashIsNotEqual(t *testing.T) {
	r := &Result{Comparison: compare.Comparison{Coverage: &compare.Coverage{}, Crash: "runtime: out of memory", Pairs: []compare.Pair{{Compared: 10}}}}
	r.Judge(Accepted{})
	if r.Verdict != NotShown || !slices.ContainsFunc(r.Reasons, func(s string) bool { return strings.Contains(s, "no object with a number above 1000 was compared") }) {
		t.Errorf("%s: %v", r.Verdict, r.Reasons)
	}
	r.Judge(Accepted{reasons: map[[2]string]string{{"uncompared", largeNumbers}: "a status that the operator writes"}})
	if r.Verdict != Equal {
		t.Errorf("accepted: %s: %v", r.Verdict, r.Reasons)
	}
}
