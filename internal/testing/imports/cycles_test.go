package imports

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// largestCycle is the number of files of a package that may need each other: a reader has to hold
// them in mind together.
const largestCycle = 6

// TestCycles finds the files of each package that need each other: one names a function, a method, a
// field, a type, a variable or a constant that the other declares, directly or by way of others.
func TestCycles(t *testing.T) {
	lookAt(t, root)
	var all []*packages.Package
	for _, dir := range modules() {
		all = append(all, load(t, dir)...)
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Errorf("%s: %v", p.PkgPath, p.Errors[0])
			continue
		}
		if cycle := cycleOf(filesOf(p)); len(cycle) > largestCycle {
			t.Errorf("%s has %d files that need each other, more than %d: move declarations, or give a part a package: %s", p.PkgPath, len(cycle), largestCycle, strings.Join(cycle, ", "))
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d packages were found", len(all))
	}
}

// loaded are the packages of each module: checking all types takes seconds, and two tests need them.
var loaded = map[string][]*packages.Package{}

// load returns the packages of a module, with types.
func load(t *testing.T, dir string) []*packages.Package {
	t.Helper()
	if all := loaded[dir]; all != nil {
		return all
	}
	config := &packages.Config{Dir: filepath.Join(root, dir), Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedExportFile | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax}
	all, err := packages.Load(config, "./...")
	if err != nil {
		t.Fatal(err)
	}
	loaded[dir] = all
	return all
}

// filesOf returns the files of a package, each with the files that it needs.
func filesOf(p *packages.Package) map[string][]string {
	files := map[string][]string{}
	for id, o := range p.TypesInfo.Uses {
		v, isVar := o.(*types.Var)
		if o.Pkg() != p.Types || isVar && !v.IsField() && v.Parent() != p.Types.Scope() {
			continue // of another package, or local
		}
		from, to := filepath.Base(p.Fset.Position(id.Pos()).Filename), filepath.Base(p.Fset.Position(o.Pos()).Filename)
		if from != to && !slices.Contains(files[from], to) {
			files[from] = append(files[from], to)
		}
	}
	return files
}

// cycleOf returns the largest set of files of which each needs all others.
func cycleOf(files map[string][]string) (largest []string) {
	reached := map[string]map[string]bool{}
	for file := range files {
		reached[file] = map[string]bool{}
		for queue := slices.Clone(files[file]); len(queue) > 0; {
			next := queue[0]
			queue = queue[1:]
			if !reached[file][next] {
				reached[file][next] = true
				queue = append(queue, files[next]...)
			}
		}
	}
	for file := range files {
		var cycle []string
		for other := range reached[file] {
			if reached[other][file] {
				cycle = append(cycle, other)
			}
		}
		if len(cycle) > len(largest) {
			largest = cycle
		}
	}
	slices.Sort(largest)
	return largest
}

func TestCycleOf(t *testing.T) {
	files := map[string][]string{"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
	if got, want := cycleOf(files), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
