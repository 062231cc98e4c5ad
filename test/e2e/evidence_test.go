package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// storedAt counts the objects that etcd has at a version.
func storedAt(t *testing.T, crd *apiextensions.CustomResourceDefinition, version string, names ...string) (n int) {
	t.Helper()
	for _, name := range names {
		o, err := shared.uncached.Stored(deadline(t), crd, name)
		if err != nil {
			t.Fatal(err)
		}
		if o.GetAPIVersion() == crd.Spec.Group+"/"+version {
			n++
		}
	}
	return n
}

// storeIn has the API server store new objects of a definition in a version, and waits for that.
func storeIn(t *testing.T, crd *apiextensions.CustomResourceDefinition, version string) {
	t.Helper()
	err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) {
		for i := range crd.Spec.Versions {
			crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == version
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	waitStored(t, crd, version)
}

// createPuppets creates puppets at v1, and returns their names.
func createPuppets(t *testing.T, crd *apiextensions.CustomResourceDefinition, prefix string, count int) (names []string) {
	t.Helper()
	for i := range count {
		names = append(names, fmt.Sprintf("%s-%d", prefix, i))
		create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", names[i], ""))
	}
	return names
}

// claim writes into the status that all objects are stored in v2.
func claim(t *testing.T, crd *apiextensions.CustomResourceDefinition) {
	t.Helper()
	_, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Patch(deadline(t), crd.Name, types.MergePatchType,
		[]byte(`{"status":{"storedVersions":["v2"]}}`), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
}

// TestMigrationAfterEditedStatus: somebody edits status.storedVersions by hand, which shows no rewritten
// object. The plan and retire do not believe it, and both ways to migrate rewrite the objects.
func TestMigrationAfterEditedStatus(t *testing.T) {
	crd := storePuppets(t, 30)
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("object-%d", i))
	}
	storeInV2(t, crd)
	claim(t, crd)
	config := kubeconfig(t)
	same(t, "the plan", states(t, config, "plan", crd.Name, "--remove", "v1", "--idle", "0s"),
		"conversion DONE, objects DONE, serve DONE, store DONE, migrate READY, unserve BLOCKED, managedFields BLOCKED, remove BLOCKED")
	code, output := crosswalk(t, config, "migrate-storage", crd.Name)
	if n := storedAt(t, crd, "v2", names...); code != 0 || n != 30 || !strings.Contains(output, "all objects are stored in v2; status.storedVersions is [v2]") {
		t.Errorf("migrate-storage ended with %d, and %d objects are stored in v2", code, n)
	}
	same(t, "the plan after a migration", states(t, config, "plan", crd.Name), "conversion DONE, objects DONE, serve DONE, store DONE, migrate DONE")

	// The same again, with a version that came and went since.
	storeIn(t, crd, "v1")
	late := createPuppets(t, crd, "late", 5)
	storeIn(t, crd, "v2")
	claim(t, crd)
	code, _ = crosswalk(t, config, "retire", crd.Name, "v1", "--idle", "0s", "--yes")
	if n := storedAt(t, crd, "v2", append(names, late...)...); code != 0 || n != 35 {
		t.Errorf("retire ended with %d, and %d objects are stored in v2", code, n)
	}
	list, err := shared.uncached.Resource(crd, "v2").List(deadline(t), metav1.ListOptions{})
	if err != nil || len(list.Items) != 35 {
		t.Errorf("the list at v2: %v", err)
	}
}

// TestMigrationMeetsOtherStorageVersion: while objects are rewritten, v1 is the storage version for a
// moment. The objects of that moment are rewritten, too.
func TestMigrationMeetsOtherStorageVersion(t *testing.T) {
	const objects = 600 // more than a page
	crd := storePuppets(t, objects)
	cluster := storeInV2(t, crd)
	var late []string
	err := cluster.MigrateStorage(deadline(t), definition(t, crd.Name), attach.Migration{Rate: 1e6, Report: func(p attach.Progress) {
		t.Log(p.Text)
		if p.Done == 0 || late != nil {
			return
		}
		storeIn(t, crd, "v1")
		late = createPuppets(t, crd, "a-late", 20) // on a page that the run has behind it
		storeIn(t, crd, "v2")
	}})
	if n := storedAt(t, crd, "v2", late...); err != nil || n != 20 {
		t.Errorf("the migration ended with %v, and %d of %d late objects are stored in v2", err, n, len(late))
	}
}

