package artifact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// SidecarEnding is the ending of the optional file beside a module, with the same base name:
// settings of its author, and cases that it must pass before it may serve (docs/author/sidecar.md).
const SidecarEnding = ".yaml"

// Name is the parsed name of a module's file: the kind that it converts, the versions, and the
// packing.
//
//	<Kind>.<group>_<version>_<version>[_<version>…].wasm    every direction among the versions
//	<Kind>.<group>_<version>_to_<version>.wasm              one direction
//	… .wasm.gz, … .wasm.zst                                 the same, compressed with gzip or zstd
//
// No kind, group or version contains "_", so a name has one reading (docs/spec/contract.md).
type Name struct {
	File     string // as in the directory, for example CronTab.stable.example.com_v1_v2.wasm.gz
	Base     string // without the ending: two packings of one base are two files for the same module
	Packing  string // "", "gzip" or "zstd"
	Kind     string
	Group    string
	Versions []string // in the order of the name
	OneWay   bool     // only Versions[0] to Versions[1]
	Owner    string   // of the directory, see ParseOwned; File and Base begin with it
}

// Edge is one direction of a conversion between two versions of a kind.
type Edge struct {
	Group, Kind, From, To string
}

func (e Edge) String() string {
	return fmt.Sprintf("%s.%s %s→%s", e.Kind, e.Group, e.From, e.To)
}

// The forms that the API machinery requires: a group is a DNS-1123 subdomain, a version a DNS-1035
// label, and a kind, lower-cased, a DNS-1035 label (apiextensions validation:
// ValidateCustomResourceDefinitionNames and …Version).
var (
	kindShape    = regexp.MustCompile(`^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
	groupShape   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	versionShape = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
)

// IsModuleFile reports whether a file has the ending of a module.
func IsModuleFile(file string) bool {
	_, _, ok := cutEnding(file)
	return ok
}

func cutEnding(file string) (base, packing string, ok bool) {
	for _, ending := range [...]struct{ suffix, packing string }{{".wasm", packedNot}, {".wasm.gz", packedGzip}, {".wasm.zst", packedZstd}} {
		if base, ok = strings.CutSuffix(file, ending.suffix); ok {
			return base, ending.packing, true
		}
	}
	return file, packedNot, false
}

// Misspelled returns the correct name of a file with a similar ending: sidecars and definitions
// that end in .yml, and modules that end in .WASM. It returns "" for all others. Such a file gets a
// log line, because its author expects it to be read.
func Misspelled(file string) string {
	if base, ok := strings.CutSuffix(file, ".yml"); ok {
		if _, err := ParseName(base + ".wasm"); err == nil || strings.HasSuffix(base, ".crd") {
			return base + SidecarEnding
		}
		return ""
	}
	for _, ending := range [...]string{".wasm", ".wasm.gz", ".wasm.zst"} {
		cut := len(file) - len(ending)
		if cut < 0 || file[cut:] == ending || !strings.EqualFold(file[cut:], ending) {
			continue
		}
		if _, err := ParseName(file[:cut] + ending); err == nil {
			return file[:cut] + ending
		}
	}
	return ""
}

// maxVersions bounds the versions of one file, which provides a conversion for every two of them:
// 240 for 16 versions.
const maxVersions = 16

// ParseName parses a module's file name. The error names the wrong part and shows a valid name.
func ParseName(file string) (Name, error) {
	const example = `a module is named like CronTab.stable.example.com_v1_v2.wasm`
	base, packing, ok := cutEnding(file)
	if !ok {
		return Name{}, fmt.Errorf("file name %q: must end in .wasm, .wasm.gz or .wasm.zst", file)
	}
	n := Name{File: file, Base: base, Packing: packing}
	parts := strings.Split(base, "_")
	kind, group, ok := strings.Cut(parts[0], ".")
	switch {
	case !ok:
		return Name{}, fmt.Errorf("file name %q: %q is not <Kind>.<group>; %s", file, parts[0], example)
	case !kindShape.MatchString(kind):
		return Name{}, fmt.Errorf("file name %q: %q is not a kind as a CustomResourceDefinition spells it; %s", file, kind, example)
	case !groupShape.MatchString(group) || len(group) > 253:
		return Name{}, fmt.Errorf("file name %q: %q is not an API group (a DNS name in lower case); %s", file, group, example)
	}
	n.Kind, n.Group, n.Versions = kind, group, parts[1:]
	if len(n.Versions) == 3 && n.Versions[1] == "to" {
		n.OneWay, n.Versions = true, []string{n.Versions[0], n.Versions[2]}
	}
	if len(n.Versions) > maxVersions {
		return Name{}, fmt.Errorf("file name %q: names %d versions, and a file may name %d; name fewer, and convert the others by other modules", file, len(n.Versions), maxVersions)
	}
	if len(n.Versions) < 2 {
		return Name{}, fmt.Errorf("file name %q: names %d version(s), and a conversion needs two; %s", file, len(n.Versions), example)
	}
	for i, v := range n.Versions {
		if !versionShape.MatchString(v) {
			return Name{}, fmt.Errorf("file name %q: %q is not an API version; %s", file, v, example)
		}
		if slices.Contains(n.Versions[:i], v) {
			return Name{}, fmt.Errorf("file name %q: names version %s twice", file, v)
		}
	}
	return n, nil
}

// Edges returns the conversions that the name claims, in the order of the name.
func (n Name) Edges() []Edge {
	if n.OneWay {
		return []Edge{{n.Group, n.Kind, n.Versions[0], n.Versions[1]}}
	}
	var edges []Edge
	for _, from := range n.Versions {
		for _, to := range n.Versions {
			if from != to {
				edges = append(edges, Edge{n.Group, n.Kind, from, to})
			}
		}
	}
	return edges
}

// ParseOwned is ParseName for the name of a file with or without an owner.
func ParseOwned(file string) (Name, error) {
	owner, plain := watch.SplitOwner(file)
	name, err := ParseName(plain)
	if err == nil {
		name.Owner, name.File, name.Base = owner, file, watch.JoinOwner(owner, name.Base)
	}
	return name, err
}
