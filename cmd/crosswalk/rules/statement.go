package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
)

// Statements are the rules between two versions, as package prove reads them.
type Statements struct {
	From, To string
	Shared   [][]string // paths of objects that the file says both versions have
	Rules    []Statement

	// What the compiler made of the rules, by the version that the module converts from.
	Noted   [2][]fieldpath.Path // empty objects that it remembers
	Cleaned [2][]fieldpath.Path // objects that it deletes if they are empty afterwards
}

// Statement is one rule with its arguments. A path is a list of names; "[]" is every element of a
// list and "*" every member of a map. Side 0 is the version From, and side 1 is To.
type Statement struct {
	Verb        string
	Written     string // the verb of the file, which may be the inverse of Verb
	Line        int
	Paths       [2][]string // of a verb about one version, both are its field's
	Side        int         // of drop, default and constant: the version with the field; of others: 1 if the file has the inverse verb
	Conditional bool        // it has a member "when"
	When        []Test      // its conditions, if they are the same in both versions
	Where       []Test      // of skip: the conditions for the elements
	OneWay      bool        // it is for one direction
	Inner       []Statement // rules for the elements, the members or the value
	Every       string      // of Inner: "[]", "*", or "" for the value itself

	Key       string      // of nest and listFromMap
	Value     string      // of listFromMap
	Optional  bool        // of listFromMap: an element may lack the value
	Merge     bool        // of translate: values may share a partner
	Stashes   bool        // what the rule cannot convert, instead of a refusal
	Versions  [][2]string // of convert: API groups and their versions
	Type      string      // of nest and wrap: that the value must have; "" for any
	As        [2]string   // of convert: the type or unit on each side
	Pairs     [][2]any    // of translate; Absent for a field that is not there
	Refuses   bool        // of translate: other values
	Unkept    bool        // of drop: the value is not kept
	For       [][]string  // of drop: the fields of the other version that the value depends on; empty and not nil if the file says none
	ForObject bool        // of drop: all of the other version, except metadata and status
	Of        []string    // of drop that is written copy: the field of which an absent one becomes a copy
	Parts     [][]string  // of split: the paths of the parts in the version with the parts
	Cut       string      // of split and splitList: the separator
	Words     bool        // of split: at white space
	HostPort  bool        // of split: into a host and a port
	At        string      // of split: "first" or "last" separators; "" for every one
	Absent    string      // of split: the text of an absent part
	Rounds    bool        // of convert: no value is kept that the other side cannot hold
	Annotated string      // of split and wrap: the annotation that keeps incomplete parts, or the rest
	Elsewise  bool        // it has other members, such as partial: leave
}

// Test is a condition for a rule.
type Test struct {
	Path   []string
	Values []any // of which the field has one; nil: it is there
	Not    bool
}

// Absent is a value of [Statement.Pairs] that is not there.
type Absent struct{}

// Statements returns the rules of the file, for each pair of versions.
func (f *File) Statements() (all []Statements) {
	for i, s := range f.Steps {
		one := Statements{From: s.From, To: s.To, Rules: statementsOf(s, s.Rules), Noted: f.pairs[i].Noted, Cleaned: f.pairs[i].Cleaned}
		for _, p := range s.Shared {
			one.Shared = append(one.Shared, p)
		}
		all = append(all, one)
	}
	return all
}

func statementsOf(s *syntax.Pair, rules []*syntax.Rule) (all []Statement) {
	for _, r := range rules {
		all = append(all, statementOf(s, r))
	}
	return all
}

// stated are the members that a Statement tells, or that change only the text of a refusal.
var stated = []string{"to", "each", "rules", "map", "when", "key", "type", "message", "values", "others", "in", "for", "stash", "separator", "words", "at", "absent", "messages", "as", "value", "optional", "merge", "versions", "prefix", "where", "oneWay", "inexact", "reason", "unfit", "hostPort", "partial", "rest", "of"}

