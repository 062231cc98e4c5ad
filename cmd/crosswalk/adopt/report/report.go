// Package report tells people how adopting went: on the terminal, and with all lists in report.txt. It decides nothing.
package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

// File is the file with everything that is printed, and the lists that are only counted
// there.
const File = "report.txt"

// Report collects the text of report.txt and prints its first part. It is for one goroutine.
type Report struct {
	out             io.Writer
	lines, sections bytes.Buffer
}

// New returns a report that prints to out.
func New(out io.Writer) *Report { return &Report{out: out} }

// Line writes a line to the file and prints it.
func (r *Report) Line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintln(&r.lines, text)
	fmt.Fprintln(r.out, text)
}

// section writes a list to the file.
func (r *Report) section(title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(&r.sections, "\n%s\n\n    %s\n", title, strings.Join(lines, "\n    "))
	}
}

// Write writes the file.
func (r *Report) Write(dir string) error {
	return gocmd.WriteFile(filepath.Join(dir, File), append(r.lines.Bytes(), r.sections.Bytes()...))
}

// Stubs reports the functions that do nothing in the module.
func (r *Report) Stubs(x *extract.Extraction) {
	if stubs := x.Stubs(); len(stubs) > 0 {
		r.Line("without effect in the module: %s", strings.Join(stubs, ", "))
	}
}

// Metadata lists the members of the metadata that the module decodes, unless it decodes all.
func (r *Report) Metadata(names []string) {
	if names != nil {
		r.Line("read of the metadata: %s", strings.Join(append([]string{"labels", "annotations"}, names...), ", "))
	}
}

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

// Module reports the module's sizes, and the time of loading it; 0 if it was not loaded.
func (r *Report) Module(name string, size project.Sizes, load time.Duration) {
	r.Line("%s: %.1f MB; .gz %.2f MB, .zst %.2f MB; %s%s", name, mega(size.Raw), mega(size.Gzip), mega(size.Zstd), room(size.Zstd), loads(load))
}

func mega(n int) float64 { return float64(n) / (1 << 20) }

// configMap is the most bytes that an API server takes in all values of a ConfigMap, before base64.
const configMap = 1 << 20

// room reports whether a .zst fits a ConfigMap, or the ways to the gateway for a larger file.
func room(size int) string {
	if size > configMap {
		return fmt.Sprintf("the .zst is %d KB too large for a ConfigMap: use crosswalk push and crosswalk pull, or an image volume (docs/use/registry.md)", (size-configMap+1023)>>10)
	}
	return fmt.Sprintf("the .zst fits a ConfigMap with %d KB to spare", (configMap-size)>>10)
}

func loads(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("; loads in %.1f s of CPU", d.Seconds())
}

// State reports the dependences of conversions, and returns the lines of those that are neither set by
// set-up code nor accepted: the comparison runs without the operator's main, and cannot show them.
// unsearched are the names of variables that such a main may set, if none was searched.
func (r *Report) State(found []state.Dependence, accepted verdict.Accepted, lock string) (left, unsearched []string) {
	needed := map[string]bool{}
	for _, d := range found {
		needed[d.Name] = true
		line := d.Text()
		if reason := accepted.Reason("state", d.Name); reason != "" {
			r.Line("%s; accepted: %s", line, reason)
			continue
		}
		if d.Unsearched() {
			unsearched = append(unsearched, d.Name)
		} else {
			left = append(left, line)
		}
		r.Line("%s", line)
	}
	for _, name := range accepted.Names("state") {
		if !needed[name] {
			r.Line("note: %s accepts state %s, which no conversion depends on any more", lock, name)
		}
	}
	if len(left)+len(unsearched) > 0 {
		r.Line("no comparison shows these: set them in a Go file for --set-up, or write to %s for each: accept state NAME: REASON", lock)
	}
	return left, unsearched
}

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
