package adopt

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// ErrNotEqual reports that a module is not shown to be equal to the operator's code.
var ErrNotEqual = errors.New("not shown to be equal to the operator's code")

// profile returns the operator's code whose coverage the comparison measures.
func (o Options) profile(p *operator.Program, k discover.Resource, x *extract.Extraction) *profiled {
	c := x.Followed(k)
	x.Search().WithoutReplaced(c)
	return profile(p, k, x.Hidden.Proof, c)
}

// compare runs the generated test, measures the module, and reports both.
func (o Options) compare(ctx context.Context, r *report, dir, file string, q *profiled, result *Result) error {
	written, profile := filepath.Join(dir, ".report.json"), filepath.Join(dir, ".coverage")
	for _, name := range []string{written, profile} {
		defer func() { _ = os.Remove(name) }()
		_ = os.Remove(name)
	}
	out, testErr := project.Test(ctx, dir, o.Program, written, q.packages(), profile)
	fatal := crash(out)
	if _, err := os.Stat(written); err != nil && outOfMemory(fatal) {
		result.Crash = fatal
		r.line("objects with large numbers end the process of the operator's code: %s; comparing objects with numbers up to %d", result.Crash, largestNumber)
		out, testErr = project.Test(ctx, dir, o.Program, written, q.packages(), profile, fmt.Sprintf("CROSSWALK_ADOPT_LARGEST=%d", largestNumber))
		fatal = crash(out)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text, err := os.ReadFile(written)
	if err != nil && fatal != "" {
		return fmt.Errorf("the comparison cannot go on: its process ended at one of the objects: %s", fatal)
	}
	if signal := killed(out); err != nil && signal != "" {
		return fmt.Errorf("the comparison did not end: a signal (%s) ended its process, as when the machine has no memory left", signal)
	}
	if err != nil {
		return fmt.Errorf("the module cannot be compared with the operator's code: %w\n%s", cmp.Or(testErr, err), shortened(out))
	}
	var found struct{ Pairs []Pair }
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	result.Pairs = found.Pairs
	differing := 0
	for _, p := range found.Pairs {
		differing += p.Differing
	}
	if testErr != nil && differing == 0 {
		return fmt.Errorf("the module cannot be compared with the operator's code: %w\n%s", testErr, shortened(out))
	}
	text, err = os.ReadFile(profile)
	if err != nil {
		return fmt.Errorf("the comparison wrote no coverage: %w", err)
	}
	blocks, err := parseProfile(text)
	if err != nil {
		return err
	}
	covered := q.measure(blocks)
	result.Coverage = &covered
	if err := o.time(ctx, file, result.Pairs); err != nil {
		return err
	}
	for _, p := range result.Pairs {
		r.pair(p)
	}
	r.line("%d of %d blocks of the operator's conversions ran", covered.Ran, covered.Blocks)
	if len(covered.Missing) > 0 {
		r.line("  never ran: %s", list(covered.Missing, 12))
		r.section("Blocks of the operator's conversions that never ran:", covered.Missing)
	}
	return nil
}

// time measures the module on the object that was timed with the operator's code.
func (o Options) time(ctx context.Context, file string, pairs []Pair) error {
	var measured []Measurement
	for _, p := range pairs {
		measured = append(measured, Measurement{From: p.From, To: p.To, Object: p.Sample})
	}
	if _, err := o.Try(ctx, file, measured); err != nil {
		return err
	}
	for i := range pairs {
		pairs[i].Module, pairs[i].ModuleInAList = measured[i].One, measured[i].InAList
	}
	return nil
}

// mostTexts is how many texts of refusals a direction's report shows.
const mostTexts = 4

// pair reports one direction.
func (r *report) pair(p Pair) {
	line := fmt.Sprintf("%s to %s: %d objects compared", p.From, p.To, p.Compared)
	if p.Given > 0 {
		line += fmt.Sprintf(" (%d of them the operator's samples, and %d made from its definition)", p.Samples, p.Given-p.Samples)
	}
	if p.Differing > 0 {
		line += fmt.Sprintf(", %d differ", p.Differing)
	} else {
		line += ", none differs"
	}
	if m := p.Module; m > 0 {
		line += fmt.Sprintf("; a review of an object of %d bytes takes %d µs, native %d µs (%.2f); in a list of 1,000, an object takes %d µs, native %d µs (%.2f)", len(p.Sample),
			m.Microseconds(), p.Native.Microseconds(), float64(p.Native)/float64(m),
			p.ModuleInAList.Microseconds(), p.NativeInAList.Microseconds(), float64(p.NativeInAList)/float64(p.ModuleInAList))
	}
	r.line("%s", line)
	for _, d := range p.Differences {
		r.line("  differs at %s: the module has %s, the operator's code %s", cmp.Or(d.Path, "the whole result"), d.Module, d.Want)
	}
	if p.Unstable > 0 {
		r.line("  the operator's own results differ from each other for %d objects, at %s", p.Unstable, list(p.UnstableAt, 5))
	}
	undecodable, shown := 0, 0
	for _, t := range p.Refusals {
		if strings.HasPrefix(t.Text, "decoding: ") {
			undecodable += t.Count
			continue
		}
		if shown++; shown <= mostTexts {
			r.line("  refused by the operator's code %s: %s", times(t.Count), oneLine(t.Text))
		}
	}
	if shown > mostTexts {
		r.line("  and with other texts (%s lists them)", resultName)
	}
	if undecodable > 0 {
		r.line("  not decodable by the operator's types %s", times(undecodable))
	}
	for _, t := range p.Panics {
		r.line("  a panic in the operator's code %s: %s", times(t.Count), oneLine(t.Text))
	}
	var objects []string
	for _, d := range p.Differences {
		objects = append(objects, fmt.Sprintf("%s: %s", d.Path, d.Object))
	}
	r.section(fmt.Sprintf("Objects of %s whose results in %s differ:", p.From, p.To), objects)
}

// verdict reports the verdict with its reasons.
func (r *report) verdict(result *Result) {
	if len(result.Reasons) == 0 {
		r.line("verdict: %s", result.line())
		return
	}
	r.line("verdict: %s", result.Verdict)
	for _, reason := range result.Reasons {
		r.line("  - %s", reason)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func loads(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("; loads in %.1f s of CPU", d.Seconds())
}

// summary prints the verdicts of several kinds. It returns an error that names the kinds that are
// not equal.
func summary(out io.Writer, results []*Result) error {
	var bad []string
	for _, r := range results {
		if r.Verdict != Equal && r.Verdict != NotCompared {
			bad = append(bad, r.Kind+"."+r.Group)
		}
	}
	if len(results) > 1 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, r := range results {
			fmt.Fprintf(w, "%s.%s\t%s\n", r.Kind, r.Group, r.line())
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
		return fmt.Errorf("%s.%s: %w: the verdict above says why", r.Kind, r.Group, ErrNotEqual)
	}
	return fmt.Errorf("%w: %s", ErrNotEqual, strings.Join(bad, ", "))
}
