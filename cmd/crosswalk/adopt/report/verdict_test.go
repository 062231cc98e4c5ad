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
	open := &verdict.Result{Kind: "C", Group: "g", Verdict: verdict.NotSearched, Reasons: []string{"c"}}
	for _, test := range []struct {
		results  []*verdict.Result
		out, err string
		is       error
	}{
		{[]*verdict.Result{equal}, "", "", nil},
		{[]*verdict.Result{{Kind: "A", Group: "g", Verdict: verdict.NotCompared}}, "", "", nil},
		{[]*verdict.Result{other}, "", "Bee.g: not shown to be equal to the operator's code: the verdict above says why", verdict.ErrNotEqual},
		{[]*verdict.Result{equal, other}, "A.g    equal: 0 objects\nBee.g  not shown: why; and 1 more\n", "not shown to be equal to the operator's code: Bee.g", verdict.ErrNotEqual},
		{[]*verdict.Result{open}, "", "C.g: equal only on a condition: the verdict above says why", verdict.ErrNotSearched},
		{[]*verdict.Result{open, other}, "C.g    not searched: c\nBee.g  not shown: why; and 1 more\n", "not shown to be equal to the operator's code: C.g, Bee.g", verdict.ErrNotEqual},
	} {
		var out bytes.Buffer
		err := Summary(&out, test.results)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != test.err || out.String() != test.out || err != nil && !errors.Is(err, test.is) {
			t.Errorf("printed %q, %v", &out, err)
		}
	}
}
