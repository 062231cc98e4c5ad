package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// project is an adopted operator.
type project struct {
	options
	operator
	dir string
}

// attack makes mutants, and compares all of them with the operator's code in one run of the
// project's test.
func (p project) attack() ([]mutant, error) {
	if err := p.adopt(); err != nil {
		return nil, err
	}
	packages, err := p.own()
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, pkg := range packages {
		found, err := findChanges(filepath.Join(p.dir, "vendor"), pkg)
		if err != nil {
			return nil, err
		}
		changes = append(changes, found...)
	}
	if err := p.number(changes); err != nil {
		return nil, err
	}
	mutants, err := p.choose(changes)
	if err != nil {
		return nil, err
	}
	test, err := p.compileTest(packages)
	if err != nil {
		return nil, err
	}
	return mutants, p.compare(test, mutants)
}

// adopt adopts the operator, if no earlier run did. An operator that is not shown to be equal has a
// project, too.
func (p project) adopt() error {
	if _, err := os.Stat(filepath.Join(p.dir, "report.json")); err == nil {
		return nil
	}
	around := filepath.Dir(p.dir)
	if err := os.MkdirAll(around, 0o755); err != nil {
		return err
	}
	packages := p.Arguments()
	if p.source != "" {
		packages = p.Packages
		if err := os.CopyFS(around, os.DirFS(p.source)); err != nil {
			return err
		}
	}
	args := append([]string{"adopt", "--kind", p.Kind, "--dir", "converter"}, packages...)
	command := exec.Command(p.program, args...)
	command.Dir = around
	out, err := command.CombinedOutput()
	if _, missing := os.Stat(filepath.Join(p.dir, "report.json")); missing != nil {
		return fmt.Errorf("crosswalk adopt: %w: %s", errors.Join(err, missing), out)
	}
	return nil
}

// own returns the packages of the operator's module that have copies.
func (p project) own() (packages []string, err error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "vendor", "modules.txt"))
	if err != nil {
		return nil, err
	}
	module := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			module, _, _ = strings.Cut(rest, " ")
		} else if !strings.HasPrefix(line, "#") && p.has(module) {
			packages = append(packages, line)
		}
	}
	if len(packages) == 0 {
		return nil, errors.New("the project has no copies of the operator's packages")
	}
	return packages, nil
}

// has reports whether a module has one of the operator's packages.
func (p project) has(module string) bool {
	return slices.ContainsFunc(p.Packages, func(pkg string) bool { return strings.HasPrefix(pkg, module+"/") })
}

// module returns the name of the module's file.
func (p project) module() (string, error) {
	names, err := filepath.Glob(filepath.Join(p.dir, "*.wasm"))
	if err == nil && len(names) != 1 {
		err = fmt.Errorf("%s has %d modules", p.dir, len(names))
	}
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// build makes the module of a change as the project's Makefile does, with the changed file in the
// place of the copied one. ok is false if it does not compile.
func (p project) build(c change, dir string) (module string, ok bool, err error) {
	original := filepath.Join(p.dir, "vendor", filepath.FromSlash(c.file))
	text, err := os.ReadFile(original)
	if err != nil {
		return "", false, err
	}
	name, err := p.module()
	if err != nil {
		return "", false, err
	}
	changed := []byte(c.apply(string(text)))
	module = filepath.Join(dir, filepath.Base(name))
	source := filepath.Join(dir, path.Base(c.file)+".txt")
	if before, err := os.ReadFile(source); err == nil && bytes.Equal(before, changed) {
		_, err := os.Stat(module)
		return module, err == nil, nil // as an earlier run built it
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: source}})
	if err != nil {
		return "", false, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", false, err
	}
	for file, text := range map[string][]byte{source: changed, filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", false, err
		}
	}
	command := exec.Command("make", "--no-print-directory", "build", "MODULE="+module)
	command.Dir = p.dir
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-overlay="+filepath.Join(dir, "overlay.json"))
	out, err := command.CombinedOutput()
	if err == nil {
		return module, true, nil
	}
	if !strings.Contains(string(out), path.Base(c.file)) {
		return "", false, fmt.Errorf("make build: %w: %s", err, out)
	}
	return "", false, os.WriteFile(filepath.Join(dir, "compiler.txt"), out, 0o644)
}

// compileTest compiles the project's test as crosswalk adopt does, with this tree's adopttest.
func (p project) compileTest(packages []string) (string, error) {
	const pkg = "kubebuilder/adopttest"
	copied := filepath.Join(p.dir, "vendor", "github.com/crosswalk-gateway/crosswalk/sdk/go", pkg)
	if err := os.RemoveAll(copied); err != nil {
		return "", err
	}
	if err := os.CopyFS(copied, withoutTests{os.DirFS(filepath.Join(p.sdk, filepath.FromSlash(pkg)))}); err != nil {
		return "", err
	}
	name := filepath.Join(filepath.Dir(p.dir), "native.test")
	command := exec.Command("go", "test", "-mod=mod", "-vet=off", "-coverpkg="+strings.Join(packages, ","), "-c", "-o", name, ".")
	command.Dir = p.dir
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the test cannot be compiled: %w: %s", err, out)
	}
	return name, nil
}

// withoutTests is a directory without Go tests.
type withoutTests struct{ fs.FS }

func (w withoutTests) ReadDir(name string) (left []fs.DirEntry, err error) {
	entries, err := fs.ReadDir(w.FS, name)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			left = append(left, e)
		}
	}
	return left, err
}
