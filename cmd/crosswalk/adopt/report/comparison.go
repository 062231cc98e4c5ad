package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// mostTexts is how many texts of refusals a direction's report shows.
const mostTexts = 4

// Comparison reports the results of a comparison.
func (r *Report) Comparison(seen compare.Comparison) {
	for _, p := range seen.Pairs {
		r.pair(p)
	}
	if covered := seen.Coverage; covered != nil {
		r.Line("%d of %d blocks of the operator's conversions ran", covered.Ran, covered.Blocks)
		if len(covered.Missing) > 0 {
			r.Line("  never ran: %s", verdict.List(covered.Missing, 12))
			r.section("Blocks of the operator's conversions that never ran:", covered.Missing)
		}
	}
}

// pair reports one direction.
func (r *Report) pair(p compare.Pair) {
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
	r.Line("%s", line)
	for _, d := range p.Differences {
		r.Line("  differs at %s: the module has %s, the operator's code %s", cmp.Or(d.Path, "the whole result"), d.Module, d.Want)
	}
	if p.Unseen > 0 {
		r.Line("  the operator's own results depend on metadata.managedFields or metadata.resourceVersion for %d objects, at %s", p.Unseen, verdict.List(p.UnseenAt, 5))
	}
	if p.Unstable > 0 {
		r.Line("  the operator's own results differ from each other for %d objects, at %s", p.Unstable, verdict.List(p.UnstableAt, 5))
	}
	undecodable, shown := 0, 0
	for _, t := range p.Refusals {
		if strings.HasPrefix(t.Text, "decoding: ") {
			undecodable += t.Count
			continue
		}
		if shown++; shown <= mostTexts {
			r.Line("  refused by the operator's code %s: %s", times(t.Count), verdict.OneLine(t.Text))
		}
	}
	if shown > mostTexts {
		r.Line("  and with other texts (%s lists them)", verdict.File)
	}
	if undecodable > 0 {
		r.Line("  not decodable by the operator's types %s", times(undecodable))
	}
	for _, t := range p.Panics {
		r.Line("  a panic in the operator's code %s: %s", times(t.Count), verdict.OneLine(t.Text))
	}
	var objects []string
	for _, d := range p.Differences {
		objects = append(objects, fmt.Sprintf("%s: %s", d.Path, d.Object))
	}
	r.section(fmt.Sprintf("Objects of %s whose results in %s differ:", p.From, p.To), objects)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
