package status

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/statuspage"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Page collects the content of the status page. It is safe for concurrent use. All fields but
// Schemas and Shadow are required.
type Page struct {
	Version   string // of the gateway
	Started   time.Time
	Directory string // of the modules
	Modules   *runtime.Registry
	Schemas   *schemas.Schemas  // nil with --schema-check=off
	Shadow    *shadow.Directory // nil without --shadow-modules
	Routes    func() *host.Routes
	Readiness *Readiness
	History   *History
}

// View returns the content of the status page now.
func (p *Page) View() statuspage.View {
	v := statuspage.View{
		Version: p.Version, Problem: p.Modules.Problem(), Started: p.Started, Now: time.Now(),
		Trends: trends(p.History.steps(""), true), Events: p.History.recent(),
	}
	v.Pulled, _ = pulled(p.Directory)
	if err := p.Readiness.Check(); err != nil {
		v.NotReady = err.Error()
	}
	statuses := p.Modules.Status()
	definitions, results := p.Schemas.Status(), p.Shadow.Results()
	v.Kinds = p.kinds(statuses, definitions, results)
	for _, st := range statuses {
		v.Modules = append(v.Modules, moduleView(st))
	}
	v.Modules = append(v.Modules, shadowViews(p.Shadow.Modules(), results)...)
	for _, d := range definitions {
		v.Modules = append(v.Modules, definitionView(d))
	}
	for _, l := range serve.AdminPages() {
		v.Links = append(v.Links, statuspage.Link(l))
	}
	return v
}

// kinds returns the graph of every kind that modules convert, or that lacks a conversion.
func (p *Page) kinds(statuses []runtime.Status, definitions []schemas.Status, results []shadow.Status) (kinds []statuspage.Kind) {
	routes := p.Routes()
	byFile := map[string]runtime.Status{}
	for _, st := range statuses {
		byFile[st.File] = st
	}
	missing := p.Readiness.missingByKind()
	names := routes.Kinds()
	for _, d := range definitions {
		if d.State == schemas.StateChecking && len(d.Missing) > 0 {
			names = append(names, d.Defines)
		}
	}
	names = slices.AppendSeq(names, maps.Keys(missing))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		kind, group, _ := strings.Cut(name, ".")
		versions := routes.Versions(group, kind)
		k := statuspage.Kind{Name: name, Trends: trends(p.History.steps(name), false), Missing: missing[name]}
		notes := map[string]string{} // by version, of all versions in modules or a definition
		for _, v := range versions {
			notes[v] = ""
		}
		for _, d := range definitions {
			if d.Checks(kind, group) {
				k.Missing = append(k.Missing, d.Missing...)
				for _, v := range d.Versions {
					version, note, _ := strings.Cut(v, " ")
					notes[version] = strings.Trim(note, "()")
				}
			}
		}
		for _, e := range p.Readiness.config.Required {
			if e.Kind+"."+e.Group == name {
				for _, version := range []string{e.From, e.To} {
					if _, listed := notes[version]; !listed {
						notes[version] = "" // a required version is shown even if no module and no definition has it
					}
				}
			}
		}
		for _, version := range slices.SortedFunc(maps.Keys(notes), func(a, b string) int { return host.CompareVersions(b, a) }) {
			k.Versions = append(k.Versions, statuspage.Version{Name: version, Note: notes[version]}) // the oldest on the left
		}
		for _, from := range versions {
			for _, to := range versions {
				if way := routes.Path(group, kind, from, to); len(way) == 1 {
					edge := edgeView(way[0], byFile[way[0].Module.Name()])
					if t := resultOf(results, name, from, to); t != nil {
						edge.Title += "\nshadow module: " + score(*t)
					}
					k.Edges = append(k.Edges, edge)
				}
			}
		}
		kinds = append(kinds, k)
	}
	return kinds
}

func edgeView(e host.Edge, st runtime.Status) statuspage.Edge {
	file := e.Module.Name()
	title := []string{e.From + " → " + e.To, file, "sha256 " + e.Module.Digest()}
	if d := st.Description; d != nil {
		title = append(title, strings.TrimSpace(d.Name+" "+d.Version+" "+d.Language))
	}
	for _, f := range moduleFacts(st) {
		title = append(title, f.Name+" "+f.Value)
	}
	return statuspage.Edge{
		From: e.From, To: e.To, Label: versionsOf(file) + " · " + e.Module.Digest()[:8], Short: e.Module.Digest()[:8], Title: strings.Join(title, "\n"), State: stateOf(st),
	}
}

// versionsOf returns the part of a module's file name after the kind and group.
func versionsOf(file string) string {
	_, versions, _ := strings.Cut(file, "_")
	versions, _, _ = strings.Cut(versions, ".wasm")
	return versions
}

func stateOf(st runtime.Status) statuspage.State {
	switch {
	case st.BreakerOpen || st.State == runtime.StateFailed || st.State == runtime.StateOverrun || st.State == runtime.StateRefused:
		return statuspage.Bad
	case st.State == runtime.StateOrphaned || st.LastError != "":
		return statuspage.Warn
	case st.State == runtime.StateSuperseded || st.State == runtime.StateLoading || st.ProbationUntil != nil:
		return statuspage.Note
	}
	return statuspage.Good
}

