package report

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/state"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/verdict"
)

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
