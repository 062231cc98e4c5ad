// Package status has the gateway's view of itself: when it is ready, the content of /modules, and
// the content of the status page.
package status

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

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
