package adopt

import (
	"fmt"
	"strings"
)

// text returns the line that reports a dependence.
func (d dependence) text() string {
	switch {
	case d.why != "":
		return fmt.Sprintf("depends on %s: %s (%s, %s)", d.on, d.name, strings.Join(d.at, ", "), d.why)
	case len(d.set) > 0:
		return fmt.Sprintf("depends on %s: %s (%s, set at %s)", d.on, d.name, strings.Join(d.at, ", "), some(d.set))
	}
	return fmt.Sprintf("depends on %s: %s (%s)", d.on, d.name, some(d.at))
}

// some returns the first of a list, and how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// state reports what conversions depend on, and returns the lines of what is neither set by set-up
// code nor accepted: the comparison runs without the operator's main, and cannot show them.
func (r *report) state(found []dependence, accepted accepted, lock string) (left []string) {
	needed := map[string]bool{}
	for _, d := range found {
		needed[d.name] = true
		line := d.text()
		if reason := accepted.reason("state", d.name); reason != "" {
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
