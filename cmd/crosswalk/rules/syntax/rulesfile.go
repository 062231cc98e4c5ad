// Package syntax reads a rules file, and reports its mistakes with their lines. It checks each rule by
// itself; package lowering and package verbs check it beside the others.
package syntax

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/vocabulary"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// MaxFile bounds a rules file, and with it a program.
const MaxFile = 1 << 20

// MaxVersions bounds the versions of a module: five versions are twenty conversions.
const MaxVersions = 8

// File is a rules file as it is written.
type File struct {
	Kind, Group            string
	Name, Release, Licence string   // of the module's description
	Definition             string   // the file with the CustomResourceDefinition
	Versions               []string // in the order in which the file names them

	Steps    []*Pair
	accepted []Accepted            // the entries of lossy
	beside   map[string]*yaml.Node // the golden cases and accepted losses
	sidecar  []byte                // the same as YAML; nil if there are none
}

// Pair is the rules between two versions.
type Pair struct {
	Node     *yaml.Node
	From, To string
	Shared   []fieldpath.Path
	Rules    []*Rule
}

// Read reads a rules file, and reports its mistakes. The error is for a file that is not YAML.
func Read(content []byte, r *Mistakes) (*File, error) {
	root, err := plainyaml.Parse(content, plainyaml.Limits{Bytes: MaxFile, Nodes: MaxFile / 4, Depth: 100})
	switch {
	case errors.Is(err, plainyaml.ErrEmpty):
		return nil, Error{Text: "the file is empty: crosswalk init --rules writes one"}
	case errors.Is(err, plainyaml.ErrMany):
		return nil, Error{Text: "the file has more than one YAML document: a module has the rules of one kind"}
	case err != nil:
		return nil, unreadable(content, err)
	}
	f := &File{}
	f.read(root, r)
	return f, nil
}

// ModuleName returns the module's file name.
func (f *File) ModuleName() string {
	return f.Kind + "." + f.Group + "_" + strings.Join(f.Versions, "_") + ".wasm"
}

// Sidecar returns the members of the file that belong in the module's sidecar, as YAML: golden cases
// and accepted losses; nil if there are none.
func (f *File) Sidecar() []byte { return f.sidecar }

func (f *File) read(root *yaml.Node, r *Mistakes) {
	args := Mapping(root, r, "the file", vocabulary.TopMembers)
	f.Kind, f.Group = Text(args["kind"], r, "kind"), Text(args["group"], r, "group")
	f.Name, f.Release, f.Licence = Text(args["name"], r, "name"), Text(args["version"], r, "version"), Text(args["licence"], r, "licence")
	f.Definition = Text(args["crd"], r, "crd")
	if f.Name == "" {
		f.Name = strings.ToLower(f.Kind)
	}
	f.readSidecar(args, r)
	pairs := Items(args["conversions"], r, "conversions")
	if len(pairs) > MaxVersions*MaxVersions {
		r.At(args["conversions"], "conversions has %d pairs of versions, and the file can have %d versions at most: split it into several modules, which the gateway chains", len(pairs), MaxVersions)
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
	f.acknowledge()
	if len(f.beside) > 0 {
		f.sidecar, _ = yaml.Marshal(f.beside) // of parsed nodes
	}
	if len(f.Steps) == 0 {
		r.At(args["conversions"], "conversions is empty: it needs a pair of versions, with from, to and rules")
		return
	}
	if len(f.Versions) > MaxVersions {
		r.At(args["conversions"], "the file has %d versions of at most %d: split it into several modules, which the gateway chains", len(f.Versions), MaxVersions)
		return
	}
	if name, err := artifact.ParseName(f.ModuleName()); err != nil {
		r.At(args["kind"], "the module cannot be named: %v", err)
	} else if name.File != f.ModuleName() || len(name.Versions) != len(f.Versions) {
		r.At(args["kind"], "the module cannot be named: %s has another meaning as a file name", f.ModuleName())
	}
}

func (f *File) readStep(n *yaml.Node, r *Mistakes) {
	args := Mapping(n, r, "a pair of versions", vocabulary.StepMembers)
	s := &Pair{Node: n, From: Text(args["from"], r, "from"), To: Text(args["to"], r, "to")}
	if s.From == s.To && s.From != "" {
		r.At(args["to"], "from and to are both %s: a conversion is between two versions", s.From)
	}
	for _, other := range f.Steps {
		if other.From == s.From && other.To == s.To || other.From == s.To && other.To == s.From {
			r.At(n, "the rules between %s and %s are at line %d already: both directions are derived from one list", s.From, s.To, other.Node.Line)
		}
	}
	for _, v := range []string{s.From, s.To} {
		if v != "" && !slices.Contains(f.Versions, v) {
			f.Versions = append(f.Versions, v)
		}
	}
	for _, item := range Items(args["shared"], r, "shared") {
		p, err := fieldpath.Parse(Text(item, r, "a path"))
		if err != nil {
			r.At(item, "%v", err)
		}
		s.Shared = append(s.Shared, p)
	}
	s.Rules = ReadRules(args["rules"], r, "rules")
	f.Steps = append(f.Steps, s)
}
