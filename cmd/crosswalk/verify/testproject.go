package verify

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// project is one module to test, and the files of its project.
type project struct {
	file    string // the module
	sidecar string // the author's, of which the one beside the module may be a copy; "" if there is none
	d       definition.File
}

// projects finds the modules that arguments name, with their sidecars and definitions.
func (o *testOptions) projects(s command.Streams, args []string) (list []project, err error) {
	for _, arg := range args {
		files, err := modules.FilesOf(s, []string{arg})
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p := project{file: file}
			name, err := artifact.ParseName(filepath.Base(file))
			if err != nil {
				return nil, err
			}
			for _, dir := range modules.ProjectDirs(file) {
				if path := filepath.Join(dir, name.Base+artifact.SidecarEnding); isFile(path) {
					p.sidecar = path
				}
			}
			if p.d, err = modules.Definition(name.Kind, name.Group, file, o.crd); err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}
	return list, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// checkCopy reports a sidecar beside the module that is not a copy of the author's.
func checkCopy(p project) error {
	name, err := artifact.ParseName(filepath.Base(p.file))
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(p.file), name.Base+artifact.SidecarEnding)
	if p.sidecar == "" || p.sidecar == beside {
		return nil
	}
	theirs, err := os.ReadFile(p.sidecar)
	if err != nil {
		return err
	}
	if ours, err := os.ReadFile(beside); err != nil || string(ours) != string(theirs) {
		return fmt.Errorf("%s is not a copy of %s: build the converter again", beside, p.sidecar)
	}
	return nil
}
