package main

import (
	"fmt"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// buildDir is the directory of a project to which its Makefile writes the module.
const buildDir = "build"

// noModulesError is the error for a directory without modules.
type noModulesError struct{ dir string }

func (e noModulesError) Error() string {
	return fmt.Sprintf("%s has no modules in it, and neither has %s: build the converter first", e.dir, filepath.Join(e.dir, buildDir))
}

// projectNames is namesIn for a directory of modules, or for a project of crosswalk init, whose
// modules are in its directory build. It returns the directory that has the modules.
func projectNames(arg string) (dir string, names []artifact.Name, misnamed, err error) {
	names, misnamed, err = namesIn(arg)
	if err == nil && (misnamed == nil || len(names) > 0) {
		return arg, names, misnamed, nil
	}
	built := filepath.Join(arg, buildDir)
	if inBuild, wrong, buildErr := namesIn(built); buildErr == nil {
		return built, inBuild, wrong, nil
	}
	return arg, names, misnamed, err
}

// projectDirs returns the directories that may have the files beside a module: its own and, if that
// is the directory build of a project, the project's.
func projectDirs(module string) []string {
	dir := filepath.Dir(module)
	full, err := filepath.Abs(dir)
	if err != nil || filepath.Base(full) != buildDir {
		return []string{dir}
	}
	return []string{dir, filepath.Join(dir, "..")}
}
