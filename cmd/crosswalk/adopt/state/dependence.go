package state

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Things that conversions depend on.
const (
	MainSets      = "what the operator's main sets"
	MaySet        = "what a main may set, and none was searched"
	earlier       = "earlier conversions"
	contextValues = "values of the context"
	featureGates  = "feature gates"
)

// Dependence is something that a conversion depends on, and that differs between the operator's
// process and a module, or between two runs.
type Dependence struct {
	Name string // import/path.Variable, or a function such as time.Now: the NAME of a line in adopt.lock
	On   string // its sort: MainSets, "the clock"
	At   []string
	Set  []string // where it is set; of variables
	why  string   // instead of set

	global *ssa.Global // of a variable
}

// Unsearched reports whether nothing that was searched sets the variable, and no main was.
func (d Dependence) Unsearched() bool { return d.On == MaySet }

// Text returns the line that reports a dependence.
func (d Dependence) Text() string {
	switch {
	case d.why != "":
		return fmt.Sprintf("depends on %s: %s (%s, %s)", d.On, d.Name, strings.Join(d.At, ", "), d.why)
	case len(d.Set) > 0:
		return fmt.Sprintf("depends on %s: %s (%s, set at %s)", d.On, d.Name, strings.Join(d.At, ", "), some(d.Set))
	}
	return fmt.Sprintf("depends on %s: %s (%s)", d.On, d.Name, some(d.At))
}

// some returns the first of a list, and how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
