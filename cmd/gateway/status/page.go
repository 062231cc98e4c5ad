// Package status has the gateway's view of itself: when it is ready, the content of /modules, and
// the content of the status page.
package status

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Page collects the content of the status page. It is safe for concurrent use. All fields but
// Schemas are required.
type Page struct {
	Version   string // of the gateway
	Started   time.Time
	Owners    []runtime.Owner // of the modules
	Modules   *runtime.Registry
	Schemas   *schemas.Schemas // nil with --schema-check=off
	Routes    func() *host.Routes
	Readiness *Readiness
	History   *History
	// Certificate returns why the certificate in the files is not served, "" if it is; and when the one
	// that is served expires.
	Certificate func() (problem string, expiry time.Time)
	Untrusted   func() *serve.Failure // the last client that did not trust the certificate; nil if none
}

// expiresSoon is the time before its expiry from which a certificate is a problem, as for the alert.
const expiresSoon = 7 * 24 * time.Hour

// View returns the content of the status page now.
func (p *Page) View() statuspage.View {
	v := statuspage.View{
		Version: p.Version, Started: p.Started, Now: time.Now(),
		Events: p.History.newestEvents(), Pulled: oldestPull(p.Owners),
	}
	if why := p.Modules.Problem(); why != "" {
		v.Problems = append(v.Problems, "cannot read the module directory; loaded modules keep serving: "+why)
	}
	why, expiry := p.Certificate()
	if why != "" {
		v.Problems = append(v.Problems, "certificate not replaced; still serving the previous one: "+why)
	}
	if expiry.Before(v.Now.Add(expiresSoon)) {
		v.Problems = append(v.Problems, "the certificate expires at "+expiry.UTC().Format(time.RFC3339)+"; then every API server refuses it: renew it")
	}
	if f := p.Untrusted(); f != nil && v.Now.Sub(f.At) < minutesKept*time.Minute {
		v.Problems = append(v.Problems, f.Message)
	}
	if err := p.Readiness.Check(); err != nil {
		v.NotReady = err.Error()
	}
	v.Kinds, v.Files = p.kinds()
	for _, l := range serve.AdminPages() {
		v.Links = append(v.Links, statuspage.Link(l))
	}
	return v
}

// kinds returns every kind that modules convert, that lacks a conversion, or that had a failed
// review, the worst first; and the files that belong to none of them.
func (p *Page) kinds() (kinds []statuspage.Kind, files []statuspage.Module) {
	routes, definitions := p.Routes(), map[string]schemas.Status{}
	modules := map[string][]statuspage.Module{} // by kind
	states := map[string]statuspage.State{}     // by file
	for _, st := range p.Modules.Status() {
		m, kind := moduleView(st), kindOf(st.File)
		modules[kind], states[st.File] = append(modules[kind], m), m.State
	}
	for _, d := range p.Schemas.Status() {
		if d.State == schemas.StateChecking {
			definitions[d.Defines] = d
		}
		if d.State != schemas.StateChecking || d.LastError != "" {
			modules[d.Defines] = append(modules[d.Defines], definitionView(d))
		}
	}
	missing, recent := p.Readiness.missingByKind(), map[string]map[serve.Conversion]serve.Totals{}
	reviews, period := p.History.recent()
	for c, t := range reviews {
		if recent[c.Kind] == nil {
			recent[c.Kind] = map[serve.Conversion]serve.Totals{}
		}
		recent[c.Kind][c] = t
	}
	names := map[string]bool{}
	for _, kind := range routes.Kinds() {
		names[kind] = true
	}
	for kind, d := range definitions {
		missing[kind] = append(missing[kind], d.Missing...)
	}
	for kind, lacks := range missing {
		if len(lacks) > 0 {
			names[kind] = true
		}
	}
	for kind, all := range recent {
		for _, t := range all {
			if t.Last != nil || t.Rejected > 0 {
				names[kind] = true
			}
		}
	}
	for name := range names {
		k := statuspage.Kind{Name: name, Status: "serving", State: statuspage.Good, Missing: missing[name], Modules: modules[name]}
		delete(modules, name)
		for _, m := range k.Modules {
			if rank(m.State) > rank(k.State) {
				k.Status, k.State, k.Trouble = m.Status, m.State, ""
				if m.Trouble != "" {
					k.Trouble = m.File + ": " + m.Trouble
				}
				if m.State == statuspage.Bad && m.Digest == "" { // the kind itself may serve
					k.Status = "file " + m.Status
				}
			}
		}
		if len(k.Missing) > 0 {
			k.Status, k.State, k.Trouble = "incomplete", statuspage.Bad, "missing: "+k.Missing[0]
		}
		k.Versions = cmp.Or(versions(routes, name, definitions[name].Versions, p.Readiness.config.Required), "no module")
		enterWork(&k, routes, recent[name], period, states)
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b statuspage.Kind) int {
		return cmp.Or(rank(b.State)-rank(a.State), strings.Compare(a.Name, b.Name))
	})
	for _, kind := range slices.Sorted(maps.Keys(modules)) {
		files = append(files, modules[kind]...)
	}
	return kinds, files
}

