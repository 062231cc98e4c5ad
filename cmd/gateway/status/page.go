package status

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/shadow"
	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/statuspage"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Page collects the content of the status page. It is safe for concurrent use. All fields but
// Schemas and Shadow are required.
type Page struct {
	Version   string // of the gateway
	Started   time.Time
	Owners    []runtime.Owner // of the modules
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
	v.Pulled = oldestPull(p.Owners)
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
