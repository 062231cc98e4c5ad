package artifact

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// maxLosses is the most acknowledged losses of a sidecar: as many as it may have cases.
	maxLosses = 1000
	// maxLossText is the most bytes of the path or the reason of a loss: a path of a deep field, or
	// a paragraph.
	maxLossText = 1000
)

// Loss is a loss that a module's author acknowledges: from one version to the other, the value at a
// path does not survive. crosswalk fuzz reports all others. The gateway only reads it.
type Loss struct {
	From, To string // versions, of which the module's name has one at least
	Path     string // such as spec.users[].roles or spec.labels.*; "." stands for the whole object
	Reason   string
}

func (s *Sidecar) readLosses(name Name, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return wrongType("lossy", n, "a list")
	}
	if len(n.Content) > maxLosses {
		return fmt.Errorf("line %d: there are %d losses; a sidecar may have %d", n.Line, len(n.Content), maxLosses)
	}
	for i, item := range n.Content {
		label := fmt.Sprintf("lossy[%d]", i)
		text := map[string]string{}
		members := []string{"from", "to", "path", "reason"}
		if err := eachMember(label, item, members, func(key string, value *yaml.Node) (err error) {
			if text[key], err = textAt(label+"."+key, value); err == nil && len(text[key]) > maxLossText {
				err = fmt.Errorf("line %d: %s.%s has %d bytes; it may have %d", value.Line, label, key, len(text[key]), maxLossText)
			}
			return err
		}); err != nil {
			return err
		}
		for _, key := range members {
			if text[key] == "" {
				return fmt.Errorf("line %d: %s has no %s", item.Line, label, key)
			}
		}
		if !slices.Contains(name.Versions, text["from"]) && !slices.Contains(name.Versions, text["to"]) { // other modules may convert the rest of the way
			return fmt.Errorf("line %d: %s: %s names neither version %q nor %q", item.Line, label, name.File, foreign.Fit(text["from"], maxQuoted), foreign.Fit(text["to"], maxQuoted))
		}
		s.Losses = append(s.Losses, Loss{text["from"], text["to"], text["path"], text["reason"]})
	}
	return nil
}
