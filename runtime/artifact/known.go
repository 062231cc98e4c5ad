package artifact

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// maxKnown is the most known failures of a sidecar: more than there are checks.
const maxKnown = 100

// KnownFailure is a check of conformance, as crosswalk check makes them, that the module's author
// knows to fail. The gateway only reads it.
type KnownFailure struct {
	Check    string // the name of the check
	From, To string // versions; both empty: of every conversion
	Reason   string
}

func (s *Sidecar) readKnown(name Name, n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxKnown {
		return fmt.Errorf("line %d: there are %d known failures; a sidecar may have %d", n.Line, len(n.Content), maxKnown)
	}
	return eachText("known", n, []string{"check", "reason"}, []string{"from", "to"}, func(at string, text map[string]string) error {
		edge := Edge{name.Group, name.Kind, text["from"], text["to"]}
		if (edge.From != "" || edge.To != "") && !slices.Contains(name.Edges(), edge) {
			return fmt.Errorf("%s: %s is not named to convert from %q to %q; leave both out for every conversion",
				at, name.File, foreign.Fit(edge.From, maxQuoted), foreign.Fit(edge.To, maxQuoted))
		}
		s.Known = append(s.Known, KnownFailure{text["check"], edge.From, edge.To, text["reason"]})
		return nil
	})
}