// statementOf returns one rule of a file that [Parse] accepted.
func statementOf(s *syntax.Pair, r *syntax.Rule) Statement {
	one := Statement{Verb: r.Verb.Name, Written: r.Verb.Name, Line: r.Node.Line, Conditional: r.Args["when"] != nil}
	if verb, ok := vocabulary.Inverted[one.Verb]; ok {
		one.Verb, one.Side = verb, 1
	}
	text := func(name string) string {
		if n := r.Args[name]; n != nil {
			return n.Value
		}
		return ""
	}
	if one.Of = pathAt(r.Args["of"]); one.Of != nil {
		one.Verb = "drop"
	}
	one.Paths[0] = pathAt(r.Args[r.Verb.Name])
	one.Paths[1] = one.Paths[0]
	if to := r.Args["to"]; to != nil {
		one.Paths[1] = pathAt(to)
	}
	if text("in") == s.To {
		one.Side = 1
	}
	one.Every = fieldpath.Elements
	switch {
	case one.Verb == "each" && text("map") == "true":
		one.Every = fieldpath.Members
	case one.Verb == "move" && r.Args["rules"] != nil:
		one.Every = ""
	}
	var inner syntax.Mistakes // the file has been read without mistakes
	for _, name := range []string{"each", "rules"} {
		if n := r.Args[name]; n != nil && n.Kind == yaml.SequenceNode {
			one.Elsewise = one.Elsewise || one.Inner != nil // both each and rules
			one.Inner = append(one.Inner, statementsOf(s, syntax.ReadRules(n, &inner, name))...)
		}
	}
	one.Key, one.Value, one.Type = text("key"), text("value"), text("type")
	one.Optional, one.Merge, one.OneWay = text("optional") == "true", text("merge") == "true", r.Args["oneWay"] != nil
	one.Words, one.HostPort = text("words") == "true", text("hostPort") == "true"
	one.Refuses, one.Unkept, one.Stashes = text("others") == "refuse", text("stash") == "false", text("unfit") == "stash"
	one.Rounds = r.Args["inexact"] != nil && text("inexact") != "stash"
	for _, name := range []string{"partial", "rest"} {
		if n := r.Args[name]; n != nil && n.Kind == yaml.MappingNode {
			one.Annotated = yamlfile.Member(n, "annotation").Value
		} else {
			one.Elsewise = one.Elsewise || n != nil && n.Value != "stash"
		}
	}
	if n := r.Args["versions"]; n != nil {
		for _, pair := range n.Content {
			one.Versions = append(one.Versions, [2]string{pair.Content[0].Value, pair.Content[1].Value})
		}
	}
	one.When, one.Where = testsOf(r.Args["when"]), testsOf(r.Args["where"])
	if n := r.Args["values"]; n != nil {
		for _, pair := range n.Content {
			one.Pairs = append(one.Pairs, [2]any{valueOf(pair.Content[0]), valueOf(pair.Content[1])})
		}
	}
	one.Cut, one.Absent, one.At = text("separator"), text("absent"), strings.TrimPrefix(text("at"), "every")
	if one.Verb == "split" {
		one.splitting(r)
	}
	if n := r.Args["as"]; n != nil && len(n.Content) == 2 {
		one.As = [2]string{n.Content[0].Value, n.Content[1].Value}
	}
	switch n := r.Args["for"]; {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		one.For = [][]string{}
		for _, item := range n.Content {
			one.For = append(one.For, pathAt(item))
		}
	default:
		one.ForObject = true
	}
	for name := range r.Args {
		one.Elsewise = one.Elsewise || name != r.Verb.Name && !slices.Contains(stated, name)
	}
	return one
}

// testsOf returns the conditions at when; nil if it has one for each version.
func testsOf(n *yaml.Node) (all []Test) {
	if n == nil {
		return nil
	}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		p := yamlfile.Member(item, "path")
		if p == nil || p.Kind != yaml.ScalarNode {
			return nil
		}
		one := Test{Path: pathAt(p)}
		if v := yamlfile.Member(item, "equals"); v != nil {
			one.Values = []any{valueOf(v)}
		}
		if v := yamlfile.Member(item, "in"); v != nil {
			for _, value := range v.Content {
				one.Values = append(one.Values, valueOf(value))
			}
		}
		not := yamlfile.Member(item, "not")
		exists := yamlfile.Member(item, "exists")
		one.Not = (not != nil && not.Value == "true") != (exists != nil && exists.Value == "false")
		all = append(all, one)
	}
	return all
}

// splitting reads the members of split and join.
func (one *Statement) splitting(r *syntax.Rule) {
	single, several := r.Args["split"], r.Args["to"]
	if one.Side == 1 {
		single, several = r.Args["to"], r.Args["join"]
	}
	for _, item := range several.Content {
		if item.Kind == yaml.MappingNode {
			one.Elsewise = true // parts with a type
			continue
		}
		one.Parts = append(one.Parts, pathAt(item))
	}
	one.Paths[one.Side] = pathAt(single)
	if len(one.Parts) > 0 {
		one.Paths[1-one.Side] = fieldpath.Path(one.Parts[0]).Parent()
	}
}

// pathAt returns a path; nil for a list of parts.
func pathAt(n *yaml.Node) fieldpath.Path {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	p, err := fieldpath.Parse(n.Value)
	if err != nil {
		return nil
	}
	return p
}

func valueOf(n *yaml.Node) (v any) {
	if syntax.IsAbsent(n) {
		return Absent{}
	}
	read := lowering.ReadValue(n, &syntax.Mistakes{})
	if read.Kind == program.String {
		return read.Text
	}
	_ = json.Unmarshal([]byte(read.Text), &v) // of a value that was written as JSON
	return v
}
