package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Migration says how MigrateStorage is to work.
type Migration struct {
	Rewrite  bool          // rewrite the objects here, even if the API server could do it
	Rate     float64       // objects a second that are rewritten here; must be positive
	Continue string        // where an interrupted run was, from its error
	Poll     time.Duration // interval of looking at the API server's own migration; 0 = 1 s
	// Report receives the progress, one line at a time. It may be nil.
	Report func(Progress)
}

// MigrateStorage has every stored object of a definition written in the storage version, and then
// removes all other versions from status.storedVersions. It uses a StorageVersionMigration where
// the API server has this API, because the control plane then does the work; else it sends an empty
// patch for each object.
func (c *Cluster) MigrateStorage(ctx context.Context, crd *apiextensions.CustomResourceDefinition, m Migration) error {
	if m.Report == nil {
		m.Report = func(Progress) {}
	}
	if m.Poll == 0 {
		m.Poll = time.Second
	}
	to := storage(crd)
	if slices.Equal(crd.Status.StoredVersions, []string{to}) {
		m.Report(Progress{Text: "all objects are stored in " + to})
		return nil
	}
	// Objects that an API server writes in another version from now on would not be found again.
	if err := c.follow(ctx, crd, m.Report, stores(crd, to)); err != nil {
		return err
	}
	run := &storageMigration{&c.reader, crd, m}
	if !m.Rewrite {
		version, err := run.apiVersion()
		if err != nil {
			return err
		}
		if version != "" {
			return run.there(ctx, version)
		}
		m.Report(Progress{Text: "the API server has no " + migrationGroup + ": rewriting the objects from here"})
	}
	if err := run.here(ctx, to); err != nil {
		return err
	}
	return run.prune(ctx, to)
}

// storageMigration is one run of MigrateStorage.
type storageMigration struct {
	*reader
	crd *apiextensions.CustomResourceDefinition
	Migration
}

// prune removes all versions but one from status.storedVersions, if that is still the storage
// version. If others write the definition meanwhile, it looks again.
func (m *storageMigration) prune(ctx context.Context, to string) error {
	now, err := m.current(ctx, m.crd)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if storage(now) != to {
			return fmt.Errorf("the storage version of %s changed from %s to %s meanwhile: run the migration again", m.crd.Name, to, storage(now))
		}
		if slices.Equal(now.Status.StoredVersions, []string{to}) {
			break // somebody else has done it
		}
		patch, err := json.Marshal([]map[string]any{
			{"op": "test", "path": "/metadata/resourceVersion", "value": now.ResourceVersion},
			{"op": "replace", "path": "/status/storedVersions", "value": []string{to}},
		})
		if err != nil {
			return err
		}
		_, err = m.dynamic.Resource(crdResource).Patch(ctx, m.crd.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: Manager}, "status")
		if err == nil {
			break
		}
		again, failed := m.current(ctx, m.crd)
		if failed != nil || again.ResourceVersion == now.ResourceVersion || attempt == maxRetries {
			return fmt.Errorf("all objects are rewritten, but status.storedVersions of %s could not be changed: %w", m.crd.Name, err)
		}
		now = again
	}
	m.Report(Progress{Text: "all objects are stored in " + to + "; status.storedVersions is [" + to + "]"})
	return nil
}

// ErrObjects is the cause if objects could not be rewritten.
var ErrObjects = errors.New("some objects could not be rewritten")
