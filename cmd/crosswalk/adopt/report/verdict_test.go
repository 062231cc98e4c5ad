package report

import (
	"bytes"
	"errors"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// TestSummary prints the verdicts of several kinds, and fails with those that are not equal.
func TestSummary(t *testing.T) {
	equal, other := &verdict.Result{Kind: "A", Group: "g", Verdict: verdict.Equal}, &verdict.Result{Kind: "Bee", Group: "g", Verdict: verdict.NotShown, Reasons: []string{"why", "more"}}
	for _, test := range []struct {
		results  []*verdict.Result
		out, err string
	}{
		{[]*verdict.Result{equal}, "", ""},
		{[]*verdict.Result{{Kind: "A", Group: "g", Verdict: verdict.NotCompared}}, "", ""},
		{[]*verdict.Result{other}, "", "Bee.g: not shown to be equal to the operator's code: the verdict above says why"},
		{[]*verdict.Result{equal, other}, "A.g    equal: 0 objects\nBee.g  not shown: why; and 1 more\n", "not shown to be equal to the operator's code: Bee.g"},
	} {
		var out bytes.Buffer
		err := Summary(&out, test.results)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != test.err || out.String() != test.out || err != nil && !errors.Is(err, verdict.ErrNotEqual) {
			t.Errorf("printed %q, %v", &out, err)
		}
	}
}