// enterWork enters the conversions of a kind with their reviews of the period.
func enterWork(k *statuspage.Kind, routes *host.Routes, recent map[serve.Conversion]serve.Totals, period time.Duration, states map[string]statuspage.State) {
	kind, group, _ := strings.Cut(k.Name, ".")
	var sum serve.Totals
	for _, c := range conversions(routes, k.Name, recent) {
		t := recent[c]
		sum = sum.Plus(t)
		view := statuspage.Conversion{From: cmp.Or(c.From, "other"), To: cmp.Or(c.To, "other"), State: statuspage.Good, Work: workView(t, period)}
		way := routes.Path(group, kind, c.From, c.To)
		for _, e := range way {
			if file := e.Module.Name(); rank(states[file]) > rank(view.State) {
				view.State = states[file]
			}
			k.Owner, _ = watch.SplitOwner(e.Module.Name())
		}
		if t.Failed > 0 || way == nil {
			view.State = statuspage.Bad
		}
		if len(way) == 1 || t.Reviews > 0 {
			k.Conversions = append(k.Conversions, view)
		}
	}
	k.Work, k.Failing = workView(sum, period), sum.Failed > 0
	if sum.Rejected > 0 && k.State != statuspage.Bad {
		k.Status, k.State, k.Trouble = "overloaded", statuspage.Warn, fmt.Sprintf("told to come back (429): %d reviews, the last: %s", sum.Rejected, sum.Busy)
	}
	if sum.Breaking > 0 && k.State != statuspage.Bad {
		k.Status, k.State, k.Trouble = "breaks schema", statuspage.Warn, fmt.Sprintf("%d of %d reviews; the last: %s", sum.Breaking, sum.Reviews, sum.Violation)
	}
	if k.Failing {
		k.Status, k.State = "failing", statuspage.Bad
	}
	if f := sum.Last; f != nil {
		k.Failure = &statuspage.Failure{At: f.At, Message: f.Message, UID: f.UID}
	}
}

// conversions returns the conversions between the versions of a kind, and the others that had
// reviews, by priority of the versions, the oldest first.
func conversions(routes *host.Routes, name string, recent map[serve.Conversion]serve.Totals) (all []serve.Conversion) {
	kind, group, _ := strings.Cut(name, ".")
	known := routes.Versions(group, kind)
	for _, from := range known {
		for _, to := range known {
			if c := (serve.Conversion{Kind: name, From: from, To: to}); from != to {
				all = append(all, c)
			}
		}
	}
	for c := range recent {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b serve.Conversion) int {
		return cmp.Or(host.CompareVersions(b.From, a.From), host.CompareVersions(b.To, a.To))
	})
	return all
}

// versions lists the versions of a kind in modules, in its definition and in --require, the oldest
// first, with notes from the definition: "v1, v2 (storage)".
func versions(routes *host.Routes, name string, defined []string, required []artifact.Edge) string {
	kind, group, _ := strings.Cut(name, ".")
	shown := map[string]string{}
	for _, v := range routes.Versions(group, kind) {
		shown[v] = v
	}
	for _, e := range required {
		if e.Kind+"."+e.Group == name {
			shown[e.From], shown[e.To] = e.From, e.To
		}
	}
	for _, v := range defined {
		version, _, _ := strings.Cut(v, " ")
		shown[version] = v
	}
	var all []string
	for _, version := range slices.SortedFunc(maps.Keys(shown), func(a, b string) int { return host.CompareVersions(b, a) }) {
		all = append(all, shown[version])
	}
	return strings.Join(all, ", ")
}

// Files returns the content of /modules, for JSON: an entry for each file of the module directory,
// sorted by name.
func (p *Page) Files() any {
	type module struct {
		runtime.Status
		Conversions []Work `json:"conversions,omitempty"`
	}
	type entry struct {
		file   string
		status any
	}
	var all []entry
	recent, _ := p.History.recent()
	work := workByModule(recent, p.Routes())
	for _, st := range p.Modules.Status() {
		all = append(all, entry{st.File, module{st, work[st.File]}})
	}
	for _, st := range p.Schemas.Status() {
		all = append(all, entry{st.File, st})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.file, b.file) })
	list := make([]any, len(all))
	for i, e := range all {
		list[i] = e.status
	}
	return list
}

// pulledFile is the file whose time crosswalk pull --watch sets each time the registry has the
// image that the directory holds (cmd/crosswalk/oci). It lies in the image's version of the
// directory.
const pulledFile = "..data/..pulled"

// pulled returns when the module directory was last equal to the registry's image. It opens
// nothing: the file's time is all that there is.
func pulled(dir string) (at time.Time, ok bool) {
	info, err := os.Stat(filepath.Join(dir, pulledFile))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// oldestPull returns when the directory was pulled of which that is longest ago.
func oldestPull(owners []runtime.Owner) (oldest time.Time) {
	for _, o := range owners {
		if at, ok := pulled(o.Dir); ok && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}
