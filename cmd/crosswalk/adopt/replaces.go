package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// replacement returns the right side of a directive for a go.mod in dir.
func (s surroundings) replacement(dir string, r replace) (string, error) {
	if r.New.Version != "" {
		return r.New.Path + " " + r.New.Version, nil
	}
	return relative(dir, under(s.dir, r.New.Path))
}

// otherReplaces returns the directives of the surroundings for modules that the project does not
// require: modules that it requires may require these.
func (s surroundings) otherReplaces(dir string, all []required) (lines []string, err error) {
	for _, r := range s.mod.Replace {
		if r.Old.Path == sdkModule || slices.ContainsFunc(all, func(q required) bool {
			return q.path == r.Old.Path && (r.Old.Version == "" || q.wildcard || r.Old.Version == q.version)
		}) {
			continue
		}
		to, err := s.replacement(dir, r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, r.old()+" => "+to)
	}
	return lines, nil
}

// projectPath returns the module path of the project. Go lets a package import those in internal
// directories if its path begins as theirs does before internal.
func projectPath(module string, k kind) (string, error) {
	within, because := module, ""
	for _, path := range slices.Sorted(maps.Keys(k.imports())) {
		parent, ok := beforeInternal(path)
		switch {
		case !ok || within == parent || strings.HasPrefix(within+"/", parent+"/"):
		case because == "" || strings.HasPrefix(parent+"/", within+"/"):
			within, because = parent, path
		default:
			return "", fmt.Errorf("the packages %s and %s are internal to different directories: no package can import both", because, path)
		}
	}
	return within + "/crosswalk-" + strings.ToLower(k.name), nil
}

// beforeInternal returns the part of an import path before its last element internal.
func beforeInternal(path string) (string, bool) {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i <= 0 {
		return "", false
	}
	return path[:i-1], true
}
