package attach

import (
	"context"
	"errors"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Migration says how MigrateStorage is to work.
type Migration struct {
	Rate     float64 // objects a second that are written; must be positive
	Continue string  // where an interrupted run was, from its error
	// Report receives the progress, one line at a time. It may be nil.
	Report func(Progress)
}

// MigrateStorage has every stored object of a definition written in the storage version, by an empty patch
// for each, and then removes all other versions from status.storedVersions. It is done if a run covers all
// that the definition was up to the end of that run: status.storedVersions is not evidence.
func (c *Cluster) MigrateStorage(ctx context.Context, crd *apiextensions.CustomResourceDefinition, m Migration) error {
	if m.Report == nil {
		m.Report = func(Progress) {}
	}
	for attempt := 1; ; attempt++ {
		run := &storageMigration{&c.reader, crd, m}
		err := run.all(ctx)
		if !errors.Is(err, errChanged) || attempt == maxRetries {
			return err
		}
		m.Report(Progress{Text: "the specification of " + crd.Name + " was changed meanwhile: rewriting the objects again"})
		m.Continue = ""
		if crd, err = c.current(ctx, crd); err != nil {
			return err
		}
	}
}

// errChanged is the cause if the specification of a definition changed during a migration. The storage
// version may have been another one for a moment, and objects of that moment have it.
var errChanged = errors.New("somebody goes on changing the specification while the objects are rewritten, so objects of another version may be among them: wait for the end of that, then run the command again")

// storageMigration is one run over all objects.
type storageMigration struct {
	*reader
	crd *apiextensions.CustomResourceDefinition
	Migration
}

func (m *storageMigration) all(ctx context.Context) error {
	to := storage(m.crd)
	if migrated(m.crd) {
		m.Report(Progress{Text: "all objects are stored in " + to})
		return nil
	}
	if recorded(m.crd) {
		return m.finish(ctx)
	}
	// An object that is stored in a version which the definition does not name cannot be read, let alone
	// rewritten; of others, a write would take the managedFields of removed versions away, on old API servers.
	if len(named(m.crd)) == 1 {
		if _, err := m.survey(ctx, m.crd, &progress{}); err != nil {
			return err
		}
		return m.finish(ctx)
	}
	// Objects that an API server writes in another version from now on would not be found again.
	if err := m.follow(ctx, m.crd, m.Report, stores(m.crd, to)); err != nil {
		return err
	}
	if err := m.rewrite(ctx, to); err != nil {
		return err
	}
	return m.finish(ctx)
}

// finish records the run, and removes all versions but one from status.storedVersions, if the
// specification is still the one that the run began with. If others write the definition meanwhile, it
// looks again.
func (m *storageMigration) finish(ctx context.Context) error {
	to := storage(m.crd)
	for attempt := 1; ; attempt++ {
		now, err := m.current(ctx, m.crd)
		if err != nil {
			return err
		}
		if err := m.unchanged(now); err != nil {
			return err
		}
		what := "noted in the annotation " + MigratedAnnotation
		switch {
		case migrated(now):
			m.Report(Progress{Text: "all objects are stored in " + to + "; status.storedVersions is [" + to + "]"})
			return nil
		case !recorded(now):
			err = m.record(ctx, now)
		default:
			what = "noted in status.storedVersions"
			err = m.prune(ctx, now)
		}
		if err == nil && attempt < maxConflicts {
			continue
		}
		again, failed := m.current(ctx, m.crd)
		if failed != nil || again.ResourceVersion == now.ResourceVersion || attempt >= maxConflicts {
			if err == nil {
				err = errors.New("somebody goes on changing it back")
			}
			return fmt.Errorf("all objects of %s are rewritten, but that could not be %s: %w", m.crd.Name, what, err)
		}
	}
}

// unchanged is nil if a definition is still what it was at the begin of the run.
func (m *storageMigration) unchanged(now *apiextensions.CustomResourceDefinition) error {
	switch {
	case storage(now) != storage(m.crd):
		return fmt.Errorf("the storage version of %s changed from %s to %s meanwhile: run the migration again", m.crd.Name, storage(m.crd), storage(now))
	case now.Generation != m.crd.Generation:
		return fmt.Errorf("%s: %w", m.crd.Name, errChanged)
	}
	return nil
}

// prune removes all versions but one from status.storedVersions, unless somebody has written the
// definition since it was read.
func (m *storageMigration) prune(ctx context.Context, now *apiextensions.CustomResourceDefinition) error {
	_, err := m.send(ctx, crdResource, m.crd.Name, types.JSONPatchType, []map[string]any{
		{"op": "test", "path": "/metadata/resourceVersion", "value": now.ResourceVersion},
		{"op": "replace", "path": "/status/storedVersions", "value": []string{storage(now)}},
	}, metav1.PatchOptions{FieldManager: Manager}, "status")
	return err
}

// ErrObjects is the cause if objects could not be rewritten.
var ErrObjects = errors.New("some objects could not be rewritten")
