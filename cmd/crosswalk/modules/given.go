package modules

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// CheckGiven returns an error if -f has objects and the modules convert none of their kinds: the
// tests would ignore all objects, and a misspelt kind or group would look like a success.
func CheckGiven(files []string, objects []json.RawMessage) error {
	if len(objects) == 0 {
		return nil
	}
	kinds := map[string]bool{}
	for _, file := range files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return err
		}
		kinds[name.Kind+"."+name.Group] = true
	}
	given := map[string]bool{}
	for _, text := range objects {
		var o struct{ APIVersion, Kind string }
		_ = json.Unmarshal(text, &o) // the rest may be anything; an object without a kind is of no kind
		group, _, _ := strings.Cut(o.APIVersion, "/")
		if kinds[o.Kind+"."+group] {
			return nil
		}
		given[fmt.Sprintf("%q of %q", o.Kind, o.APIVersion)] = true
	}
	return fmt.Errorf("-f has no object that the modules convert: it has %s, and the modules convert %s", someOf(given), someOf(kinds))
}

// someOf lists up to three keys.
func someOf(set map[string]bool) string {
	const most = 3
	keys := slices.Sorted(maps.Keys(set))
	if len(keys) > most {
		keys = append(keys[:most], fmt.Sprintf("%d others", len(keys)-most))
	}
	return strings.Join(keys, ", ")
}

// Definition returns the definition of a kind in the named file or, without a name, beside a module of the
// kind or in its project; the zero value if there is none.
func Definition(kind, group, path, named string) (definition.File, error) {
	if named != "" {
		d, err := definition.ReadFile(named, kind+"."+group)
		if err == nil && (d.Schemas.Group != group || d.Schemas.Kind != kind) {
			err = fmt.Errorf("%s defines %s.%s, and the module converts %s.%s", named, d.Schemas.Kind, d.Schemas.Group, kind, group)
		}
		return d, err
	}
	for _, dir := range ProjectDirs(path) {
		files, err := filepath.Glob(filepath.Join(dir, "*."+group+".crd.*"))
		if err != nil {
			return definition.File{}, err
		}
		slices.Sort(files)
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
				return definition.File{}, fmt.Errorf("%s is not a regular file: name the definition with --crd", file)
			}
			d, err := definition.ReadFile(file, kind+"."+group)
			if err != nil {
				return definition.File{}, err
			}
			if d.Schemas.Group == group && d.Schemas.Kind == kind {
				return d, nil
			}
		}
	}
	return definition.File{}, nil
}
