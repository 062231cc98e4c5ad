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
	proof       *proof            // that the module states; nil: none
	accepted    []Accepted        // the entries of lossy
	sidecar     []byte            // the golden cases and accepted losses, as YAML; nil if there are none
}

// step is the rules between two versions.
type step struct {
	node     *yaml.Node
	from, to string
	shared   []path
	rules    []*rule

	alone  [2][]path // objects of one side: compile finds them
	claims []claim   // the fields that the rules name: compile finds them, twice
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
	{name: "shared", shape: somePaths, about: "objects that both versions have although rules move fields into or out of them: an empty one stays. Other such objects are taken for objects of one version"},
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

// proof is the digests of proved rules, and of the schemas that they were proved for.
type proof struct {
	Rules   string `json:"rules"`
	Schemas string `json:"schemas"`
	Limits  int    `json:"limits,omitempty"`
}

// StateProof has the module state that its rules are proved, with so many limits.
func (f *File) StateProof(rules, schemas string, limits int) {
	f.proof = &proof{rules, schemas, limits}
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
