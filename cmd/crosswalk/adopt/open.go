package adopt

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// load finds the module of the packages and loads them, with the packages that make converters of
// their types. The caller removes the temporary directory.
func (o Options) load(ctx context.Context) (w workplace, p *program, temporary string, err error) {
	if temporary, err = os.MkdirTemp("", "crosswalk-adopt"); err != nil {
		return w, nil, "", err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(temporary)
		}
	}()
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
	if p, err = loadAt(ctx, w); err != nil {
		return w, nil, "", err
	}
	return w, p, temporary, w.checkDirectories(p)
}

// checkDirectories reports packages that the operator's go.mod replaces by a directory: the
// published module does not have it, and go took another version.
func (w workplace) checkDirectories(p *program) error {
	for path, pkg := range p.all {
		if dir, ok := w.directory[pkg.Module.Path]; ok {
			return fmt.Errorf("the package %s is of the module %s, which the operator's go.mod replaces by the directory %s: the published module does not have this directory; clone the operator's repository and run crosswalk adopt there", path, pkg.Module.Path, dir)
		}
	}
	return nil
}