func moduleView(st runtime.Status) statuspage.Module {
	m := statuspage.Module{File: st.File, Status: cmp.Or(probationWord(st), st.State), State: stateOf(st), Digest: foreign.Digest(st.Digest), Facts: moduleFacts(st)}
	switch {
	case st.LastError != "" && st.Digest != "":
		m.Trouble = "the file's newest content is not served: " + st.LastError
	case st.LastError != "":
		m.Trouble = st.LastError
	case st.BreakerOpen:
		m.Trouble = "circuit breaker open: " + st.LastFault
	}
	return m
}

func probationWord(st runtime.Status) string {
	if st.ProbationUntil != nil && st.State == runtime.StateServing {
		return "on probation"
	}
	return ""
}

// moduleFacts returns the details of a serving module.
func moduleFacts(st runtime.Status) (facts []statuspage.Fact) {
	add := func(name, value string) { facts = append(facts, statuspage.Fact{Name: name, Value: value}) }
	switch {
	case st.Digest == "" && st.LoadingSince != nil:
		add("loading since", clock(*st.LoadingSince))
		return facts
	case st.Digest == "":
		return nil
	case st.State == runtime.StateListing || st.State == runtime.StateRefused: // SHA256SUMS
		if st.SignedBy != "" {
			add("signed by", st.SignedBy)
		}
		return facts
	}
	if d := st.Description; d != nil {
		add("language", cmp.Or(d.Language, "unknown"))
	}
	if st.Fields != nil {
		add("sees only", declared(st.Fields))
	}
	add("size", kibibytes(st.Size))
	add("objects", strconv.FormatInt(st.Objects, 10))
	add("calls", strconv.FormatInt(st.Calls, 10))
	add("faults", strconv.FormatInt(st.Faults, 10))
	if st.LastFault != "" && !st.BreakerOpen {
		add("last fault", st.LastFault)
	}
	add("instances", fmt.Sprintf("%d idle, %d working", st.Idle, st.Working))
	add("golden cases", strconv.Itoa(st.Cases))
	if st.ProbationUntil != nil {
		add("on probation until", clock(*st.ProbationUntil))
		add("previous version", foreign.Digest(st.PreviousDigest))
		add("batches it converted", strconv.Itoa(st.PreviousBatches))
	}
	if st.LoadingSince != nil {
		add("new content loading since", clock(*st.LoadingSince))
	}
	if st.Pinned {
		add("digest", "pinned")
	}
	if st.Listed {
		add("listed", cmp.Or(st.SignedBy, "unsigned"))
	}
	return facts
}

// clock writes a time of day.
func clock(t time.Time) string { return t.UTC().Format(time.TimeOnly) + " UTC" }

// declared lists the fields that a module declares, by version, shortened to the space on the page.
func declared(fields map[string][]string) string {
	const most = 300 // bytes
	var parts []string
	for _, version := range slices.SortedFunc(maps.Keys(fields), host.CompareVersions) {
		parts = append(parts, version+": "+cmp.Or(strings.Join(fields[version], ", "), "nothing"))
	}
	return foreign.Shorten(strings.Join(parts, "; "), most)
}

func kibibytes(n int) string {
	if n < 10<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}

// definitionView shows a file with a CustomResourceDefinition among the modules.
func definitionView(d schemas.Status) statuspage.Module {
	m := statuspage.Module{File: d.File, Status: d.State, State: statuspage.Good, Digest: foreign.Digest(d.Digest), Trouble: d.LastError}
	switch {
	case d.State == runtime.StateFailed:
		m.State = statuspage.Bad
	case d.LastError != "":
		m.State = statuspage.Warn
	}
	if len(d.Versions) > 0 {
		m.Facts = append(m.Facts, statuspage.Fact{Name: "versions", Value: strings.Join(d.Versions, ", ")})
	}
	return m
}

// trends returns the trends of steps, in the form of the page.
func trends(steps []step, window bool) []statuspage.Trend {
	n := len(steps)
	values := func(of func(step) float64) []float64 {
		list := make([]float64, n)
		for i, s := range steps {
			list[i] = of(s)
		}
		return list
	}
	last := step{}
	if n > 0 {
		last = steps[n-1]
	}
	seconds := samplePeriod.Seconds()
	latency := func(s step) float64 {
		if s.reviews == 0 {
			return 0
		}
		return s.seconds / s.reviews * 1000
	}
	all := []statuspage.Trend{
		{Name: "reviews", Now: fmt.Sprintf("%.3g /s", last.reviews/seconds), Values: values(func(s step) float64 { return s.reviews })},
		{Name: "objects", Now: fmt.Sprintf("%.3g /s", last.objects/seconds), Values: values(func(s step) float64 { return s.objects })},
		{Name: "mean time of a review", Now: fmt.Sprintf("%.3g ms", latency(last)), Values: values(latency)},
		{Name: "failed reviews", Now: fmt.Sprintf("%.3g /s", last.failed/seconds), Values: values(func(s step) float64 { return s.failed }), Bad: true},
	}
	if last.reviews == 0 {
		all[2].Now = "–" // there is no mean without reviews
	}
	for i := range all {
		if window {
			all[i].Window = lasting(time.Duration(n) * samplePeriod)
		}
		if n == 0 {
			all[i].Now = "–"
		}
	}
	return all
}

// lasting is the period of trends in words: "last 40 s", "last 15 min".
func lasting(d time.Duration) string {
	if d == 0 {
		return fmt.Sprintf("after the first %d s", int(samplePeriod.Seconds()))
	}
	if d < 2*time.Minute {
		return fmt.Sprintf("last %d s", int(d.Seconds()))
	}
	return fmt.Sprintf("last %d min", int(d.Minutes()))
}
