package verify

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// sees describes the part of an object that the gateway shows to a module.
func sees(m *module.Module) string {
	if m.Declared() == nil {
		return "whole objects: it declares no fields"
	}
	var versions []string
	for _, version := range slices.Sorted(maps.Keys(m.Declared())) {
		versions = append(versions, "of "+version+" "+cmp.Or(strings.Join(m.Declared()[version], ", "), "nothing"))
	}
	return strings.Join(versions, "; ")
}

// doubtful returns a line for each declared field that the schema of its version does not have. A
// gateway serves such a module nevertheless, because its schemas may be newer.
func doubtful(m *module.Module, d definition.File) (lines []string) {
	if d.Schemas == nil {
		return nil
	}
	for i := range d.Schemas.Versions {
		v := &d.Schemas.Versions[i]
		for _, field := range m.Declared()[v.Name] {
			if !scaffold.InSchema(v, field) {
				lines = append(lines, fmt.Sprintf("declares %s of %s, which its schema does not have (%s): is it misspelt?", field, v.Name, filepath.Base(d.Path)))
			}
		}
	}
	return lines
}

// otherProof says that a module states a proof, and for other schemas than the definition has; ""
// otherwise.
func otherProof(m *module.Module, d definition.File) string {
	stated := m.Description().Proof.Schemas
	if stated == "" || d.CRD == nil || stated == prove.Digest(d.CRD) {
		return ""
	}
	return fmt.Sprintf("states a proof for schemas that differ from %s: run crosswalk prove again, and compile it with --crd", filepath.Base(d.Path))
}

func edgeNames(m *module.Module) []string {
	var names []string
	for _, e := range m.Edges() {
		names = append(names, edgeName(e))
	}
	return names
}

func edgeName(e artifact.Edge) string { return e.From + "→" + e.To }

func caseCount(m *module.Module) string {
	switch n := len(m.Cases()); n {
	case 0:
		return "no golden cases beside it"
	case 1:
		return "1 golden case passed"
	default:
		return fmt.Sprintf("%d golden cases passed", n)
	}
}
