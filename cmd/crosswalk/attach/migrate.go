package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
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

// rewrite sends an empty patch for each object of a definition. The API server then writes the
// object in the storage version, or does nothing if it has this version already. Objects that are
// created meanwhile have the storage version from the beginning.
func (m *storageMigration) rewrite(ctx context.Context, to string) error {
	if !slices.Contains(served(m.crd), to) {
		return fmt.Errorf("%s does not serve its storage version %s, so no client can rewrite the objects: serve it", m.crd.Name, to)
	}
	page := pageOf(m.crd, m.Continue)
	if m.Continue != "" && page == "" {
		m.Report(Progress{Text: "the specification of " + m.crd.Name + " was changed since the interrupted run: beginning with the first object"})
	}
	l, err := m.lister(m.crd, page)
	if err != nil {
		return err
	}
	client, err := m.metadata()
	if err != nil {
		return err
	}
	w := newWriting(m.Rate)
	// resume is the token of the page at which another run must go on: the first page with an
	// object that could not be rewritten, or else this one. A run that went on behind such an
	// object would not know of it, and remove the object's version from status.storedVersions.
	resume := l.next
	for page, err := range l.all(ctx) {
		if err != nil {
			return rewritingEnded(newToken(m.crd, resume), w.done, requested(m.crd, err, "listing "+m.crd.Name))
		}
		if err := w.page(ctx, page.Items, w.rewrite(client.Resource(objectsResource(m.crd, to)))); err != nil {
			return rewritingEnded(newToken(m.crd, resume), w.done, err)
		}
		if w.failures == 0 {
			resume = l.next
		}
		m.Report(Progress{plural.Count(w.done, "object") + " rewritten" + left(page, "left"), w.done})
	}
	return w.err(", so status.storedVersions stays as it is")
}

// rewrite returns the function that sends the empty patch for one object. An object that was changed or
// deleted since it was listed needs none.
func (w *writing) rewrite(at metadata.Getter) func(context.Context, *metav1.PartialObjectMetadata) (bool, error) {
	return func(ctx context.Context, o *metav1.PartialObjectMetadata) (bool, error) {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.UID, "resourceVersion": o.ResourceVersion}})
		if err != nil {
			return false, err
		}
		if err := w.pace.Wait(ctx); err != nil {
			return false, err
		}
		for p := new(patience); ; {
			_, err := at.Namespace(o.Namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
			if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
				return true, nil
			}
			if err := p.again(ctx, err); err == nil {
				continue
			} else if webhookDown(err.Error()) || unreached(err) {
				return false, meetsAll{fmt.Errorf("%s/%s: %w", o.Namespace, o.Name, withRemedy(err))}
			} else {
				return false, err
			}
		}
	}
}
