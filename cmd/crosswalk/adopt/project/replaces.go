package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// replacement returns the right side of a directive for a go.mod in dir.
func (s Surroundings) replacement(dir string, r operator.Replace) (string, error) {
	if r.New.Version != "" {
		return r.New.Path + " " + r.New.Version, nil
	}
	return gocmd.Relative(dir, gocmd.Under(s.Dir, r.New.Path))
}

// otherReplaces returns the directives of the surroundings for modules that the project does not
// require: modules that it requires may require these.
func (s Surroundings) otherReplaces(dir string, all []Required) (lines []string, err error) {
	for _, r := range s.Mod.Replace {
		if r.Old.Path == gocmd.SDKModule || slices.ContainsFunc(all, func(q Required) bool {
			return q.Path == r.Old.Path && (r.Old.Version == "" || q.Wildcard || r.Old.Version == q.Version)
		}) {
			continue
		}
		to, err := s.replacement(dir, r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, r.Left()+" => "+to)
	}
	return lines, nil
}

// ProjectPath returns the module path of the project. Go lets a package import those in internal
// directories if its path begins as theirs does before internal.
func ProjectPath(module string, k discover.Resource) (string, error) {
	within, because := module, ""
	for _, path := range slices.Sorted(maps.Keys(Imports(k))) {
		parent, ok := beforeInternal(path)
		switch {
		case !ok || within == parent || strings.HasPrefix(within+"/", parent+"/"):
		case because == "" || strings.HasPrefix(parent+"/", within+"/"):
			within, because = parent, path
		default:
			return "", fmt.Errorf("the packages %s and %s are internal to different directories: no package can import both", because, path)
		}
	}
	return within + "/crosswalk-" + strings.ToLower(k.Name), nil
}

// beforeInternal returns the part of an import path before its last element internal.
func beforeInternal(path string) (string, bool) {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i <= 0 {
		return "", false
	}
	return path[:i-1], true
}
