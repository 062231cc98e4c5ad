package rules

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// maxFile bounds a rules file, and with it a program.
const maxFile = 1 << 20

// MaxVersions bounds the versions of a module: five versions are twenty conversions.
const MaxVersions = 8

// File is a rules file that has been read and checked.
type File struct {
	Kind, Group            string
	Name, Release, Licence string   // of the module's description
	Versions               []string // in the order in which the file names them

	steps       []*step
	conversions []conversion
	fields      map[string][]path // the declared fields of each version; nil: nothing, and the module sees whole objects
	hashed      map[string][]path // fields that stashed values depend on, too
	sidecar     []byte            // the golden cases and accepted losses, as YAML; nil if there are none
}

// step is the rules between two versions.
type step struct {
	node     *yaml.Node
	from, to string
	shared   []path
	rules    []*rule

	alone [2][]path // objects of one side: compile finds them
}

// rule is one rule: its verb, and its members by name.
type rule struct {
	node *yaml.Node // the mapping
	verb *verb
	args map[string]*yaml.Node // the verb's own value included
}

// topMembers are the members of a file.
var topMembers = []member{
	{name: "kind", shape: aText, required: true, about: "the kind, as in the CustomResourceDefinition: CronTab"},
	{name: "group", shape: aText, required: true, about: "the API group: stable.example.com"},
	{name: "name", shape: aText, about: "the module's name in its description; the kind in lower case by default"},
	{name: "version", shape: aText, about: "the version of these rules in the module's description"},
	{name: "licence", shape: aText, about: "the licence of these rules in the module's description"},
	{name: "conversions", required: true, about: "pairs of versions, with the rules between them. Modules convert along chains of pairs"},
	{name: "cases", about: "golden cases, as in a sidecar: crosswalk compile runs them, and writes them to the module's sidecar"},
	{name: "lossy", about: "losses that are meant, as in a sidecar, to which crosswalk compile writes them: crosswalk test and fuzz then accept them"},
}

var stepMembers = []member{
	{name: "from", shape: aText, required: true, about: "a version; paths of rules are its paths"},
	{name: "to", shape: aText, required: true, about: "the other version; the paths at to are its paths"},
	{name: "shared", shape: somePaths, about: "objects that both versions have although rules move fields into or out of them: an empty one stays, and is not remembered if a field moves into it. Other such objects are taken for objects of one version"},
	{name: "rules", shape: someRules, required: true, about: "the fields that correspond; all others are the same in both"},
}

