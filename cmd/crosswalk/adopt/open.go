package adopt

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// load finds the module of the packages and loads them, with the packages that make converters of
// their types. The caller removes the temporary directory.
func (o Options) load(ctx context.Context) (w workplace, p *program, temporary string, err error) {
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
		w, err = fetch(ctx, temporary, o.Packages)
	} else if w, err = local(ctx, o.Packages, temporary); err == nil {
		w, err = w.withConverters(ctx, temporary)
	}
	if err != nil {
		return w, nil, "", err
	}
	for _, n := range w.notes {
		fmt.Fprintf(o.Out, "note: %s\n", n)
	}
	w.setUp = o.SetUp
	if p, err = loadAt(ctx, w); err != nil {
		return w, nil, "", err
	}
	return w, p, temporary, w.checkDirectories(p)
}

// checkDirectories reports imports of packages that the operator's go.mod replaces by a directory:
// the published module does not have it.
func (w workplace) checkDirectories(p *program) error {
	for _, path := range slices.Sorted(maps.Keys(p.All)) {
		for _, file := range p.All[path].Syntax {
			for _, spec := range file.Imports {
				for module, dir := range w.directory {
					if imported := strings.Trim(spec.Path.Value, "`\""); strings.HasPrefix(imported+"/", module+"/") {
						return fmt.Errorf("%s (%s) imports %s, and the operator's go.mod replaces the module %s by the directory %s, which the published module does not have: clone the operator's repository and run crosswalk adopt there", path, p.at(spec.Pos()), imported, module, dir)
					}
				}
			}
		}
	}
	return nil
}
