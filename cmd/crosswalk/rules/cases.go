package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// readSidecar copies the members that belong in the sidecar.
func (f *File) readSidecar(args map[string]*yaml.Node, r *report) {
	found := map[string]*yaml.Node{}
	for _, name := range []string{"cases", "lossy"} {
		switch n := args[name]; {
		case n == nil:
		case n.Kind != yaml.SequenceNode:
			r.at(n, "%s is %s, not a list", name, plainyaml.KindOf(n))
		default:
			found[name] = n
		}
	}
	if len(found) > 0 {
		f.sidecar, _ = yaml.Marshal(found) // of parsed nodes
	}
}

// checkLosses checks the members and the versions of accepted losses.
func (f *File) checkLosses(n *yaml.Node, r *report) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		args := mapping(item, r, "an entry of lossy", lossMembers)
		for _, m := range lossMembers {
			textOf(args[m.name], r, m.name)
		}
		from, to := args["from"], args["to"]
		if from != nil && to != nil && len(f.Versions) > 0 && !slices.Contains(f.Versions, from.Value) && !slices.Contains(f.Versions, to.Value) {
			r.at(item, "neither %s nor %s is a version of this file, which are %s", shown(from.Value), shown(to.Value), list(f.Versions))
		}
		var loss artifact.Loss
		if path := args["path"]; path != nil {
			loss.Path = path.Value
		}
		if class := args["class"]; class != nil {
			loss.Class = class.Value
		}
		if err := loss.CheckClass(); err != nil {
			r.at(item, "%v", err)
		}
		if from != nil && to != nil && loss.Class == "" {
			f.accepted = append(f.accepted, Accepted{item.Line, from.Value, to.Value, loss.Path})
		}
	}
}

// checkCases checks the members and the versions of golden cases; the gateway's reader of sidecars
// checks the rest, but knows no lines of this file.
func (f *File) checkCases(n *yaml.Node, r *report) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		args := mapping(item, r, "a case", caseMembers)
		for _, name := range []string{"from", "to"} {
			if v := textOf(args[name], r, name); v != "" && len(f.Versions) > 0 && !slices.Contains(f.Versions, v) {
				r.at(args[name], "%s is %s, but must be %s, the versions of this file", name, shown(v), list(f.Versions))
			}
		}
		for _, m := range caseMembers {
			switch v := args[m.name]; {
			case v != nil && m.shape == aText:
				textOf(v, r, m.name)
			case v != nil && m.shape == anObject && v.Kind != yaml.MappingNode:
				r.at(v, "%s is %s, not a mapping", m.name, plainyaml.KindOf(v))
			}
		}
		if v := args["thereAndBack"]; v != nil && v.ShortTag() != "!!bool" {
			r.at(v, "thereAndBack is %s, but must be true or false", nodeText(v))
		}
	}
}
