package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// workplace is the directory that packages are loaded in.
type workplace struct {
	dir        string
	patterns   []string
	converters []string          // packages that make converters of the named packages' types
	roots      []string          // directories with the operator's modules
	workspace  string            // a go.work for several modules; "" for the usual one
	directory  map[string]string // replaced by a directory that the published module does not have, by module path
	published  bool              // dir is temporary, and its module requires published ones
	notes      []string
	setUp      string // the file of set-up code; "" without
}

// environment returns the environment of the go command.
func (w workplace) environment() []string {
	switch {
	case w.published: // its go.mod may lack checksums
		return append(os.Environ(), "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
	case w.workspace != "":
		return append(os.Environ(), "GOWORK="+w.workspace)
	}
	return os.Environ()
}

// local finds the go.mod for packages of the repository in the current directory: the nearest of
// each package, if that is not the current one. Of several, it takes the go.mod that replaces the
// others by their directories, or makes a workspace in temporary.
func local(ctx context.Context, patterns []string, temporary string) (w workplace, err error) {
	w = workplace{dir: ".", patterns: patterns}
	if work, err := goOutput(ctx, ".", "env", "GOWORK"); err != nil || work != "" && work != "off" {
		return w, err // the workspace has all modules
	}
	here, err := goOutput(ctx, ".", "env", "GOMOD")
	if err != nil {
		return w, err
	}
	var modules []string // directories with a go.mod
	for _, p := range patterns {
		dir := filepath.Dir(here)
		if isPath(p) {
			if dir = nearest(trimDots(p), "go.mod"); dir == "" {
				return w, fmt.Errorf("there is no go.mod for %s: run crosswalk adopt in the operator's repository, or name packages as path@version", p)
			}
		}
		if !slices.Contains(modules, dir) {
			modules = append(modules, dir)
		}
	}
	if len(modules) == 1 && modules[0] == filepath.Dir(here) {
		return w, nil
	}
	return w.among(ctx, modules, temporary)
}

// among chooses the directory for packages of some modules, and names the packages as they are
// named there.
func (w workplace) among(ctx context.Context, modules []string, temporary string) (workplace, error) {
	mods := map[string]goMod{}
	for _, dir := range modules {
		mod, err := readMod(ctx, filepath.Join(dir, "go.mod"))
		if err != nil {
			return w, err
		}
		mods[dir] = mod
	}
	w.dir = modules[0]
	if i := slices.IndexFunc(modules, func(dir string) bool { return seesAll(dir, mods) }); i >= 0 {
		w.dir = modules[i]
	} else {
		w.workspace = filepath.Join(temporary, "go.work")
		text, language := "", "1.24"
		for _, dir := range modules {
			language = laterGo(language, mods[dir].Go)
			text += "use " + strconv.Quote(dir) + "\n"
		}
		if err := os.WriteFile(w.workspace, []byte("go "+language+"\n"+text), 0o644); err != nil {
			return w, err
		}
	}
	patterns := w.patterns
	w.patterns = nil
	for _, p := range patterns {
		if isPath(p) {
			dir := nearest(trimDots(p), "go.mod")
			rest, err := relative(dir, absolute(trimDots(p)))
			if err != nil {
				return w, err
			}
			name := strings.TrimSuffix(mods[dir].Module.Path+"/"+strings.TrimPrefix(strings.TrimPrefix(rest, "."), "/"), "/")
			if strings.HasSuffix(p, "...") {
				name += "/..."
			}
			p = name
		}
		w.patterns = append(w.patterns, p)
	}
	return w, nil
}

// seesAll reports whether a module replaces all others by their directories.
func seesAll(dir string, mods map[string]goMod) bool {
	for other, mod := range mods {
		if other != dir && !slices.ContainsFunc(mods[dir].Replace, func(r replace) bool {
			return r.Old.Path == mod.Module.Path && r.New.Version == "" && filepath.Clean(under(dir, r.New.Path)) == other
		}) {
			return false
		}
	}
	return true
}

// withConverters adds the packages of the operator's modules that make converters of the named
// packages' types. They may be in another module of the repository.
func (w workplace) withConverters(ctx context.Context, temporary string) (workplace, error) {
	named, err := w.list(ctx)
	if err != nil {
		return w, err
	}
	if len(w.roots) == 0 {
		for _, pkg := range named {
			if pkg.Module != nil && pkg.Module.Main {
				if root := outermost(pkg.Module.Dir); !slices.Contains(w.roots, root) {
					w.roots = append(w.roots, root)
				}
			}
		}
	}
	for _, root := range w.roots {
		files, err := sourceFiles(root, converterWords()...)
		if err != nil {
			return w, fmt.Errorf("looking for %s: %w", newSpoke, err)
		}
		for _, f := range files {
			dir := filepath.Dir(f.name)
			if !slices.ContainsFunc(named, func(pkg *packages.Package) bool { return f.imports(pkg.PkgPath) }) ||
				slices.ContainsFunc(named, func(pkg *packages.Package) bool { return len(pkg.GoFiles) > 0 && filepath.Dir(pkg.GoFiles[0]) == dir }) {
				continue
			}
			path, module, err := pathOf(ctx, dir)
			if err != nil {
				return w, err
			}
			if slices.Contains(w.converters, path) {
				continue
			}
			w.converters = append(w.converters, path)
			if main := named[0].Module; main != nil && main.Main && module != main.Dir && w.workspace == "" && w.dir != module {
				patterns, converters := w.patterns, w.converters
				w.patterns = nil
				for _, pkg := range named {
					w.patterns = append(w.patterns, pkg.PkgPath)
				}
				if w, err = w.among(ctx, []string{module, main.Dir}, temporary); err != nil {
					return w, err
				}
				if w.workspace != "" {
					w.patterns = patterns
				}
				w.converters = converters
			}
		}
	}
	return w, nil
}

// list lists the named packages without their syntax and types.
func (w workplace) list(ctx context.Context) ([]*packages.Package, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule, Context: ctx, Dir: w.dir,
		Env: append(w.environment(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
	}
	list, err := packages.Load(config, w.patterns...)
	if err != nil {
		return nil, notLoaded(ctx, err)
	}
	return list, nil
}

// pathOf returns the import path of a directory, and the directory of its module.
func pathOf(ctx context.Context, dir string) (path, module string, err error) {
	module = nearest(dir, "go.mod")
	if module == "" {
		return "", "", fmt.Errorf("there is no go.mod for %s", dir)
	}
	mod, err := readMod(ctx, filepath.Join(module, "go.mod"))
	if err != nil {
		return "", "", err
	}
	rest, err := filepath.Rel(module, absolute(dir))
	if err != nil {
		return "", "", err
	}
	if rest == "." {
		return mod.Module.Path, module, nil
	}
	return mod.Module.Path + "/" + filepath.ToSlash(rest), module, nil
}

// readMod reads a go.mod.
func readMod(ctx context.Context, name string) (mod goMod, err error) {
	text, err := goOutput(ctx, ".", "mod", "edit", "-json", name)
	if err != nil {
		return mod, err
	}
	return mod, json.Unmarshal([]byte(text), &mod)
}
