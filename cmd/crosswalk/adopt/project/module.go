package project

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Surroundings are the go.mod and go.sum of the directory that packages are loaded in.
type Surroundings struct {
	Mod operator.GoMod
	Dir string // of go.mod
	sum []byte
}

func LookAround(ctx context.Context, dir string) (s Surroundings, err error) {
	name, err := gocmd.Output(ctx, dir, "env", "GOMOD")
	if err != nil {
		return s, err
	}
	if name == "" || name == os.DevNull {
		return s, fmt.Errorf("there is no go.mod in %s or above it: run crosswalk adopt in the operator's repository, or name packages as path@version", dir)
	}
	text, err := gocmd.Output(ctx, dir, "mod", "edit", "-json", name)
	if err != nil {
		return s, err
	}
	s.Dir = filepath.Dir(name)
	s.sum, _ = os.ReadFile(filepath.Join(s.Dir, "go.sum"))
	return s, json.Unmarshal([]byte(text), &s.Mod)
}

var major = regexp.MustCompile(`/v([0-9]+)$`)

// noVersion is the version of a module that is replaced by a directory.
func noVersion(path string) string {
	if m := major.FindStringSubmatch(path); m != nil {
		return "v" + m[1] + ".0.0"
	}
	return "v0.0.0"
}

// Required is a module in the go.mod that is written.
type Required struct {
	Path, Version string
	Replacement   string // "" or "path version" or a directory
	Wildcard      bool   // every version is replaced
}

