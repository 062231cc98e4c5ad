package code

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/repository"
)

// SetUpDir is the directory of the operator's module that set-up code is loaded in, as SetUpFile. It
// exists in an overlay only.
const (
	SetUpDir  = "crosswalk-set-up"
	SetUpFile = "setup.go"
)

// Placer writes positions: with the path in the operator's repository, or with the import path of a
// module beside it.
type Placer struct {
	Program  *Program
	Roots    []string          // the operator's repositories
	Own      map[string]bool   // the operator's modules
	Versions []string          // the packages of the kind's versions
	dirs     map[string]string // import paths of packages by directory
}

// NewPlacer finds the repositories of the types of a kind's versions.
func NewPlacer(p *Program, versions []*types.Named) *Placer {
	l := &Placer{Program: p, Roots: slices.Clone(p.Roots), Own: map[string]bool{}, dirs: map[string]string{}}
	for _, pkg := range p.All {
		for _, name := range pkg.GoFiles {
			l.dirs[filepath.Dir(name)] = pkg.PkgPath
		}
		if pkg.Module.Main && pkg.Module.Dir != "" {
			l.add(pkg)
		}
	}
	for _, named := range versions {
		if pkg := p.All[named.Obj().Pkg().Path()]; pkg != nil {
			l.Versions = append(l.Versions, pkg.PkgPath)
			l.add(pkg)
		}
	}
	slices.Sort(l.Roots)
	l.Roots = slices.Compact(l.Roots)
	return l
}

func (l *Placer) add(pkg *packages.Package) {
	l.Own[pkg.Module.Path] = true
	dir := pkg.Module.Dir
	if pkg.Module.Replace != nil && pkg.Module.Replace.Dir != "" {
		dir = pkg.Module.Replace.Dir
	}
	if dir == "" {
		return
	}
	if pkg.Module.Main || pkg.Module.Replace != nil { // not of the module cache
		dir = Repository(dir)
	}
	l.Roots = append(l.Roots, dir)
}

// Repository returns the directory with .git above a module's, or else the highest with a go.mod:
// main may be in another module than the types.
func Repository(dir string) string {
	highest := dir
	for top := range repository.Up(dir) {
		if repository.Is(top) {
			return top
		}
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			highest = top
		}
	}
	return highest
}

// Package returns the import path of the package at a position.
func (l *Placer) Package(p token.Pos) string {
	return l.dirs[filepath.Dir(l.Program.Fset.Position(p).Filename)]
}

// Place writes a position of the program.
func (l *Placer) Place(p token.Pos) string { return l.Name(l.Program.Fset.Position(p)) }

// Name writes the position in a file.
func (l *Placer) Name(at token.Position) string {
	file := cmp.Or(l.dirs[filepath.Dir(at.Filename)], filepath.Base(filepath.Dir(at.Filename))) + "/" + filepath.Base(at.Filename)
	for _, root := range l.Roots {
		if rest, err := filepath.Rel(root, at.Filename); err == nil && filepath.IsLocal(rest) {
			file = filepath.ToSlash(rest)
		}
	}
	if filepath.Base(filepath.Dir(at.Filename)) == SetUpDir {
		file = SetUpFile
	}
	return fmt.Sprintf("%s:%d", file, at.Line)
}
