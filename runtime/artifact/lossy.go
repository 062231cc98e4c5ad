package artifact

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// maxLosses is the most acknowledged losses of a sidecar: as many as it may have cases.
	maxLosses = 1000
	// maxText is the most bytes of a member of a loss or of a known failure: a path of a deep
	// field, or a paragraph.
	maxText = 1000
)

// Loss is a loss that a module's author acknowledges: from one version to the other, the value at a
// path does not survive. crosswalk fuzz reports all others. The gateway only reads it.
type Loss struct {
	From, To string // versions, of which the module's name has one at least
	Path     string // such as spec.users[].roles or spec.labels.*; "." stands for the whole object
	Class    string // value, empty, noField, default or hidden restricts the entry to findings of this class; "" to none
	Reason   string
}

func (s *Sidecar) readLosses(name Name, n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxLosses {
		return fmt.Errorf("line %d: there are %d losses; a sidecar may have %d", n.Line, len(n.Content), maxLosses)
	}
	return eachText("lossy", n, []string{"from", "to", "path", "reason"}, []string{"class"}, func(at string, text map[string]string) error {
		if !slices.Contains(name.Versions, text["from"]) && !slices.Contains(name.Versions, text["to"]) { // other modules may convert the rest of the way
			return fmt.Errorf("%s: %s names neither version %q nor %q", at, name.File, foreign.Fit(text["from"], maxQuoted), foreign.Fit(text["to"], maxQuoted))
		}
		loss := Loss{text["from"], text["to"], text["path"], text["class"], text["reason"]}
		if err := loss.CheckClass(); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		s.Losses = append(s.Losses, loss)
		return nil
	})
}

// CheckClass returns an error if the class is unknown, or if the loss covers all fields and not only
// their empty values: that would hide the mistakes of later versions of the module.
func (l Loss) CheckClass() error {
	switch {
	case !slices.Contains([]string{"", "value", "empty", "noField", "default", "hidden"}, l.Class):
		return fmt.Errorf("unknown class %q: it must be value, empty, noField, default or hidden", foreign.Fit(l.Class, maxQuoted))
	case l.Path == ".*" && l.Class != "empty":
		return errors.New("the path .* covers every field: name the fields, or add class: empty")
	}
	return nil
}

// eachText calls visit for each item of a list, with its members, which are texts. at names the
// item in errors.
//
// # Errors
//
// The node is not a list, or an item lacks a required member, has an unknown one, or a text of more
// than maxText bytes; or the error of visit.
func eachText(list string, n *yaml.Node, required, optional []string, visit func(at string, text map[string]string) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrongType(list, n, "a list")
	}
	for i, item := range n.Content {
		label := fmt.Sprintf("%s[%d]", list, i)
		text := map[string]string{}
		if err := eachMember(label, item, slices.Concat(required, optional), func(key string, value *yaml.Node) (err error) {
			if text[key], err = textAt(label+"."+key, value); err == nil && len(text[key]) > maxText {
				err = fmt.Errorf("line %d: %s.%s has %d bytes; it may have %d", value.Line, label, key, len(text[key]), maxText)
			}
			return err
		}); err != nil {
			return err
		}
		for _, key := range required {
			if text[key] == "" {
				return fmt.Errorf("line %d: %s has no %s", item.Line, label, key)
			}
		}
		if err := visit(fmt.Sprintf("line %d: %s", item.Line, label), text); err != nil {
			return err
		}
	}
	return nil
}

// maxKnown is the most known failures of a sidecar: more than there are checks.
const maxKnown = 100

// KnownFailure is a check of conformance, as crosswalk test makes them, that the module's author
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
