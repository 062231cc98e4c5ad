package verify

import (
	"encoding/json"
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

// projects finds the modules that arguments name, with their sidecars and definitions, and reads the objects of -f.
func (o *testOptions) projects(s command.Streams, args []string) (list []project, given []json.RawMessage, err error) {
	modules.SayMisnamed(s, args)
	from, err := readSources(s, args, *o.files, o.crd)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range from.files {
		p := project{file: file}
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return nil, nil, err
		}
		for _, dir := range modules.ProjectDirs(file) {
			if path := filepath.Join(dir, name.Base+artifact.SidecarEnding); isFile(path) {
				p.sidecar = path
			}
		}
		if p.d, err = from.definition(file); err != nil {
			return nil, nil, err
		}
		list = append(list, p)
	}
	return list, from.objects, nil
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
