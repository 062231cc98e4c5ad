package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/bundle"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
)

// compileInterpreter links scripts into an interpreter, with arguments before the first script.
// Mistakes in the interpreter are findings.
func compileInterpreter(interpreter string, arguments, scripts []string) (*compiled, error) {
	if err := refuseComponent(interpreter); err != nil {
		return nil, err
	}
	if len(scripts) == 0 {
		return nil, command.Usagef("name the scripts, too: crosswalk compile %s SCRIPT…", interpreter)
	}
	program, err := bounded.ReadFile(interpreter, bundle.MaxInterpreter)
	if err != nil {
		return nil, err
	}
	files, err := filesOf(scripts)
	if err != nil {
		return nil, err
	}
	all := append([]string{strings.TrimSuffix(filepath.Base(interpreter), ".wasm")}, arguments...)
	all = append(all, "/"+filepath.Base(filepath.Clean(scripts[0])))
	wasm, err := bundle.Module(program, files, all)
	if err != nil {
		return nil, command.Findingf("%s: %w", interpreter, err)
	}
	return &compiled{wasm: wasm, tested: true}, nil
}

// filesOf reads files and directories, which may have any size: it stops at the bound of a module.
func filesOf(names []string) (files []bundle.File, err error) {
	size := 0
	for _, name := range names {
		base := filepath.Base(filepath.Clean(name))
		if base == "." || base == ".." || base == string(filepath.Separator) {
			return nil, command.Usagef("%s has no name in the module: name its files, or the directory by its name", name)
		}
		err := filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() {
				return errors.Join(err, fmt.Errorf("%s is not a regular file", p))
			}
			below, err := filepath.Rel(name, p)
			if err != nil {
				return err
			}
			content, err := readSource(p)
			if size += len(content); err == nil && (size > bundle.MaxContent || len(files) >= bundle.MaxFiles) {
				err = fmt.Errorf("%s: more than %d files or %d MiB for a module", name, bundle.MaxFiles, bundle.MaxContent>>20)
			}
			files = append(files, bundle.File{Path: path.Join(base, filepath.ToSlash(below)), Content: content})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
