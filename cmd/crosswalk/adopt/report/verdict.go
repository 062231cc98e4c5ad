package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// Verdict reports the verdict with its reasons.
func (r *Report) Verdict(result *verdict.Result) {
	if len(result.Reasons) == 0 {
		r.Line("verdict: %s", result.Line())
		return
	}
	r.Line("verdict: %s", result.Verdict)
	for _, reason := range result.Reasons {
		r.Line("  - %s", reason)
	}
}

// Summary prints the verdicts of several kinds. It returns an error that names the kinds that are
// not equal, or not without a condition.
func Summary(out io.Writer, results []*verdict.Result) error {
	var bad []string
	why := verdict.ErrNotSearched
	for _, r := range results {
		if r.Verdict == verdict.Equal || r.Verdict == verdict.NotCompared {
			continue
		}
		bad = append(bad, r.Kind+"."+r.Group)
		if r.Verdict != verdict.NotSearched {
			why = verdict.ErrNotEqual
		}
	}
	if len(results) > 1 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, r := range results {
			fmt.Fprintf(w, "%s.%s\t%s\n", r.Kind, r.Group, r.Line())
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	switch {
	case len(bad) == 0:
		return nil
	case len(results) == 1:
		r := results[0]
		return fmt.Errorf("%s.%s: %w: the verdict above says why", r.Kind, r.Group, why)
	}
	return fmt.Errorf("%w: %s", why, strings.Join(bad, ", "))
}
