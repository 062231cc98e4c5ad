package adopt

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
)

// state reports what conversions depend on, and returns the lines of what is neither set by set-up
// code nor accepted: the comparison runs without the operator's main, and cannot show them.
func (r *report) state(found []state.Dependence, accepted accepted, lock string) (left []string) {
	needed := map[string]bool{}
	for _, d := range found {
		needed[d.Name] = true
		line := d.Text()
		if reason := accepted.reason("state", d.Name); reason != "" {
			r.line("%s; accepted: %s", line, reason)
			continue
		}
		left = append(left, line)
		r.line("%s", line)
	}
	for _, name := range accepted.names("state") {
		if !needed[name] {
			r.line("note: %s accepts state %s, which no conversion depends on any more", lock, name)
		}
	}
	if len(left) > 0 {
		r.line("no comparison shows these: set them in a Go file for --set-up, or write to %s for each: accept state NAME: REASON", lock)
	}
	return left
}
