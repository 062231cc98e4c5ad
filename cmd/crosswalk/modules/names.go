package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Names parses the names of the modules that arguments name; for a directory, the names of all
// files that are meant to be modules. misnamed is the error for files with invalid names.
func Names(args []string) (names []artifact.Name, misnamed, err error) {
	var wrong []error
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			name, bad := artifact.ParseName(filepath.Base(arg))
			switch {
			case bad != nil && errors.Is(err, fs.ErrNotExist):
				return nil, nil, absentError(arg)
			case bad != nil:
				return nil, nil, bad
			}
			names = append(names, name)
			continue
		}
		_, more, bad, err := inProject(arg)
		if err != nil {
			return nil, nil, err
		}
		names, wrong = append(names, more...), append(wrong, bad...)
	}
	return names, errors.Join(wrong...), nil
}

// namesIn is Names for one directory, with a RefusedError for each file with an invalid name.
func namesIn(dir string) (names []artifact.Name, misnamed []error, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	found, removed := false, map[string]bool{}
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), runtime.Tombstone); ok {
			removed[base] = true
		}
	}
	for _, e := range entries {
		if !artifact.IsModuleFile(e.Name()) {
			continue
		}
		found = true
		name, err := artifact.ParseName(e.Name())
		switch {
		case err != nil:
			misnamed = append(misnamed, RefusedError{filepath.Join(dir, e.Name()), err})
		case !removed[name.Base]:
			names = append(names, name)
		}
	}
	if !found {
		return nil, nil, noModulesError{dir}
	}
	return names, misnamed, nil
}

// buildDir is the directory of a project to which its Makefile writes the module.
const buildDir = "build"

// noModulesError is the error for a directory without modules.
type noModulesError struct{ dir string }

func (e noModulesError) Error() string {
	return fmt.Sprintf("%s has no modules in it, and neither has %s: build the converter first", e.dir, filepath.Join(e.dir, buildDir))
}

// inProject is namesIn for a directory of modules, or for a project of crosswalk init, whose modules
// are in its directory build. It returns the directory that has the modules.
func inProject(arg string) (dir string, names []artifact.Name, misnamed []error, err error) {
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

// ProjectDirs returns the directories that may have the files beside a module: its own and, if that
// is the directory build of a project, the project's.
func ProjectDirs(module string) []string {
	dir := filepath.Dir(module)
	full, err := filepath.Abs(dir)
	if err != nil || filepath.Base(full) != buildDir {
		return []string{dir}
	}
	return []string{dir, filepath.Join(dir, "..")}
}