// Requirements returns the modules that the project needs: those of the surroundings, the
// surrounding module, and the SDK.
func (s Surroundings) Requirements(dir string, temporary bool, p *operator.Program) ([]Required, error) {
	var all []Required
	for _, r := range s.Mod.Require {
		if r.Path != gocmd.SDKModule {
			all = append(all, Required{Path: r.Path, Version: r.Version})
		}
	}
	// A go.mod that go get wrote does not name all modules that packages come from.
	for _, pkg := range p.All {
		m := pkg.Module
		i := slices.IndexFunc(all, func(r Required) bool { return r.Path == m.Path })
		switch {
		case m.Path == gocmd.SDKModule || m.Path == s.Mod.Module.Path:
		case m.Main: // of the same workspace
			to, err := gocmd.Relative(dir, m.Dir)
			if err != nil {
				return nil, err
			}
			r := Required{Path: m.Path, Version: noVersion(m.Path), Replacement: to, Wildcard: true}
			if i >= 0 {
				all[i] = r
			} else {
				all = append(all, r)
			}
		case i >= 0:
		case m.Version != "":
			all = append(all, Required{Path: m.Path, Version: m.Version})
		}
	}
	for _, r := range s.Mod.Replace {
		if r.Old.Path == gocmd.SDKModule {
			continue
		}
		to, err := s.replacement(dir, r)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if all[i].Path == r.Old.Path && (r.Old.Version == "" || r.Old.Version == all[i].Version) {
				all[i].Replacement, all[i].Wildcard = to, r.Old.Version == ""
			}
		}
	}
	if !temporary {
		to, err := gocmd.Relative(dir, s.Dir)
		if err != nil {
			return nil, err
		}
		all = append(all, Required{Path: s.Mod.Module.Path, Version: noVersion(s.Mod.Module.Path), Replacement: to, Wildcard: true})
	}
	all = append(all, Required{Path: gocmd.SDKModule, Version: "v0.0.0", Replacement: "./vendor/" + gocmd.SDKModule, Wildcard: true})
	slices.SortFunc(all, func(a, b Required) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// WriteModule writes go.mod, go.sum and vendor/modules.txt. go build takes the vendor tree, and go
// test -mod=mod the modules themselves, so that the test compares with the operator's own code: modules.txt
// lacks the package of the comparison, which a test with the copies would need.
func WriteModule(dir, path string, s Surroundings, all []Required, p *operator.Program, files []extract.Copied) error {
	var mod, list bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\ngo %s\n\nrequire (\n", path, s.Mod.Go)
	for _, r := range all {
		fmt.Fprintf(&mod, "\t%s %s\n", r.Path, r.Version)
	}
	mod.WriteString(")\n\n")
	packages := map[string][]string{} // by module
	for _, f := range files {
		packages[p.All[f.Pkg].Module.Path] = append(packages[p.All[f.Pkg].Module.Path], f.Pkg)
	}
	for _, name := range slices.DeleteFunc(sdkPackages(), func(name string) bool { return name == comparison }) {
		packages[gocmd.SDKModule] = append(packages[gocmd.SDKModule], strings.TrimSuffix(gocmd.SDKPackage+"/"+name, "/"))
	}
	goVersion := map[string]string{gocmd.SDKModule: "1.24"}
	for _, pkg := range p.All {
		goVersion[pkg.Module.Path] = pkg.Module.GoVersion
	}
	for _, r := range all {
		line := "# " + r.Path + " " + r.Version
		if r.Replacement != "" {
			line += " => " + r.Replacement
		}
		fmt.Fprintf(&list, "%s\n## explicit", line)
		if v := goVersion[r.Path]; v != "" {
			fmt.Fprintf(&list, "; go %s", v)
		}
		list.WriteByte('\n')
		for _, pkg := range slices.Compact(packages[r.Path]) {
			fmt.Fprintln(&list, pkg)
		}
	}
	for _, r := range all {
		if r.Replacement == "" {
			continue
		}
		old := r.Path
		if !r.Wildcard {
			old += " " + r.Version
		}
		fmt.Fprintf(&mod, "replace %s => %s\n", old, r.Replacement)
		if r.Wildcard {
			fmt.Fprintf(&list, "# %s => %s\n", r.Path, r.Replacement)
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
	for _, e := range s.Mod.Exclude {
		fmt.Fprintf(&mod, "exclude %s %s\n", e.Path, e.Version)
	}
	for name, text := range map[string][]byte{"go.mod": mod.Bytes(), "go.sum": s.sum, "vendor/modules.txt": list.Bytes()} {
		if err := gocmd.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// replacement returns the right side of a directive for a go.mod in dir.
func (s Surroundings) replacement(dir string, r operator.Replace) (string, error) {
	if r.New.Version != "" {
		return r.New.Path + " " + r.New.Version, nil
	}
	return gocmd.Relative(dir, gocmd.Under(s.Dir, r.New.Path))
}

// otherReplaces returns the directives of the surroundings for modules that the project does not
// require: modules that it requires may require these.
func (s Surroundings) otherReplaces(dir string, all []Required) (lines []string, err error) {
	for _, r := range s.Mod.Replace {
		if r.Old.Path == gocmd.SDKModule || slices.ContainsFunc(all, func(q Required) bool {
			return q.Path == r.Old.Path && (r.Old.Version == "" || q.Wildcard || r.Old.Version == q.Version)
		}) {
			continue
		}
		to, err := s.replacement(dir, r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, r.Left()+" => "+to)
	}
	return lines, nil
}

// ProjectPath returns the module path of the project. Go lets a package import those in internal
// directories if its path begins as theirs does before internal.
func ProjectPath(module string, k discover.Resource) (string, error) {
	within, because := module, ""
	for _, path := range slices.Sorted(maps.Keys(Imports(k))) {
		parent, ok := beforeInternal(path)
		switch {
		case !ok || within == parent || strings.HasPrefix(within+"/", parent+"/"):
		case because == "" || strings.HasPrefix(parent+"/", within+"/"):
			within, because = parent, path
		default:
			return "", fmt.Errorf("the packages %s and %s are internal to different directories: no package can import both", because, path)
		}
	}
	return within + "/crosswalk-" + strings.ToLower(k.Name), nil
}

// beforeInternal returns the part of an import path before its last element internal.
func beforeInternal(path string) (string, bool) {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i <= 0 {
		return "", false
	}
	return path[:i-1], true
}
