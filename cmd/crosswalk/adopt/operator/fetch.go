package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// published is a module version of a module proxy.
type published struct {
	Path, Version, Dir string
	Info               string // a file with the version's time
	Error              string
	mod                GoMod
}

// download gets a module version. The error has go's reason in one line.
func download(ctx context.Context, module, version string) (m published, err error) {
	out, failed := gocmd.Command(ctx, os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod"), "mod", "download", "-json", module+"@"+version).Output()
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	if err := json.Unmarshal(out, &m); err != nil {
		if errors.Is(failed, exec.ErrNotFound) {
			return m, gocmd.ErrNoGo
		}
		return m, fmt.Errorf("go mod download %s@%s: %w", module, version, failed)
	}
	if m.Error != "" {
		return m, fmt.Errorf("%s@%s cannot be downloaded: %s", module, version, gocmd.Relevant(m.Error))
	}
	m.mod, err = readMod(ctx, filepath.Join(m.Dir, "go.mod"))
	if err != nil { // a module without a go.mod
		m.mod.Module.Path = m.Path
	}
	return m, nil
}

// commit returns the time and the name of the version's commit, each "" if it is not known. The version
// of an untagged commit has its name.
func (m published) commit() (time, hash string) {
	var info struct {
		Time   string
		Origin struct{ Hash string }
	}
	if text, err := os.ReadFile(m.Info); err == nil {
		_ = json.Unmarshal(text, &info)
	}
	if untagged := untaggedVersion.FindStringSubmatch(m.Version); untagged != nil {
		return info.Time, untagged[1]
	}
	return info.Time, info.Origin.Hash
}

var (
	untaggedVersion = regexp.MustCompile(`[.-]\d{14}-([0-9a-f]{12})$`)
	declaredPath    = regexp.MustCompile(`module declares its path as: (\S+)`)
)

// others returns the modules of the same repository whose directories are around a module's, or that
// one of these replaces by a directory, at its commit: the operator's main may be in another module, with other
// version numbers. Modules that the proxy does not serve are left out.
func (m published) others(ctx context.Context, known map[string]bool) (found []published, err error) {
	_, hash := m.commit()
	if hash == "" {
		return nil, nil
	}
	paths := m.inside()
	for elements := strings.Split(m.Path, "/"); len(elements) > leastElements(m.Path); {
		elements = elements[:len(elements)-1]
		paths = append(paths, path.Join(elements...))
	}
	for ; len(paths) > 0; paths = paths[1:] {
		if known[paths[0]] {
			continue
		}
		known[paths[0]] = true
		o, err := download(ctx, paths[0], hash)
		if declared := declaredPath.FindStringSubmatch(fmt.Sprint(err)); err != nil && declared != nil && !known[declared[1]] {
			known[declared[1]] = true // such as the path with a major version
			o, err = download(ctx, declared[1], hash)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			continue
		}
		found = append(found, o)
		paths = append(paths, o.inside()...)
	}
	return found, nil
}

// inside returns the paths of modules in directories of the module, which its go.mod names.
func (m published) inside() (paths []string) {
	for _, r := range m.mod.Replace {
		if r.New.Version == "" && strings.HasPrefix(r.Old.Path, m.Path+"/") {
			paths = append(paths, r.Old.Path)
		}
	}
	return paths
}

// has reports whether the module has a package, and not a module within it.
func (m published) has(pkg string) bool {
	rest, ok := strings.CutPrefix(pkg+"/", m.Path+"/")
	if !ok {
		return false
	}
	if base := strings.TrimSuffix(strings.TrimSuffix(rest, "/"), "..."); base != rest {
		rest = base
	}
	info, err := os.Stat(filepath.Join(m.Dir, filepath.FromSlash(rest)))
	return err == nil && info.IsDir()
}

// leastElements returns how many elements the path of a module has at least.
func leastElements(path string) int {
	if hosts.MatchString(path) {
		return 3
	}
	return 2
}

var hosts = regexp.MustCompile(`^(github\.com|gitlab\.com|bitbucket\.org)/`)

// findModule downloads the module that has a package: the one with the shortest path, as a module's zip
// has no packages of modules within it. outer are the modules that the search found before, which
// may have converters of the package's types.
func findModule(ctx context.Context, pkg, version string) (m published, outer []published, err error) {
	elements := strings.Split(strings.TrimSuffix(pkg, "/..."), "/")
	var first error
	for n := min(leastElements(pkg), len(elements)); n <= len(elements); n++ {
		m, err := download(ctx, path.Join(elements[:n]...), version)
		switch {
		case ctx.Err() != nil:
			return m, nil, ctx.Err()
		case err != nil:
			if first == nil {
				first = err
			}
		case m.has(strings.TrimSuffix(pkg, "/...")):
			return m, outer, nil
		default:
			outer = append(outer, m)
		}
	}
	if first == nil {
		first = fmt.Errorf("%s@%s has no such package", outer[len(outer)-1].Path, version)
	}
	return m, nil, fmt.Errorf("the package %s@%s cannot be found: %w", pkg, version, first)
}

// Fetch makes a module in dir for packages, each path@version. Its requirements, replacements and
// exclusions are those of the operator's go.mod, so that the packages are compiled with the versions
// that the operator is built with.
func Fetch(ctx context.Context, dir string, patterns []string) (w Workplace, err error) {
	w = Workplace{Dir: dir, published: true, Directory: map[string]string{}}
	var modules, outer []published
	for _, p := range patterns {
		pkg, version, _ := strings.Cut(p, "@")
		w.Patterns = append(w.Patterns, pkg)
		if slices.ContainsFunc(modules, func(m published) bool { return m.has(strings.TrimSuffix(pkg, "/...")) }) {
			continue
		}
		m, more, err := findModule(ctx, pkg, version)
		if err != nil {
			return w, err
		}
		modules = append(modules, m)
		for _, o := range more {
			if !slices.ContainsFunc(outer, func(old published) bool { return old.Path == o.Path }) {
				outer = append(outer, o)
			}
		}
	}
	known := map[string]bool{}
	for _, m := range slices.Concat(modules, outer) {
		known[m.Path] = true
	}
	for _, m := range slices.Concat(modules, outer) {
		more, err := m.others(ctx, known)
		if err != nil {
			return w, err
		}
		outer = append(outer, more...)
	}
	outer = slices.DeleteFunc(outer, func(o published) bool {
		return slices.ContainsFunc(modules, func(m published) bool { return m.Path == o.Path })
	})
	inside := len(modules)
	for i, m := range slices.Concat(modules, outer) {
		found, err := convertersOf(m.Dir, m.Path, w.Patterns)
		if err != nil {
			return w, err
		}
		if w.Converters = append(w.Converters, found...); len(found) > 0 && i >= inside {
			w.Notes = append(w.Notes, "also loaded, for their converters of the packages' types: "+strings.Join(found, ", "))
			modules = append([]published{m}, modules...)
		}
		w.Roots = append(w.Roots, m.Dir)
	}
	// A module around another has the go.mod of the whole operator.
	around := func(m published) bool {
		return slices.ContainsFunc(modules, func(other published) bool { return strings.HasPrefix(other.Path, m.Path+"/") })
	}
	slices.SortStableFunc(modules, func(a, b published) int {
		switch in, out := around(a), around(b); {
		case in == out:
			return 0
		case in:
			return -1
		}
		return 1
	})
	return w, w.writeMod(ctx, modules)
}

// convertersOf returns the packages below a directory, apart from those in named, that make
// converters and import a named package.
func convertersOf(root, module string, named []string) (paths []string, err error) {
	files, err := SourceFiles(root, converterWords()...)
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", NewSpoke, err)
	}
	for _, f := range files {
		rest, err := filepath.Rel(root, filepath.Dir(f.Name))
		if err != nil {
			return nil, err
		}
		pkg := path.Join(module, filepath.ToSlash(rest))
		if slices.ContainsFunc(named, f.importsPattern) && !slices.ContainsFunc(named, func(n string) bool { return matches(n, pkg) }) && !slices.Contains(paths, pkg) {
			paths = append(paths, pkg)
		}
	}
	return paths, nil
}