// TestMigrationContinuedAfterRollback: a run is interrupted, v1 is the storage version again for a time,
// and a run with the token of the first begins anew.
func TestMigrationContinuedAfterRollback(t *testing.T) {
	crd := storePuppets(t, 600)
	cluster := storeInV2(t, crd)
	ctx, cancel := context.WithCancel(deadline(t))
	err := cluster.MigrateStorage(ctx, definition(t, crd.Name), attach.Migration{Rate: 1e6, Report: func(p attach.Progress) {
		if p.Done > 0 {
			cancel() // after the first page
		}
	}})
	var interrupted *attach.Interrupted
	if !errors.As(err, &interrupted) || interrupted.Continue == "" {
		t.Fatalf("interrupted after a page: %v", err)
	}
	storeIn(t, crd, "v1")
	late := createPuppets(t, crd, "a-late", 20)
	storeIn(t, crd, "v2")
	code, output := crosswalk(t, kubeconfig(t), "migrate-storage", "--rate", "1000000", "--continue", interrupted.Continue, crd.Name)
	const begins = "the specification of puppets.puppet.example.com was changed since the interrupted run: beginning with the first object"
	if n := storedAt(t, crd, "v2", late...); code != 0 || n != 20 || !strings.Contains(output, begins) {
		t.Errorf("the second run ended with %d, and %d of %d late objects are stored in v2", code, n, len(late))
	}
}

// TestStoredVersionRemoved: the definition does not name the version of the stored objects any more. Every
// command says the same remedy, and the remedy brings the objects back.
func TestStoredVersionRemoved(t *testing.T) {
	crd := storePuppets(t, 3)
	storeInV2(t, crd)
	claim(t, crd)
	v1 := definition(t, crd.Name).Spec.Versions[0]
	update := func(change func(*apiextensions.CustomResourceDefinition)) {
		t.Helper()
		if err := shared.uncached.Update(deadline(t), crd.Name, change); err != nil {
			t.Fatal(err)
		}
	}
	update(func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions = crd.Spec.Versions[1:] })
	list := func() (int, error) {
		list, err := shared.uncached.Resource(crd, "v2").List(deadline(t), metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		return len(list.Items), nil
	}
	eventually.Succeeds(t, "the API server to forget v1", func() error {
		if _, err := list(); err == nil {
			return errors.New("the objects can be listed")
		}
		return nil
	})
	config := kubeconfig(t)
	const remedy = "puppets.puppet.example.com does not name v1, in which these objects are stored: add v1 to spec.versions again, with its schema and served: false, then crosswalk migrate-storage puppets.puppet.example.com"
	for code, commands := range map[int][][]string{
		0: {{"status"}},
		1: {{"explain"}, {"plan"}, {"plan", "--remove", "v1"}},
		2: {{"migrate-storage"}},
	} {
		for _, args := range commands {
			if got, output := crosswalk(t, config, append(args, crd.Name)...); got != code || !strings.Contains(output, remedy) || strings.Contains(output, "all objects are stored in v2") {
				t.Errorf("crosswalk %q ended with %d, want %d", args, got, code)
			}
		}
	}
	if code, output := crosswalk(t, config, "retire", "--yes", crd.Name, "v1"); code != 1 || !strings.Contains(output, remedy) {
		t.Errorf("retire ended with %d", code)
	}
	v1.Served, v1.Storage = false, false
	update(func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions = append(crd.Spec.Versions, v1) })
	eventually.Succeeds(t, "the API server to know v1 again", func() error { _, err := list(); return err })
	code, _ := crosswalk(t, config, "migrate-storage", crd.Name)
	if n := storedAt(t, crd, "v2", "object-0", "object-1", "object-2"); code != 0 || n != 3 {
		t.Errorf("the remedy ended with %d, and %d objects are stored in v2", code, n)
	}
}
