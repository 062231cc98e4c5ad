package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	migration "k8s.io/api/storagemigration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
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

// Progress is the state of a migration.
type Progress struct {
	Text string // for people
	Done int    // objects rewritten here so far, and those that had changed or gone
}

// The API server's own migration.
const (
	migrationGroup    = "storagemigration.k8s.io"
	migrationPlural   = "storageversionmigrations"
	migrationPatience = 2 * time.Minute // until its controller must have begun
)

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

// apiVersion returns the version of the API server's own migration; "" if it has none.
func (m *storageMigration) apiVersion() (string, error) {
	client, err := discovery.NewDiscoveryClientForConfig(m.config)
	if err != nil {
		return "", err
	}
	for _, version := range []string{"v1", "v1beta1"} { // of the same form; v1alpha1 has another
		_, err := client.ServerResourcesForGroupVersion(migrationGroup + "/" + version)
		switch {
		case err == nil:
			return version, nil
		case !apierrors.IsNotFound(err):
			return "", fmt.Errorf("asking the API server for %s: %w", migrationGroup, err)
		}
	}
	return "", nil
}

// there creates a StorageVersionMigration, or finds one that is under way, and waits for it.
func (m *storageMigration) there(ctx context.Context, version string) error {
	resource := schema.GroupVersionResource{Group: migrationGroup, Version: version, Resource: migrationPlural}
	name, err := m.findOther(ctx, resource)
	if err != nil {
		return err
	}
	if name == "" {
		made, err := m.dynamic.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": migrationGroup + "/" + version, "kind": "StorageVersionMigration",
			"metadata": map[string]any{"generateName": m.crd.Spec.Names.Plural + "-"},
			"spec":     map[string]any{"resource": map[string]any{"group": m.crd.Spec.Group, "resource": m.crd.Spec.Names.Plural}},
		}}, metav1.CreateOptions{FieldManager: Manager})
		if err != nil {
			return fmt.Errorf("creating a StorageVersionMigration: %w", orRewrite(err))
		}
		name = made.GetName()
		m.Report(Progress{Text: "created storageversionmigration/" + name})
	} else {
		m.Report(Progress{Text: "waiting for storageversionmigration/" + name + ", which is under way"})
	}
	begun, last := time.Now(), ""
	said, quiet := begun, progressTime
	for {
		svm, err := read[migration.StorageVersionMigration](ctx, m.dynamic, resource, "", name)
		if err != nil {
			return fmt.Errorf("reading storageversionmigration/%s: %w", name, orRewrite(err))
		}
		conditions := svm.Status.Conditions
		if failed := meta.FindStatusCondition(conditions, string(migration.MigrationFailed)); failed != nil && failed.Status == metav1.ConditionTrue {
			return fmt.Errorf("storageversionmigration/%s failed: %s", name, failed.Message)
		}
		if meta.IsStatusConditionTrue(conditions, string(migration.MigrationSucceeded)) {
			return m.awaitPruned(ctx)
		}
		running := meta.FindStatusCondition(conditions, string(migration.MigrationRunning))
		if running != nil && running.Message != last {
			last, said = running.Message, time.Now()
			m.Report(Progress{Text: last})
		}
		if time.Since(said) > quiet {
			said, quiet = time.Now(), time.Minute
			m.Report(Progress{Text: fmt.Sprintf("%s; %s so far", waitsFor(svm), time.Since(begun).Round(time.Second))})
		}
		if running == nil && svm.Status.ResourceVersion == "" && time.Since(begun) > migrationPatience {
			return fmt.Errorf("storageversionmigration/%s was not begun within %s: the controller manager's storage-version-migrator-controller does not run; --rewrite does its work from here", name, migrationPatience)
		}
		if err := sleep(ctx, m.Poll); err != nil {
			return &Interrupted{what: "interrupted; ", How: "storageversionmigration/" + name + " goes on without this command", err: err}
		}
	}
}

// orRewrite adds the way out to an error about StorageVersionMigrations.
func orRewrite(err error) error {
	switch {
	case Forbidden(err):
		return fmt.Errorf("%w; --rewrite needs no StorageVersionMigration", err)
	case apierrors.IsNotFound(err): // discovery has just found the API
		return fmt.Errorf("%w; if a part of the API servers does not know it, because they are being upgraded, wait for the end of that, or use --rewrite", err)
	}
	return err
}

// waitsFor says what a migration waits for. Its status does not say so, and has no number of objects.
// The garbage collector can take more than a minute after a change of definitions.
func waitsFor(svm *migration.StorageVersionMigration) string {
	if svm.Status.ResourceVersion == "" {
		return "waiting for storage-version-migrator-controller to begin"
	}
	return "waiting for storage-version-migrator-controller: it waits until the garbage collector has read all objects, then rewrites them"
}

// findOther returns the name of a migration of the definition that has not ended; "" if there
// is none.
func (m *storageMigration) findOther(ctx context.Context, resource schema.GroupVersionResource) (string, error) {
	list, err := m.dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("listing StorageVersionMigrations: %w", orRewrite(err))
	}
	for i := range list.Items {
		svm, err := decode[migration.StorageVersionMigration](&list.Items[i])
		if err != nil {
			return "", err
		}
		ended := meta.IsStatusConditionTrue(svm.Status.Conditions, string(migration.MigrationSucceeded)) ||
			meta.IsStatusConditionTrue(svm.Status.Conditions, string(migration.MigrationFailed))
		if !ended && svm.Spec.Resource.Group == m.crd.Spec.Group && svm.Spec.Resource.Resource == m.crd.Spec.Names.Plural {
			return svm.Name, nil
		}
	}
	return "", nil
}

// awaitPruned waits until the control plane has removed the old versions from
// status.storedVersions.
func (m *storageMigration) awaitPruned(ctx context.Context) error {
	for deadline := time.Now().Add(migrationPatience); ; {
		now, err := m.current(ctx, m.crd)
		if err != nil {
			return err
		}
		if slices.Equal(now.Status.StoredVersions, []string{storage(now)}) {
			m.Report(Progress{Text: "all objects are stored in " + storage(now) + "; status.storedVersions is [" + storage(now) + "]"})
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the migration succeeded, and status.storedVersions of %s is still [%s]", m.crd.Name, strings.Join(now.Status.StoredVersions, ", "))
		}
		if err := sleep(ctx, m.Poll); err != nil {
			return err
		}
	}
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
