package adopt

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// setUpDir is the directory of the operator's module that set-up code is loaded in. It exists in an
// overlay only.
const (
	setUpDir  = "crosswalk-set-up"
	setUpFile = "setup.go"
)

// placer writes positions: with the path in the operator's repository, or with the import path of a
// module beside it.
type placer struct {
	p     *base
	roots []string // the operator's repositories
	own   map[string]bool
	dirs  map[string]string // import paths of packages by directory
}

// newPlacer finds the repositories of the types of a kind's versions.
func newPlacer(p *base, versions []*types.Named) *placer {
	l := &placer{p: p, own: map[string]bool{}, dirs: map[string]string{}}
	for _, pkg := range p.all {
		for _, name := range pkg.GoFiles {
			l.dirs[filepath.Dir(name)] = pkg.PkgPath
		}
		if pkg.Module.Main && pkg.Module.Dir != "" {
			l.add(pkg)
		}
	}
	for _, named := range versions {
		if pkg := p.all[named.Obj().Pkg().Path()]; pkg != nil {
			l.add(pkg)
		}
	}
	slices.Sort(l.roots)
	l.roots = slices.Compact(l.roots)
	return l
}

func (l *placer) add(pkg *packages.Package) {
	l.own[pkg.Module.Path] = true
	dir := pkg.Module.Dir
	if pkg.Module.Replace != nil && pkg.Module.Replace.Dir != "" {
		dir = pkg.Module.Replace.Dir
	}
	if dir == "" {
		return
	}
	if pkg.Module.Main || pkg.Module.Replace != nil { // not of the module cache
		dir = repository(dir)
	}
	l.roots = append(l.roots, dir)
}

// repository returns the directory with .git above a module's, or else the highest with a go.mod:
// main may be in another module than the types.
func repository(dir string) string {
	highest := dir
	for top := dir; top != filepath.Dir(top); top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
			return top
		}
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			highest = top
		}
	}
	return highest
}

// pkg returns the import path of the package at a position.
func (l *placer) pkg(p token.Pos) string { return l.dirs[filepath.Dir(l.p.fset.Position(p).Filename)] }

func (l *placer) place(p token.Pos) string { return l.name(l.p.fset.Position(p)) }

func (l *placer) name(at token.Position) string {
	file := cmp.Or(l.dirs[filepath.Dir(at.Filename)], filepath.Base(filepath.Dir(at.Filename))) + "/" + filepath.Base(at.Filename)
	for _, root := range l.roots {
		if rest, err := filepath.Rel(root, at.Filename); err == nil && filepath.IsLocal(rest) {
			file = filepath.ToSlash(rest)
		}
	}
	if filepath.Base(filepath.Dir(at.Filename)) == setUpDir {
		file = setUpFile
	}
	return fmt.Sprintf("%s:%d", file, at.Line)
}
