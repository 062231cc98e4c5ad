package adopt

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What conversions depend on.
const (
	mainSets      = "what the operator's main sets"
	earlier       = "earlier conversions"
	contextValues = "values of the context"
	featureGates  = "feature gates"
)

// dependence is something that a conversion depends on, and that differs between the operator's
// process and a module, or between two runs.
type dependence struct {
	name string // import/path.Variable, or a function such as time.Now: the NAME of a line in adopt.lock
	on   string // what that is: "what the operator's main sets", "the clock"
	at   []string
	set  []string // where it is set; of variables
	why  string   // instead of set

	global *ssa.Global // of a variable
}

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
