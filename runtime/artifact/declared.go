package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// DeclaredPaths are the fields that a module declares, as paths by version (docs/spec/abi.md). nil: the
// module declares no fields and sees whole objects.
type DeclaredPaths map[string][]string

// DescribedFields returns the fields in a module's description of itself; nil if it declares none.
func DescribedFields(name Name, description []byte) (DeclaredPaths, error) {
	var says struct {
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(description, &says); err != nil || says.Fields == nil {
		return nil, nil // the error has been reported before
	}
	var f DeclaredPaths
	if err := json.Unmarshal(says.Fields, &f); err != nil || f == nil {
		return nil, errors.New(`fields is not like {"v1": ["spec.size"], "v2": ["spec.replicas"]}`)
	}
	return f, f.check(name)
}

// readFields reads the fields of a sidecar.
func (s *Sidecar) readFields(name Name, n *yaml.Node) error {
	s.Fields = DeclaredPaths{}
	err := eachMember("fields", n, nil, func(version string, list *yaml.Node) error {
		if list.Kind != yaml.SequenceNode {
			return wrongType("fields."+version, list, "a list of paths")
		}
		paths := []string{}
		for i, item := range list.Content {
			path, err := textAt(fmt.Sprintf("fields.%s[%d]", version, i), item)
			if err != nil {
				return err
			}
			paths = append(paths, path)
		}
		s.Fields[version] = paths
		return nil
	})
	if err == nil {
		err = s.Fields.check(name)
		if err != nil {
			err = fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	return err
}

// check checks the fields against the versions in the module's name, and the syntax of the paths.
func (f DeclaredPaths) check(name Name) error {
	for _, version := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(name.Versions, version) {
			return fmt.Errorf("fields has version %q, which %s does not name", foreign.Fit(version, maxQuoted), name.File)
		}
		if _, err := projection.Parse(f[version]); err != nil {
			return fmt.Errorf("fields.%s: %w", version, err)
		}
	}
	for _, version := range name.Versions {
		if f[version] == nil {
			return fmt.Errorf("fields has no list for version %s: add one, empty if nothing of that version is read or written", version)
		}
	}
	for _, e := range name.Edges() {
		if _, err := projection.Parse(f[e.From], f[e.To]); err != nil {
			return fmt.Errorf("fields of %s and %s together: %w", e.From, e.To, err)
		}
	}
	return nil
}

// Count is the number of paths.
func (f DeclaredPaths) Count() (n int) {
	for _, paths := range f {
		n += len(paths)
	}
	return n
}
