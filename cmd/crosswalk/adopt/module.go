package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// goMod is the output of go mod edit -json.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []moduleVersion
	Exclude []moduleVersion
	Replace []replace
}

type moduleVersion struct{ Path, Version string }

// replace is a directive of go.mod. Of a directory, New has no version.
type replace struct{ Old, New moduleVersion }

// old returns the left side of the directive.
func (r replace) old() string { return strings.TrimSpace(r.Old.Path + " " + r.Old.Version) }

var errNoGo = errors.New("adopt compiles the operator's code, and there is no go in PATH: install Go 1.24 or later (https://go.dev/doc/install)")

func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	return goOutputWith(ctx, os.Environ(), dir, args...)
}

// goOutputWith is goOutput with an environment.
func goOutputWith(ctx context.Context, environment []string, dir string, args ...string) (string, error) {
	command := goCommand(ctx, dir, environment, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errNoGo
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, relevant(stderr.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// surroundings are the go.mod and go.sum of the directory that packages are loaded in.
type surroundings struct {
	mod goMod
	dir string // of go.mod
	sum []byte
}

func lookAround(ctx context.Context, dir string) (s surroundings, err error) {
	name, err := goOutput(ctx, dir, "env", "GOMOD")
	if err != nil {
		return s, err
	}
	if name == "" || name == os.DevNull {
		return s, fmt.Errorf("there is no go.mod in %s or above it: run crosswalk adopt in the operator's repository, or name packages as path@version", dir)
	}
	text, err := goOutput(ctx, dir, "mod", "edit", "-json", name)
	if err != nil {
		return s, err
	}
	s.dir = filepath.Dir(name)
	s.sum, _ = os.ReadFile(filepath.Join(s.dir, "go.sum"))
	return s, json.Unmarshal([]byte(text), &s.mod)
}

var major = regexp.MustCompile(`/v([0-9]+)$`)

// noVersion is the version of a module that is replaced by a directory.
func noVersion(path string) string {
	if m := major.FindStringSubmatch(path); m != nil {
		return "v" + m[1] + ".0.0"
	}
	return "v0.0.0"
}

// required is a module in the go.mod that is written.
type required struct {
	path, version string
	replacement   string // "" or "path version" or a directory
	wildcard      bool   // every version is replaced
}

// requirements returns the modules that the project needs: those of the surroundings, the
// surrounding module, and the SDK.
func (s surroundings) requirements(dir string, temporary bool, p *program) ([]required, error) {
	var all []required
	for _, r := range s.mod.Require {
		if r.Path != sdkModule {
			all = append(all, required{path: r.Path, version: r.Version})
		}
	}
	// A go.mod that go get wrote does not name all modules that packages come from.
	for _, pkg := range p.All {
		m := pkg.Module
		i := slices.IndexFunc(all, func(r required) bool { return r.path == m.Path })
		switch {
		case m.Path == sdkModule || m.Path == s.mod.Module.Path:
		case m.Main: // of the same workspace
			to, err := relative(dir, m.Dir)
			if err != nil {
				return nil, err
			}
			r := required{path: m.Path, version: noVersion(m.Path), replacement: to, wildcard: true}
			if i >= 0 {
				all[i] = r
			} else {
				all = append(all, r)
			}
		case i >= 0:
		case m.Version != "":
			all = append(all, required{path: m.Path, version: m.Version})
		}
	}
	for _, r := range s.mod.Replace {
		if r.Old.Path == sdkModule {
			continue
		}
		to, err := s.replacement(dir, r)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if all[i].path == r.Old.Path && (r.Old.Version == "" || r.Old.Version == all[i].version) {
				all[i].replacement, all[i].wildcard = to, r.Old.Version == ""
			}
		}
	}
	if !temporary {
		to, err := relative(dir, s.dir)
		if err != nil {
			return nil, err
		}
		all = append(all, required{path: s.mod.Module.Path, version: noVersion(s.mod.Module.Path), replacement: to, wildcard: true})
	}
	all = append(all, required{path: sdkModule, version: "v0.0.0", replacement: "./vendor/" + sdkModule, wildcard: true})
	slices.SortFunc(all, func(a, b required) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func relative(from, to string) (string, error) {
	path, err := filepath.Rel(from, to)
	if err == nil && !strings.HasPrefix(path, ".") {
		path = "./" + path
	}
	return filepath.ToSlash(path), err
}

// writeModule writes go.mod, go.sum and vendor/modules.txt. go build takes the vendor tree, and go
// test -mod=mod the modules themselves, so that the test compares with the operator's own code.
func writeModule(dir, path string, s surroundings, all []required, p *program, files []copied) error {
	var mod, list bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\ngo %s\n\nrequire (\n", path, s.mod.Go)
	for _, r := range all {
		fmt.Fprintf(&mod, "\t%s %s\n", r.path, r.version)
	}
	mod.WriteString(")\n\n")
	packages := map[string][]string{} // by module
	for _, f := range files {
		packages[p.All[f.pkg].Module.Path] = append(packages[p.All[f.pkg].Module.Path], f.pkg)
	}
	for _, name := range sdkPackages() {
		packages[sdkModule] = append(packages[sdkModule], strings.TrimSuffix(sdkModule+"/"+name, "/"))
	}
	goVersion := map[string]string{sdkModule: "1.24"}
	for _, pkg := range p.All {
		goVersion[pkg.Module.Path] = pkg.Module.GoVersion
	}
	for _, r := range all {
		line := "# " + r.path + " " + r.version
		if r.replacement != "" {
			line += " => " + r.replacement
		}
		fmt.Fprintf(&list, "%s\n## explicit", line)
		if v := goVersion[r.path]; v != "" {
			fmt.Fprintf(&list, "; go %s", v)
		}
		list.WriteByte('\n')
		for _, pkg := range slices.Compact(packages[r.path]) {
			fmt.Fprintln(&list, pkg)
		}
	}
	for _, r := range all {
		if r.replacement == "" {
			continue
		}
		old := r.path
		if !r.wildcard {
			old += " " + r.version
		}
		fmt.Fprintf(&mod, "replace %s => %s\n", old, r.replacement)
		if r.wildcard {
			fmt.Fprintf(&list, "# %s => %s\n", r.path, r.replacement)
		}
	}
	unused, err := s.otherReplaces(dir, all)
	if err != nil {
		return err
	}
	for _, r := range unused {
		fmt.Fprintf(&mod, "replace %s\n", r)
		fmt.Fprintf(&list, "# %s\n", r)
	}
	for _, e := range s.mod.Exclude {
		fmt.Fprintf(&mod, "exclude %s %s\n", e.Path, e.Version)
	}
	for name, text := range map[string][]byte{"go.mod": mod.Bytes(), "go.sum": s.sum, "vendor/modules.txt": list.Bytes()} {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}
