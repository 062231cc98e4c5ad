package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	migration "k8s.io/api/storagemigration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/discovery"
)

// The API server's own migration.
const (
	migrationGroup    = "storagemigration.k8s.io"
	migrationPlural   = "storageversionmigrations"
	migrationPatience = 2 * time.Minute // until its controller must have begun
)

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

// there creates a StorageVersionMigration, and waits for it. It finds the one that an earlier run made, if
// the definition has not changed since. One of somebody else may have begun before a change.
func (m *storageMigration) there(ctx context.Context, version string) error {
	resource := schema.GroupVersionResource{Group: migrationGroup, Version: version, Resource: migrationPlural}
	name, err := m.find(ctx, resource, func(svm *migration.StorageVersionMigration) bool {
		return svm.Annotations[MigratedAnnotation] == history(m.crd) && !holds(svm, migration.MigrationFailed)
	})
	if err != nil {
		return err
	}
	if name == "" {
		made, err := m.dynamic.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": migrationGroup + "/" + version, "kind": "StorageVersionMigration",
			"metadata": map[string]any{"generateName": m.crd.Spec.Names.Plural + "-", "annotations": map[string]any{MigratedAnnotation: history(m.crd)}},
			"spec":     map[string]any{"resource": map[string]any{"group": m.crd.Spec.Group, "resource": m.crd.Spec.Names.Plural}},
		}}, metav1.CreateOptions{FieldManager: Manager})
		if err != nil {
			return fmt.Errorf("creating a StorageVersionMigration: %w", orRewrite(err))
		}
		name = made.GetName()
		m.Report(Progress{Text: "created storageversionmigration/" + name})
	} else {
		m.Report(Progress{Text: "waiting for storageversionmigration/" + name + ", which an earlier run created"})
	}
	begun, last := time.Now(), ""
	lines := &progress{report: m.Report, quiet: progressTime, last: begun}
	for {
		svm, err := read[migration.StorageVersionMigration](ctx, m.dynamic, resource, "", name)
		switch {
		case Forbidden(err) || apierrors.IsNotFound(err):
			return fmt.Errorf("reading storageversionmigration/%s: %w", name, orRewrite(err))
		case err != nil:
			return goesOn(name, "reading its status: ", err)
		}
		// Somebody may delete or change the definition, or another run may do the work.
		now, err := m.current(ctx, m.crd)
		switch {
		case ctx.Err() != nil:
			return goesOn(name, "", ctx.Err())
		case err != nil || migrated(now):
			return err
		}
		if err := m.unchanged(now); err != nil {
			return err
		}
		conditions := svm.Status.Conditions
		if failed := meta.FindStatusCondition(conditions, string(migration.MigrationFailed)); failed != nil && failed.Status == metav1.ConditionTrue {
			return fmt.Errorf("storageversionmigration/%s failed: %s; another run creates another one, and --rewrite needs none", name, failed.Message)
		}
		if holds(svm, migration.MigrationSucceeded) {
			return m.awaitPruned(ctx)
		}
		running := meta.FindStatusCondition(conditions, string(migration.MigrationRunning))
		if running != nil && running.Message != last {
			last, lines.last = running.Message, time.Now()
			m.Report(Progress{Text: last})
		}
		if lines.line(func() Progress {
			return Progress{Text: fmt.Sprintf("%s; %s so far", m.waitsFor(ctx, svm), time.Since(begun).Round(time.Second))}
		}) {
			lines.quiet = time.Minute
		}
		if running == nil && time.Since(begun) > migrationPatience {
			if err := m.pending(ctx, resource, name); err != nil {
				return err
			}
		}
		if err := sleep(ctx, m.Poll); err != nil {
			return goesOn(name, "", err)
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

// goesOn is the error of a run that no longer waits for a migration. doing begins it, unless the user
// ended the run.
func goesOn(name, doing string, err error) error {
	what := doing + err.Error()
	if errors.Is(err, context.Canceled) {
		what = "interrupted"
	}
	return &Interrupted{what: what + "; ", How: "storageversionmigration/" + name + " goes on without this command: run it again to wait for the end", err: err}
}

// waitsFor says what a migration waits for. Its status does not say so, nor how many objects are done.
// The controller begins when the garbage collector has read all objects since the last change of the
// definition; until then it looks after pauses that double. It writes one object after another.
func (m *storageMigration) waitsFor(ctx context.Context, svm *migration.StorageVersionMigration) string {
	const waiting = "waiting for storage-version-migrator-controller"
	if svm.Status.ResourceVersion == "" {
		return waiting + " to begin"
	}
	written, looked, err := m.writtenSince(ctx, svm.Status.ResourceVersion)
	switch {
	case err != nil:
		return fmt.Sprintf("%s; the objects cannot be listed now: %v", waiting, err)
	case written == 0:
		return waiting + ": it waits until the garbage collector has read all objects, then rewrites them"
	}
	return fmt.Sprintf("%s: %d of the first %d objects are rewritten", waiting, written, looked)
}

// writtenSince counts the objects that the controller or a client wrote after a resourceVersion, and so
// in the storage version. It looks at one page: the controller writes the objects in no order, so that
// the page shows how far it is.
func (m *storageMigration) writtenSince(ctx context.Context, resourceVersion string) (written, looked int, err error) {
	l, err := m.lister(m.crd, "")
	if err != nil {
		return 0, 0, err
	}
	page, err := l.list(ctx, l.limit)
	if err != nil {
		return 0, 0, err
	}
	for i := range page.Items {
		after, err := resourceversion.CompareResourceVersion(page.Items[i].ResourceVersion, resourceVersion)
		if err != nil {
			return 0, 0, err
		}
		if after > 0 {
			written++
		}
	}
	return written, len(page.Items), nil
}

// holds reports whether a migration has a condition.
func holds(svm *migration.StorageVersionMigration, c migration.MigrationConditionType) bool {
	return meta.IsStatusConditionTrue(svm.Status.Conditions, string(c))
}

// find returns the name of a migration of the definition that is as asked for; "" if there is none.
func (m *storageMigration) find(ctx context.Context, resource schema.GroupVersionResource, is func(*migration.StorageVersionMigration) bool) (string, error) {
	list, err := m.dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("listing StorageVersionMigrations: %w", orRewrite(err))
	}
	for i := range list.Items {
		svm, err := decode[migration.StorageVersionMigration](&list.Items[i])
		if err != nil {
			return "", err
		}
		if svm.Spec.Resource.Group == m.crd.Spec.Group && svm.Spec.Resource.Resource == m.crd.Spec.Names.Plural && is(svm) {
			return svm.Name, nil
		}
	}
	return "", nil
}

// pending returns an error if a migration is not begun although no other one of the definition comes
// first.
func (m *storageMigration) pending(ctx context.Context, resource schema.GroupVersionResource, name string) error {
	first, err := m.find(ctx, resource, func(other *migration.StorageVersionMigration) bool {
		return other.Name != name && holds(other, migration.MigrationRunning) && !holds(other, migration.MigrationSucceeded) && !holds(other, migration.MigrationFailed)
	})
	if first == "" && err == nil {
		err = fmt.Errorf("storageversionmigration/%s was not begun within %s: the controller manager's storage-version-migrator-controller does not run; --rewrite does its work from here", name, migrationPatience)
	}
	return err
}

// awaitPruned waits until the control plane has removed the old versions from status.storedVersions, as it
// does after a migration. A user then needs no right to do so. It leaves the versions if somebody changed
// the definition while it rewrote the objects.
func (m *storageMigration) awaitPruned(ctx context.Context) error {
	for deadline := time.Now().Add(migrationPatience); ; {
		now, err := m.current(ctx, m.crd)
		if err != nil || onlyStored(now, storage(now)) || m.unchanged(now) != nil {
			return err
		}
		ended := slices.ContainsFunc(now.Status.Conditions, func(c apiextensions.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensions.StorageMigrating && c.Status == apiextensions.ConditionFalse && c.Reason == "MigrationSucceeded"
		})
		if ended || time.Now().After(deadline) {
			return nil
		}
		if err := sleep(ctx, m.Poll); err != nil {
			return err
		}
	}
}
