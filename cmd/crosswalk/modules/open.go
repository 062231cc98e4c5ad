// Package modules finds and opens the modules that a command line names, as a gateway does: files,
// directories and projects, with their definitions. It has no commands.
package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Open opens a module of the command line. The error is a Finding if a gateway would not serve the
// module, but not if the file is missing or its name is wrong.
func Open(ctx context.Context, path string, config runtime.OpenConfig) (*module.Module, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	m, err := runtime.Open(ctx, path, config)
	if err != nil {
		return nil, command.Finding{Err: RefusedError{path, err}}
	}
	return m, nil
}

// RefusedError is the error of a module that a gateway would not serve.
type RefusedError struct {
	File string
	Err  error
}

func (e RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e RefusedError) Unwrap() error { return e.Err }

// checkFile checks at no cost that a path is a readable module. It opens regular files only: opening a
// pipe waits for a writer. [runtime.Open] refuses the others.
func checkFile(path string) error {
	if _, err := artifact.ParseName(filepath.Base(path)); err != nil {
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".js", ".mjs":
			return fmt.Errorf("%w; crosswalk compile makes a module of rules or of JavaScript", err)
		}
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// Files returns the files that arguments name: modules, and all modules in directories, as a
// gateway serves them; a directory may also be a project with its modules in build. It checks every
// file before the first is compiled. Like a gateway, it leaves out files of a directory that have no
// module's name, if the directory has modules.
func Files(args []string) (files []string, err error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			if _, bad := artifact.ParseName(filepath.Base(arg)); bad != nil && errors.Is(err, fs.ErrNotExist) {
				return nil, absentError(arg)
			}
			if err := checkFile(arg); err != nil {
				return nil, err
			}
			files = append(files, arg)
			continue
		}
		dir, names, misnamed, err := inProject(arg)
		if err != nil {
			return nil, err
		}
		if misnamed != nil && len(names) == 0 {
			return nil, fmt.Errorf("a gateway would ignore files in %s: name the modules, or move these files elsewhere: %w", dir, errors.Join(misnamed...))
		}
		for _, name := range names {
			files = append(files, filepath.Join(dir, name.File))
		}
	}
	return files, nil
}

// FilesOf is Files, and names the files that it leaves out on standard error.
func FilesOf(s command.Streams, args []string) (files []string, err error) {
	SayMisnamed(s, args)
	return Files(args)
}

// SayMisnamed names the files that Files leaves out on standard error.
func SayMisnamed(s command.Streams, args []string) {
	for _, err := range Misnamed(args) {
		fmt.Fprintf(s.Err, "crosswalk: ignored, as by a gateway: %v\n", err)
	}
}

// Misnamed returns a RefusedError for each file that Files leaves out.
func Misnamed(args []string) (list []error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			continue
		}
		_, names, misnamed, err := inProject(arg)
		if err != nil || len(names) == 0 {
			continue // the error of Files
		}
		list = append(list, misnamed...)
	}
	return list
}

// absentError is the error for an argument that names neither a file nor a directory, and does not
// have the form of a module's name.
func absentError(arg string) error {
	return fmt.Errorf("%s does not exist; modules have names like CronTab.stable.example.com_v1_v2.wasm", arg)
}
