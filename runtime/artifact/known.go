package artifact

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// maxKnown is the most known failures of a sidecar: more than there are checks.
	maxKnown = 100
	// maxKnownText is the most bytes of a check's name or a reason: a paragraph.
	maxKnownText = 1000
)

// KnownFailure is a check of crosswalk conformance that the module's author knows to fail. The
// gateway only reads it.
type KnownFailure struct {
	Check    string // the name of the check
	From, To string // versions; both empty: of every conversion
	Reason   string
}

func (s *Sidecar) readKnown(name Name, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return wrongType("known", n, "a list")
	}
	if len(n.Content) > maxKnown {
		return fmt.Errorf("line %d: there are %d known failures; a sidecar may have %d", n.Line, len(n.Content), maxKnown)
	}
	for i, item := range n.Content {
		label := fmt.Sprintf("known[%d]", i)
		text := map[string]string{}
		if err := eachMember(label, item, []string{"check", "from", "to", "reason"}, func(key string, value *yaml.Node) (err error) {
			if text[key], err = textAt(label+"."+key, value); err == nil && len(text[key]) > maxKnownText {
				err = fmt.Errorf("line %d: %s.%s has %d bytes; it may have %d", value.Line, label, key, len(text[key]), maxKnownText)
			}
			return err
		}); err != nil {
			return err
		}
		for _, key := range []string{"check", "reason"} {
			if text[key] == "" {
				return fmt.Errorf("line %d: %s has no %s", item.Line, label, key)
			}
		}
		edge := Edge{name.Group, name.Kind, text["from"], text["to"]}
		if (edge.From != "" || edge.To != "") && !slices.Contains(name.Edges(), edge) {
			return fmt.Errorf("line %d: %s: %s is not named to convert from %q to %q; leave both out for every conversion",
				item.Line, label, name.File, foreign.Fit(edge.From, maxQuoted), foreign.Fit(edge.To, maxQuoted))
		}
		s.Known = append(s.Known, KnownFailure{text["check"], edge.From, edge.To, text["reason"]})
	}
	return nil
}