// matches reports whether a pattern such as example.com/api/... has a package.
func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(pkg+"/", base+"/")
	}
	return pkg == pattern
}

func (f SourceFile) importsPattern(pattern string) bool {
	for _, spec := range f.Tree.Imports {
		if matches(pattern, strings.Trim(spec.Path.Value, "`\"")) {
			return true
		}
	}
	return false
}

// writeMod writes go.mod and go.sum: of the first module the requirements, replacements and
// exclusions, and requirements of the others.
func (w *Workplace) writeMod(ctx context.Context, modules []published) error {
	first := modules[0]
	var mod, sum bytes.Buffer
	language := "1.24"
	for _, m := range modules {
		language = gocmd.LaterGo(language, m.mod.Go)
		text, err := os.ReadFile(filepath.Join(m.Dir, "go.sum"))
		if err == nil {
			sum.Write(append(bytes.TrimSpace(text), '\n'))
		}
	}
	fmt.Fprintf(&mod, "module %s/crosswalk-adopt\n\ngo %s\n\n", first.Path, language)
	versions := map[string]string{}
	for _, m := range modules {
		versions[m.Path] = m.Version
		fmt.Fprintf(&mod, "require %s %s\n", m.Path, m.Version)
	}
	var kept []Replace
	for _, r := range first.mod.Replace {
		if versions[r.Old.Path] != "" {
			continue // the version that was named counts
		}
		if r.New.Version != "" {
			kept = append(kept, r)
			continue
		}
		v, err := w.instead(ctx, first, r)
		if err != nil {
			return err
		}
		if v == "" {
			w.Directory[r.Old.Path] = r.New.Path
		} else {
			fmt.Fprintf(&mod, "require %s %s\n", r.Old.Path, v)
		}
		versions[r.Old.Path] = "-"
	}
	for _, r := range first.mod.Require {
		if versions[r.Path] == "" {
			fmt.Fprintf(&mod, "require %s %s\n", r.Path, r.Version)
		}
	}
	for _, r := range kept {
		fmt.Fprintf(&mod, "replace %s => %s %s\n", r.Left(), r.New.Path, r.New.Version)
	}
	for _, e := range first.mod.Exclude {
		fmt.Fprintf(&mod, "exclude %s %s\n", e.Path, e.Version)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "go.mod"), mod.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.Dir, "go.sum"), sum.Bytes(), 0o644)
}

// instead returns the published version of a module that the operator's go.mod replaces by a
// directory: the operator's own version for a module of its repository, or else the version that it
// requires; "" if there is none.
func (w *Workplace) instead(ctx context.Context, operator published, r Replace) (string, error) {
	var versions []string
	if path.Join(operator.Path, r.New.Path) == r.Old.Path {
		versions = append(versions, operator.Version)
	}
	for _, q := range operator.mod.Require {
		if q.Path == r.Old.Path && !strings.HasPrefix(q.Version, "v0.0.0-00010101000000-") && q.Version != "v0.0.0" {
			versions = append(versions, q.Version)
		}
	}
	for _, v := range versions {
		m, err := download(ctx, r.Old.Path, v)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			continue
		}
		at, _ := m.commit()
		if of, _ := operator.commit(); v != operator.Version || at == "" || at != of {
			w.Notes = append(w.Notes, fmt.Sprintf("%s replaces %s by the directory %s, which the published module does not have: %s@%s is used, which may differ from it", operator.Path, r.Old.Path, r.New.Path, r.Old.Path, v))
		}
		return m.Version, nil
	}
	return "", nil
}
