package syntax

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// readSidecar copies the members that belong in the sidecar.
func (f *File) readSidecar(args map[string]*yaml.Node, r *Mistakes) {
	f.beside = map[string]*yaml.Node{}
	for _, name := range []string{"cases", "lossy"} {
		switch n := args[name]; {
		case n == nil:
		case n.Kind != yaml.SequenceNode:
			r.At(n, "%s is %s, not a list", name, plainyaml.KindOf(n))
		default:
			f.beside[name] = n
		}
	}
}

// acknowledge accepts the losses of rules for one direction: each side's field is lost on the way to
// the other side and back.
func (f *File) acknowledge() {
	var all []*yaml.Node
	for _, s := range f.Steps {
		all = append(all, s.hidden(s.Rules, [2]string{})...)
		for _, one := range s.Rules {
			to, reason := one.OneWay(&Mistakes{})
			if to == "" {
				continue
			}
			for side, paths := range one.paths() {
				from, to := s.From, s.To
				if side == 1 {
					from, to = to, from
				}
				for _, path := range paths {
					for _, end := range []string{"", ".*"} {
						f.accepted = append(f.accepted, Accepted{one.Node.Line, from, to, path + end})
						all = append(all, mappingOf("from", from, "to", to, "path", path+end, "reason", reason))
					}
				}
			}
		}
	}
	if len(all) == 0 {
		return
	}
	entries := &yaml.Node{Kind: yaml.SequenceNode}
	if n := f.beside["lossy"]; n != nil {
		entries.Content = slices.Clone(n.Content)
	}
	entries.Content = append(entries.Content, all...)
	f.beside["lossy"] = entries
}

// hidden returns the entries for fields of one version that clients of the other one need not see. The
// prefixes are the places of the rules' paths in both versions.
func (s *Pair) hidden(rules []*Rule, prefix [2]string) (all []*yaml.Node) {
	for _, one := range rules {
		var at [2]string
		for side, paths := range one.paths() {
			if at[side] = prefix[side]; len(paths) > 0 && paths[0] != "." {
				at[side] = strings.TrimPrefix(at[side]+"."+paths[0], ".")
			}
		}
		if reason, in := one.Args["reason"], one.Args["in"]; reason != nil && in != nil {
			from, to, path := s.From, s.To, at[0]
			if in.Value == s.To {
				from, to, path = s.To, s.From, at[1]
			}
			all = append(all, mappingOf("from", from, "to", to, "path", path, "class", "hidden", "reason", reason.Value))
		}
		for _, name := range []string{"each", "rules"} {
			n := one.Args[name]
			if n == nil || n.Kind != yaml.SequenceNode {
				continue
			}
			within := at
			for side := range within {
				maps := one.Args["map"] != nil && one.Args["map"].Value == "true" ||
					one.Verb.Name == "listFromMap" && side == 0 || one.Verb.Name == "mapFromList" && side == 1
				switch {
				case one.Verb.Name != "each" && name == "rules": // about the value itself
				case maps:
					within[side] += ".*"
				default:
					within[side] += "[]"
				}
			}
			all = append(all, s.hidden(ReadRules(n, &Mistakes{}, name), within)...)
		}
	}
	return all
}

// paths returns the texts of the paths of a rule on both sides.
func (one *Rule) paths() (all [2][]string) {
	read := func(n *yaml.Node) (texts []string) {
		switch {
		case n == nil:
		case n.Kind == yaml.ScalarNode:
			texts = append(texts, n.Value)
		case n.Kind == yaml.SequenceNode:
			for _, item := range n.Content {
				if item.Kind == yaml.MappingNode {
					item = yamlfile.Member(item, "path")
				}
				if item != nil {
					texts = append(texts, item.Value)
				}
			}
		}
		return texts
	}
	all[0] = read(one.Args[one.Verb.Name])
	if all[1] = read(one.Args["to"]); all[1] == nil {
		all[1] = all[0]
	}
	return all
}

func mappingOf(members ...string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, text := range members {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	}
	return n
}

// checkLosses checks the members and the versions of accepted losses.
func (f *File) checkLosses(n *yaml.Node, r *Mistakes) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		args := Mapping(item, r, "an entry of lossy", vocabulary.LossMembers)
		for _, m := range vocabulary.LossMembers {
			Text(args[m.Name], r, m.Name)
		}
		from, to := args["from"], args["to"]
		if from != nil && to != nil && len(f.Versions) > 0 && !slices.Contains(f.Versions, from.Value) && !slices.Contains(f.Versions, to.Value) {
			r.At(item, "neither %s nor %s is a version of this file, which are %s", Quote(from.Value), Quote(to.Value), Alternatives(f.Versions))
		}
		var loss artifact.Loss
		if path := args["path"]; path != nil {
			loss.Path = path.Value
		}
		if class := args["class"]; class != nil {
			loss.Class = class.Value
		}
		if err := loss.CheckClass(); err != nil {
			r.At(item, "%v", err)
		}
		if from != nil && to != nil && loss.Class == "" {
			f.accepted = append(f.accepted, Accepted{item.Line, from.Value, to.Value, loss.Path})
		}
	}
}

// checkCases checks the members and the versions of golden cases; the gateway's reader of sidecars
// checks the rest, but knows no lines of this file.
func (f *File) checkCases(n *yaml.Node, r *Mistakes) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		args := Mapping(item, r, "a case", vocabulary.CaseMembers)
		for _, name := range []string{"from", "to"} {
			if v := Text(args[name], r, name); v != "" && len(f.Versions) > 0 && !slices.Contains(f.Versions, v) {
				r.At(args[name], "%s is %s, but must be %s, the versions of this file", name, Quote(v), Alternatives(f.Versions))
			}
		}
		for _, m := range vocabulary.CaseMembers {
			switch v := args[m.Name]; {
			case v != nil && m.Shape == vocabulary.AText:
				Text(v, r, m.Name)
			case v != nil && m.Shape == vocabulary.AnObject && v.Kind != yaml.MappingNode:
				r.At(v, "%s is %s, not a mapping", m.Name, plainyaml.KindOf(v))
			}
		}
		if v := args["thereAndBack"]; v != nil && v.ShortTag() != "!!bool" {
			r.At(v, "thereAndBack is %s, but must be true or false", NodeText(v))
		}
	}
}

// Accepted is an intended loss or refusal of the file.
type Accepted struct {
	Line           int
	From, To, Path string
}

// Accepted returns the entries of lossy.
func (f *File) Accepted() []Accepted { return f.accepted }
