package operator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

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
