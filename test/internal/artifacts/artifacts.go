// Package artifacts finds the repository that this module is part of and builds what the tests run: the gateway and the example
// converters.
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
)

const rootModule = "module github.com/crosswalk-gateway/crosswalk\n"

// Root returns the repository's directory: the nearest one above the working directory with the gateway's go.mod.
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

// Gateway builds the gateway's binary into dir and returns its path. $CROSSWALK_GATEWAY names one to be used instead, such as that of an
// image.
func Gateway(ctx context.Context, dir string) (string, error) {
	if ready := os.Getenv("CROSSWALK_GATEWAY"); ready != "" {
		return filepath.Abs(ready)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "gateway")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/gateway")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the gateway: %w\n%s", err, output)
	}
	return binary, nil
}

// Plugins are the example converters as WebAssembly.
type Plugins struct {
	Dir       string   // has a directory for each language, with the modules in it
	Languages []string // those that there was a toolchain for, sorted
	Skipped   string   // what the build said of the others, a line each
}

// BuildPlugins builds the example converters into bin/plugins of the repository, as `make plugins` does. $CROSSWALK_PLUGINS names a
// directory to be used as it is instead.
func BuildPlugins(ctx context.Context) (*Plugins, error) {
	p := &Plugins{Dir: os.Getenv("CROSSWALK_PLUGINS")}
	if p.Dir == "" {
		root, err := Root()
		if err != nil {
			return nil, err
		}
		p.Dir = filepath.Join(root, "bin", "plugins")
		build := exec.CommandContext(ctx, filepath.Join(root, "plugins", "build.sh"))
		build.Dir, build.Env = root, append(os.Environ(), "OUT="+p.Dir)
		output, err := build.CombinedOutput()
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

// Module returns an example converter's content. The error is one that os.IsNotExist knows if the language does not have it.
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
