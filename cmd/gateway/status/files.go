// Package status has the gateway's view of itself: when it is ready, the content of /modules, and
// the content of the status page.
package status

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// Files returns the content of /modules, for JSON: an entry for each file of the module directory,
// sorted by name. definitions is nil with --schema-check=off.
func Files(modules *runtime.Registry, definitions *schemas.Schemas) any {
	type entry struct {
		file   string
		status any
	}
	var all []entry
	for _, st := range modules.Status() {
		all = append(all, entry{st.File, st})
	}
	for _, st := range definitions.Status() {
		all = append(all, entry{st.File, st})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.file, b.file) })
	list := make([]any, len(all))
	for i, e := range all {
		list[i] = e.status
	}
	return list
}
