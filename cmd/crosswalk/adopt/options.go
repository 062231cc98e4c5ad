package adopt

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Options select the conversions to adopt.
type Options struct {
	Packages []string // import paths or patterns, or path@version
	Kind     string   // Kind or Kind.group; "" means all
	Dir      string   // to write to; each of several kinds has a directory in it
	Program  string   // crosswalk, for the test; the Makefile finds it in PATH
	SetUp    string   // Go file that does the work of the operator's main before conversions; "" without
	Check    bool
	NoRun    bool // builds the module, and runs nothing
	Out      io.Writer
	Try      compare.Try
	Sources  compare.Sources // of objects to compare
}

// load finds the module of the packages and loads them, with the packages that make converters of
// their types. The caller removes the temporary directory.
func (o Options) load(ctx context.Context) (w operator.Workplace, p *operator.Program, temporary string, err error) {
	made, err := os.MkdirTemp("", "crosswalk-adopt")
	if err != nil {
		return w, nil, "", err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(made)
		}
	}()
	temporary = made
	if slices.ContainsFunc(o.Packages, hasVersion) {
		if i := slices.IndexFunc(o.Packages, func(p string) bool { return !hasVersion(p) }); i >= 0 {
			return w, nil, "", fmt.Errorf("%s has no version: name a version for all packages, or for none", o.Packages[i])
		}
		w, err = operator.Fetch(ctx, temporary, o.Packages)
	} else if w, err = operator.Local(ctx, o.Packages, temporary); err == nil {
		w, err = w.WithConverters(ctx, temporary)
	}
	if err != nil {
		return w, nil, "", err
	}
	for _, n := range w.Notes {
		fmt.Fprintf(o.Out, "note: %s\n", n)
	}
	w.SetUp = o.SetUp
	if p, err = operator.Load(ctx, w); err != nil {
		return w, nil, "", err
	}
	return w, p, temporary, checkDirectories(w, p)
}

// checkDirectories reports imports of packages that the operator's go.mod replaces by a directory:
// the published module does not have it.
func checkDirectories(w operator.Workplace, p *operator.Program) error {
	for _, path := range slices.Sorted(maps.Keys(p.All)) {
		for _, file := range p.All[path].Syntax {
			for _, spec := range file.Imports {
				for module, dir := range w.Directory {
					if imported := strings.Trim(spec.Path.Value, "`\""); strings.HasPrefix(imported+"/", module+"/") {
						return fmt.Errorf("%s (%s) imports %s, and the operator's go.mod replaces the module %s by the directory %s, which the published module does not have: clone the operator's repository and run crosswalk adopt there", path, p.At(spec.Pos()), imported, module, dir)
					}
				}
			}
		}
	}
	return nil
}
