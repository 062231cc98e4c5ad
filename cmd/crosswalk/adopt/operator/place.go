package operator

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

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// Workplace is the directory that packages are loaded in.
type Workplace struct {
	Dir        string
	Patterns   []string
	Converters []string          // packages that make converters of the named packages' types
	Roots      []string          // directories with the operator's modules
	workspace  string            // a go.work for several modules; "" for the usual one
	Directory  map[string]string // replaced by a directory that the published module does not have, by module path
	published  bool              // dir is temporary, and its module requires published ones
	Notes      []string
	SetUp      string // the file of set-up code; "" without
}

// environment returns the environment of the go command.
func (w Workplace) environment() []string {
	switch {
	case w.published: // its go.mod may lack checksums
		return append(os.Environ(), "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
	case w.workspace != "":
		return append(os.Environ(), "GOWORK="+w.workspace)
	}
	return os.Environ()
}

// Local finds the go.mod for packages of the repository in the current directory: the nearest of
// each package, if that is not the current one. Of several, it takes the go.mod that replaces the
// others by their directories, or makes a workspace in temporary.
func Local(ctx context.Context, patterns []string, temporary string) (w Workplace, err error) {
	w = Workplace{Dir: ".", Patterns: patterns}
	if work, err := gocmd.Output(ctx, ".", "env", "GOWORK"); err != nil || work != "" && work != "off" {
		return w, err // the workspace has all modules
	}
	here, err := gocmd.Output(ctx, ".", "env", "GOMOD")
	if err != nil {
		return w, err
	}
	var modules []string // directories with a go.mod
	for _, p := range patterns {
		dir := filepath.Dir(here)
		if gocmd.IsPath(p) {
			if dir = gocmd.Nearest(gocmd.TrimDots(p), "go.mod"); dir == "" {
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
func (w Workplace) among(ctx context.Context, modules []string, temporary string) (Workplace, error) {
	mods := map[string]GoMod{}
	for _, dir := range modules {
		mod, err := readMod(ctx, filepath.Join(dir, "go.mod"))
		if err != nil {
			return w, err
		}
		mods[dir] = mod
	}
	w.Dir = modules[0]
	if i := slices.IndexFunc(modules, func(dir string) bool { return seesAll(dir, mods) }); i >= 0 {
		w.Dir = modules[i]
	} else {
		w.workspace = filepath.Join(temporary, "go.work")
		text, language := "", "1.24"
		for _, dir := range modules {
			language = gocmd.LaterGo(language, mods[dir].Go)
			text += "use " + strconv.Quote(dir) + "\n"
		}
		if err := os.WriteFile(w.workspace, []byte("go "+language+"\n"+text), 0o644); err != nil {
			return w, err
		}
	}
	patterns := w.Patterns
	w.Patterns = nil
	for _, p := range patterns {
		if gocmd.IsPath(p) {
			dir := gocmd.Nearest(gocmd.TrimDots(p), "go.mod")
			rest, err := gocmd.Relative(dir, gocmd.Absolute(gocmd.TrimDots(p)))
			if err != nil {
				return w, err
			}
			name := strings.TrimSuffix(mods[dir].Module.Path+"/"+strings.TrimPrefix(strings.TrimPrefix(rest, "."), "/"), "/")
			if strings.HasSuffix(p, "...") {
				name += "/..."
			}
			p = name
		}
		w.Patterns = append(w.Patterns, p)
	}
	return w, nil
}

// seesAll reports whether a module replaces all others by their directories.
func seesAll(dir string, mods map[string]GoMod) bool {
	for other, mod := range mods {
		if other != dir && !slices.ContainsFunc(mods[dir].Replace, func(r Replace) bool {
			return r.Old.Path == mod.Module.Path && r.New.Version == "" && filepath.Clean(gocmd.Under(dir, r.New.Path)) == other
		}) {
			return false
		}
	}
	return true
}

// WithConverters adds the packages of the operator's modules that make converters of the named
// packages' types. They may be in another module of the repository.
func (w Workplace) WithConverters(ctx context.Context, temporary string) (Workplace, error) {
	named, err := w.list(ctx)
	if err != nil {
		return w, err
	}
	if len(w.Roots) == 0 {
		for _, pkg := range named {
			if pkg.Module != nil && pkg.Module.Main {
				if root := gocmd.Outermost(pkg.Module.Dir); !slices.Contains(w.Roots, root) {
					w.Roots = append(w.Roots, root)
				}
			}
		}
	}
	for _, root := range w.Roots {
		files, err := SourceFiles(root, converterWords()...)
		if err != nil {
			return w, fmt.Errorf("looking for %s: %w", NewSpoke, err)
		}
		for _, f := range files {
			dir := filepath.Dir(f.Name)
			if !slices.ContainsFunc(named, func(pkg *packages.Package) bool { return f.Imports(pkg.PkgPath) }) ||
				slices.ContainsFunc(named, func(pkg *packages.Package) bool { return len(pkg.GoFiles) > 0 && filepath.Dir(pkg.GoFiles[0]) == dir }) {
				continue
			}
			path, module, err := pathOf(ctx, dir)
			if err != nil {
				return w, err
			}
			if slices.Contains(w.Converters, path) {
				continue
			}
			w.Converters = append(w.Converters, path)
			if main := named[0].Module; main != nil && main.Main && module != main.Dir && w.workspace == "" && w.Dir != module {
				patterns, converters := w.Patterns, w.Converters
				w.Patterns = nil
				for _, pkg := range named {
					w.Patterns = append(w.Patterns, pkg.PkgPath)
				}
				if w, err = w.among(ctx, []string{module, main.Dir}, temporary); err != nil {
					return w, err
				}
				if w.workspace != "" {
					w.Patterns = patterns
				}
				w.Converters = converters
			}
		}
	}
	return w, nil
}

// list lists the named packages without their syntax and types.
func (w Workplace) list(ctx context.Context) ([]*packages.Package, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule, Context: ctx, Dir: w.Dir,
		Env: append(w.environment(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"),
	}
	list, err := packages.Load(config, w.Patterns...)
	if err != nil {
		return nil, notLoaded(ctx, err)
	}
	return list, nil
}

// pathOf returns the import path of a directory, and the directory of its module.
func pathOf(ctx context.Context, dir string) (path, module string, err error) {
	module = gocmd.Nearest(dir, "go.mod")
	if module == "" {
		return "", "", fmt.Errorf("there is no go.mod for %s", dir)
	}
	mod, err := readMod(ctx, filepath.Join(module, "go.mod"))
	if err != nil {
		return "", "", err
	}
	rest, err := filepath.Rel(module, gocmd.Absolute(dir))
	if err != nil {
		return "", "", err
	}
	if rest == "." {
		return mod.Module.Path, module, nil
	}
	return mod.Module.Path + "/" + filepath.ToSlash(rest), module, nil
}

// readMod reads a go.mod.
func readMod(ctx context.Context, name string) (mod GoMod, err error) {
	text, err := gocmd.Output(ctx, ".", "mod", "edit", "-json", name)
	if err != nil {
		return mod, err
	}
	return mod, json.Unmarshal([]byte(text), &mod)
}

// GoMod is the output of go mod edit -json.
type GoMod struct {
	Module  struct{ Path string }
	Go      string
	Require []moduleVersion
	Exclude []moduleVersion
	Replace []Replace
}

type moduleVersion struct{ Path, Version string }

// Replace is a directive of go.mod. Of a directory, New has no version.
type Replace struct{ Old, New moduleVersion }

// Left returns the left side of the directive.
func (r Replace) Left() string { return strings.TrimSpace(r.Old.Path + " " + r.Old.Version) }
