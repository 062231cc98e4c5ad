package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Definitions reads the definition of each module's kind: from the named file or, if named is
// empty, from the files beside the module or in its project. It reads names only of the modules.
func Definitions(files []string, named string) ([]definition.File, error) {
	list := make([]definition.File, len(files))
	for i, path := range files {
		name, err := artifact.ParseName(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		if list[i], err = Definition(name.Kind, name.Group, path, named); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Definition is Definitions for one module of a kind.
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
