// Package artifacts finds the repository that this module is part of and builds the binaries for
// the tests: the gateway and the example converters.
package artifacts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/programs"
)

const rootModule = "module github.com/crosswalk-gateway/crosswalk\n"

// Root returns the repository's directory: the nearest one above the working directory with the
// gateway's go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), rootModule) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the repository: no directory above has the gateway's go.mod")
		}
		dir = parent
	}
}

// Gateway builds the gateway's binary and returns its path. $CROSSWALK_GATEWAY names one to be used
// instead, such as that of an image.
func Gateway(ctx context.Context) (string, error) {
	if ready := os.Getenv("CROSSWALK_GATEWAY"); ready != "" {
		return filepath.Abs(ready)
	}
	return Program(ctx, "gateway")
}

// Program builds a program of the repository and returns its path.
func Program(ctx context.Context, name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	return programs.Build(ctx, root, name)
}

// run runs a command in dir with one more environment variable. When ctx ends the command is
// interrupted, so that it can clean up.
func run(ctx context.Context, dir, variable, name string, args ...string) (output []byte, err error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), variable)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	return command.CombinedOutput()
}

// Plugins are the example converters as WebAssembly.
type Plugins struct {
	Dir       string   // has a directory for each language, with the modules in it
	Languages []string // those that there was a toolchain for, sorted
	Skipped   string   // the build's messages about the others, one line each
}

// BuildPlugins builds the example converters into bin/plugins of the repository, as `make plugins`
// does. $CROSSWALK_PLUGINS names a directory to be used as it is instead.
func BuildPlugins(ctx context.Context) (*Plugins, error) {
	p := &Plugins{Dir: os.Getenv("CROSSWALK_PLUGINS")}
	if p.Dir == "" {
		root, err := Root()
		if err != nil {
			return nil, err
		}
		p.Dir = filepath.Join(root, "bin", "plugins")
		output, err := run(ctx, root, "OUT="+p.Dir, filepath.Join(root, "plugins", "build.sh"))
		if err != nil {
			return nil, fmt.Errorf("building the example converters: %w\n%s", err, output)
		}
		for line := range strings.Lines(string(output)) {
			if strings.HasPrefix(line, "skipped ") {
				p.Skipped += line
			}
		}
	}
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			p.Languages = append(p.Languages, entry.Name())
		}
	}
	slices.Sort(p.Languages)
	return p, nil
}

// Module returns an example converter's content. The error is one that os.IsNotExist knows if the
// language does not have it.
func (p *Plugins) Module(language, file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(p.Dir, language, file))
}

// Read returns a file of the repository.
func Read(path ...string) ([]byte, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(append([]string{root}, path...)...))
}