// Parse reads and checks a rules file.
//
// # Errors
//
// One or more [Error] with the line and the column, joined.
func Parse(content []byte) (*File, error) {
	root, err := plainyaml.Parse(content, plainyaml.Limits{Bytes: maxFile, Nodes: maxFile / 4, Depth: 100})
	switch {
	case errors.Is(err, plainyaml.ErrEmpty):
		return nil, Error{Text: "the file is empty: crosswalk init --rules writes one"}
	case errors.Is(err, plainyaml.ErrMany):
		return nil, Error{Text: "the file has more than one YAML document: a module has the rules of one kind"}
	case err != nil:
		return nil, unreadable(content, err)
	}
	f, r := &File{}, &report{}
	f.read(root, r)
	if len(r.errors) == 0 {
		f.compile(r)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return f, nil
}

// ModuleName returns the module's file name.
func (f *File) ModuleName() string {
	return f.Kind + "." + f.Group + "_" + strings.Join(f.Versions, "_") + ".wasm"
}

// Sidecar returns the members of the file that belong in the module's sidecar, as YAML: golden cases
// and accepted losses; nil if there are none.
func (f *File) Sidecar() []byte { return f.sidecar }

func (f *File) read(root *yaml.Node, r *report) {
	args := mapping(root, r, "the file", topMembers)
	f.Kind, f.Group = textOf(args["kind"], r, "kind"), textOf(args["group"], r, "group")
	f.Name, f.Release, f.Licence = textOf(args["name"], r, "name"), textOf(args["version"], r, "version"), textOf(args["licence"], r, "licence")
	if f.Name == "" {
		f.Name = strings.ToLower(f.Kind)
	}
	f.readSidecar(args, r)
	pairs := items(args["conversions"], r, "conversions")
	if len(pairs) > MaxVersions*MaxVersions {
		r.at(args["conversions"], "conversions has %d pairs of versions, and the file can have %d versions at most: split it into several modules, which the gateway chains", len(pairs), MaxVersions)
		return
	}
	for _, n := range pairs {
		f.readStep(n, r)
	}
	f.checkCases(args["cases"], r)
	f.checkLosses(args["lossy"], r)
	if len(r.errors) > 0 {
		return
	}
	if len(f.steps) == 0 {
		r.at(args["conversions"], "conversions is empty: it needs a pair of versions, with from, to and rules")
		return
	}
	if len(f.Versions) > MaxVersions {
		r.at(args["conversions"], "the file has %d versions of at most %d: split it into several modules, which the gateway chains", len(f.Versions), MaxVersions)
		return
	}
	if name, err := artifact.ParseName(f.ModuleName()); err != nil {
		r.at(args["kind"], "the module cannot be named: %v", err)
	} else if name.File != f.ModuleName() || len(name.Versions) != len(f.Versions) {
		r.at(args["kind"], "the module cannot be named: %s has another meaning as a file name", f.ModuleName())
	}
}

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

func (f *File) readStep(n *yaml.Node, r *report) {
	args := mapping(n, r, "a pair of versions", stepMembers)
	s := &step{node: n, from: textOf(args["from"], r, "from"), to: textOf(args["to"], r, "to")}
	if s.from == s.to && s.from != "" {
		r.at(args["to"], "from and to are both %s: a conversion is between two versions", s.from)
	}
	for _, other := range f.steps {
		if other.from == s.from && other.to == s.to || other.from == s.to && other.to == s.from {
			r.at(n, "the rules between %s and %s are at line %d already: both directions are derived from one list", s.from, s.to, other.node.Line)
		}
	}
	for _, v := range []string{s.from, s.to} {
		if v != "" && !slices.Contains(f.Versions, v) {
			f.Versions = append(f.Versions, v)
		}
	}
	for _, item := range items(args["shared"], r, "shared") {
		p, err := parsePath(textOf(item, r, "a path"))
		if err != nil {
			r.at(item, "%v", err)
		}
		s.shared = append(s.shared, p)
	}
	s.rules = readRules(args["rules"], r, "rules")
	f.steps = append(f.steps, s)
}

func readRules(n *yaml.Node, r *report, name string) (rules []*rule) {
	for _, item := range items(n, r, name) {
		if one := readRule(item, r); one != nil {
			rules = append(rules, one)
		}
	}
	return rules
}

// readRule returns nil if the node is not a rule.
func readRule(n *yaml.Node, r *report) *rule {
	if n.Kind != yaml.MappingNode {
		r.at(n, "a rule is a mapping such as {rename: spec.colour, to: spec.color}, not %s", plainyaml.KindOf(n))
		return nil
	}
	one := &rule{node: n}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := slices.IndexFunc(verbs, func(v verb) bool { return v.name == n.Content[i].Value })
		if at < 0 {
			continue
		}
		// "each" is a rule, and a member of other rules.
		if one.verb != nil && verbs[at].name != "each" {
			if one.verb.name != "each" {
				r.at(n.Content[i], "a rule does one thing: %s and %s are two rules", one.verb.name, verbs[at].name)
				return nil
			}
			one.verb = nil
		}
		if one.verb == nil {
			one.verb = &verbs[at]
		}
	}
	if one.verb == nil {
		var names []string
		for _, v := range verbs {
			names = append(names, v.name)
		}
		for i := 0; i < len(n.Content); i += 2 {
			if near := nearest(n.Content[i].Value, names); near != "" {
				r.at(n.Content[i], "there is no rule %s: did you mean %s?", shown(n.Content[i].Value), near)
				return nil
			}
		}
		has := "{}"
		if len(n.Content) > 0 {
			has = shown(n.Content[0].Value)
		}
		r.at(n, "the rule has no verb: it begins with %s, and needs one of %s", has, strings.Join(names, ", "))
		return nil
	}
	own := one.verb.member
	own.required = true
	one.args = mapping(n, r, "a rule "+own.name, append([]member{own, when}, one.verb.members...))
	return one
}

// mapping returns the members of a mapping by name, after checking that it has these members.
func mapping(n *yaml.Node, r *report, what string, members []member) map[string]*yaml.Node {
	args := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.at(n, "%s is %s, not a mapping", what, plainyaml.KindOf(n))
		return args
	}
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	err := plainyaml.Members(n, func(key, v *yaml.Node) error {
		if !slices.Contains(names, key.Value) {
			if near := nearest(key.Value, names); near != "" {
				r.at(key, "%s has the unknown member %s: did you mean %s?", what, shown(key.Value), near)
			} else {
				r.at(key, "%s has the unknown member %s; it may have %s", what, shown(key.Value), strings.Join(names, ", "))
			}
			return nil
		}
		if v.Kind == yaml.AliasNode {
			r.at(v, "aliases are not read: write the value out")
			return nil
		}
		args[key.Value] = v
		return nil
	})
	if err != nil {
		r.at(n, "%v", err)
	}
	for _, m := range members {
		if m.required && args[m.name] == nil {
			r.at(n, "%s needs the member %s: %s", what, m.name, m.about)
		}
	}
	return args
}

// nearest returns the name that a misspelt one probably means; "" if none is near.
func nearest(name string, names []string) (best string) {
	if len(name) > 40 {
		return ""
	}
	least := min(len(name)/4, 2) + 2
	for _, one := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(one)); d < least {
			best, least = one, d
		}
	}
	return best
}

// items returns the items of a list.
func items(n *yaml.Node, r *report, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.at(n, "%s is %s, not a list", what, plainyaml.KindOf(n))
		return nil
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			r.at(item, "aliases are not read: write the value out")
			return nil
		}
	}
	return n.Content
}

// textOf returns a text; a number counts as one, because a version may look like a number.
func textOf(n *yaml.Node, r *report, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!timestamp"}, n.ShortTag()):
		r.at(n, "%s is %s, not text", what, plainyaml.KindOf(n))
	case strings.ContainsRune(n.Value, 0):
		r.at(n, "%s has a NUL character", what)
	case n.Value == "":
		r.at(n, "%s is empty", what)
	}
	return n.Value
}
