package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// cronTabs is the kind CronTab of the examples at an API server, converted by a gateway.
type cronTabs struct {
	crd     *apiextensions.CustomResourceDefinition
	cluster *attach.Cluster
	v1, v2  dynamic.ResourceInterface
}

func newCronTabs(t *testing.T) *cronTabs {
	t.Helper()
	var language string
	for _, l := range languages(t) {
		if language == "" || l == "c" {
			language = l
		}
	}
	p := pluginGateway(t, language)
	pluginModule(t, language, crontabFile)
	crd := pluginCRD(t, "crontab")
	install(t, shared.uncached, crd, p.URL(), shared.authority.PEM)
	cluster, err := attach.NewCluster(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	return &cronTabs{crd, cluster, shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")}
}

// apply applies a content, without force unless the manager ends with "!".
func (c *cronTabs) apply(t *testing.T, version, manager, name, content string) (*unstructured.Unstructured, error) {
	t.Helper()
	manager, force := strings.CutSuffix(manager, "!")
	o := object(t, content)
	o.SetAPIVersion("stable.example.com/" + version)
	o.SetKind("CronTab")
	o.SetName(name)
	at := map[string]dynamic.ResourceInterface{"v1": c.v1, "v2": c.v2}[version]
	return at.Apply(deadline(t), name, o, metav1.ApplyOptions{FieldManager: manager, Force: force})
}

func (c *cronTabs) mustApply(t *testing.T, version, manager, name, content string) *unstructured.Unstructured {
	t.Helper()
	o, err := c.apply(t, version, manager, name, content)
	if err != nil {
		t.Fatalf("%s applies %s at %s: %v", manager, name, version, err)
	}
	return o
}

func (c *cronTabs) patch(t *testing.T, at dynamic.ResourceInterface, manager, name, patch string, subresources ...string) {
	t.Helper()
	if _, err := at.Patch(deadline(t), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager}, subresources...); err != nil {
		t.Fatalf("%s patches %s: %v", manager, name, err)
	}
}

// change changes the definition, and waits until the API server answers accordingly.
func (c *cronTabs) change(t *testing.T, change func(*apiextensions.CustomResourceDefinition), until func() error) {
	t.Helper()
	if err := shared.uncached.Update(deadline(t), c.crd.Name, change); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the API server to follow", until)
}

// storeV2 has v2 stored.
func (c *cronTabs) storeV2(t *testing.T) {
	t.Helper()
	c.change(t, func(crd *apiextensions.CustomResourceDefinition) {
		crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
	}, func() error {
		_, _ = c.apply(t, "v2", "probe", "probe", "spec: {image: a}")
		o, err := shared.uncached.Stored(deadline(t), c.crd, "probe")
		if err == nil && o.GetAPIVersion() != "stable.example.com/v2" {
			err = fmt.Errorf("it is stored in %s", o.GetAPIVersion())
		}
		_ = c.v2.Delete(deadline(t), "probe", metav1.DeleteOptions{})
		return err
	})
}

// unserveV1 stops serving v1.
func (c *cronTabs) unserveV1(t *testing.T) {
	t.Helper()
	c.change(t, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[0].Served = false }, func() error {
		if _, err := c.v1.List(deadline(t), metav1.ListOptions{}); err == nil {
			return fmt.Errorf("v1 is served")
		}
		return nil
	})
}

// removeV1 removes v1, and spec.conversion in the same write. It waits until the API server refuses to
// apply to an object with an entry at v1.
func (c *cronTabs) removeV1(t *testing.T) {
	t.Helper()
	stale := c.mustApply(t, "v2", "probe", "probe", "spec: {image: a}")
	fields := stale.GetManagedFields()
	fields[0].APIVersion = "stable.example.com/v1"
	stale.SetManagedFields(fields)
	if err := shared.uncached.Store(deadline(t), c.crd, stale); err != nil {
		t.Fatal(err)
	}
	c.change(t, func(crd *apiextensions.CustomResourceDefinition) {
		crd.Spec.Versions = crd.Spec.Versions[1:]
		crd.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
	}, func() error {
		if _, err := c.apply(t, "v2", "other", "probe", "spec: {replicas: 1}"); err == nil || !strings.Contains(err.Error(), "invalid group/version") {
			return fmt.Errorf("applying with an entry at v1: %v", err)
		}
		return nil
	})
	if err := c.v2.Delete(deadline(t), "probe", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// entries lists the managedFields of an object as "manager operation version subresource: fields".
func entries(o *unstructured.Unstructured) []string {
	var list []string
	for _, e := range o.GetManagedFields() {
		text := fmt.Sprintf("%s %s %s %s: %s", e.Manager, e.Operation, strings.TrimPrefix(e.APIVersion, "stable.example.com/"), e.Subresource, e.FieldsV1.GetRawString())
		list = append(list, strings.Replace(text, " :", ":", 1))
	}
	slices.Sort(list)
	return list
}

// TestManagedFields asserts that managers of v1 keep their fields when v1 leaves, and that no apply
// fails afterwards.
func TestManagedFields(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
	c.patch(t, c.v1, "updater", "a", `{"spec":{"replicas":3},"metadata":{"labels":{"team":"a"}}}`)
	c.patch(t, c.v2, "updater", "a", `{"metadata":{"labels":{"zone":"b"}}}`)
	c.patch(t, c.v1, "operator", "a", `{"status":{"replicas":3}}`, "status")
	c.mustApply(t, "v2", "new", "b", "spec: {min: '1', hour: '2', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
	c.mustApply(t, "v1", "old", "b", "metadata: {labels: {app: x}}\nspec: {image: one}")
	c.storeV2(t)

	// While v1 is served, its clients write at v1 again: nothing is carried over.
	if code, output := crosswalk(t, kubeconfig(t), "migrate-storage", c.crd.Name); code != 0 || strings.Contains(output, "carried over") {
		t.Errorf("with v1 served, migrate-storage ended with %d", code)
	}
	c.unserveV1(t)
	config := kubeconfig(t)
	if code, output := crosswalk(t, config, "detach", c.crd.Name); code != 1 || !strings.Contains(output, "managedFields need the conversion: ") {
		t.Errorf("detach ended with %d", code)
	}
	code, output := crosswalk(t, config, "status", c.crd.Name)
	if code != 0 || !strings.Contains(output, "crontabs.stable.example.com   v1           old        Apply       2 ") ||
		strings.Contains(output, "with managers at several versions") { // without a list with keys, every value can be withdrawn
		t.Errorf("status ended with %d", code)
	}
	if code, output := crosswalk(t, config, "explain", c.crd.Name); code != 0 || !strings.Contains(output, "note   managedFields") {
		t.Errorf("explain ended with %d", code)
	}

	for round, want := range []string{"managedFields of 2 objects carried over to v2", "no object has managedFields at a version that is not served"} {
		if code, output := crosswalk(t, config, "migrate-storage", c.crd.Name); code != 0 || !strings.Contains(output, want) || strings.Contains(output, "dropped") {
			t.Errorf("round %d ended with %d", round, code)
		}
	}
	same(t, "the entries of a", entries(get(t, c.v2, "a")), []string{
		`old Apply v2: {"f:spec":{"f:dayOfMonth":{},"f:dayOfWeek":{},"f:hour":{},"f:image":{},"f:min":{},"f:month":{}}}`,
		`operator Update v2 status: {"f:status":{".":{},"f:replicas":{}}}`,
		`updater Update v2: {"f:metadata":{"f:labels":{".":{},"f:team":{},"f:zone":{}}},"f:spec":{"f:replicas":{}}}`,
	})
	same(t, "the entries of b", entries(get(t, c.v2, "b")), []string{
		`new Apply v2: {"f:spec":{"f:dayOfMonth":{},"f:dayOfWeek":{},"f:hour":{},"f:min":{},"f:month":{}}}`,
		`old Apply v2: {"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:image":{}}}`,
	})
	if code, output := crosswalk(t, config, "explain", c.crd.Name); code != 0 || !strings.Contains(output, "ok     managedFields") {
		t.Errorf("explain ended with %d", code)
	}

	for _, state := range []string{"attached", "detached", "removed"} {
		switch state {
		case "detached":
			if code, _ := crosswalk(t, config, "detach", c.crd.Name); code != 0 {
				t.Errorf("detach ended with %d", code)
			}
		case "removed":
			c.removeV1(t)
		}
		// The old manager owns its fields at v2: it changes one without force, and removes another by
		// leaving it out.
		c.mustApply(t, "v2", "old", "a", "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: two}")
		o := c.mustApply(t, "v2", "old", "a", "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
		if image, there, _ := unstructured.NestedString(o.Object, "spec", "image"); there {
			t.Errorf("the image that the old manager left out is %q", image)
		}
		if _, err := c.apply(t, "v2", "new", "a", "spec: {hour: '9'}"); err == nil || !strings.Contains(err.Error(), `conflict with "old"`) {
			t.Errorf("a new manager takes a field: %v", err)
		}
		c.mustApply(t, "v2", "new!", "a", "spec: {hour: '9'}")
		c.mustApply(t, "v2", "old!", "a", "spec: {min: '0', hour: '8', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: one}")
		c.mustApply(t, "v2", "new", "b", "spec: {min: '3', hour: '2', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
	}
}

// TestManagedFieldsOfRemovedVersion heals objects whose managedFields have entries at a version that
// the definition does not name any more.
func TestManagedFieldsOfRemovedVersion(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "a", "spec: {cronSpec: 0 7 * * *, image: one}")
	c.mustApply(t, "v1", "old", "b", "spec: {cronSpec: 0 7 * * *}")
	c.storeV2(t)
	if err := c.cluster.MigrateStorage(deadline(t), definition(t, c.crd.Name), attach.Migration{Rate: 1e6}); err != nil {
		t.Fatal(err)
	}
	c.removeV1(t)
	if _, err := c.apply(t, "v2", "new!", "a", "spec: {hour: '8'}"); err == nil {
		t.Fatal("an API server takes entries at a version that is gone: migrate-storage need not carry them over")
	}
	config := kubeconfig(t)
	if code, output := crosswalk(t, config, "explain", c.crd.Name); code != 1 || !strings.Contains(output, "every server-side apply of such an object fails") {
		t.Errorf("explain ended with %d", code)
	}
	if code, output := crosswalk(t, config, "migrate-storage", c.crd.Name); code != 0 || !strings.Contains(output, "default/a: old (Apply) at v1: dropped spec.cronSpec: the definition does not name v1") {
		t.Errorf("migrate-storage ended with %d", code)
	}
	same(t, "the entries", entries(get(t, c.v2, "a")), []string{`old Apply v2: {"f:spec":{"f:image":{}}}`})
	same(t, "the entries of an object without a field that is left", entries(get(t, c.v2, "b")), []string{`crosswalk Update v2: {"f:metadata":{"f:name":{}}}`})
	for _, name := range []string{"a", "b"} {
		c.mustApply(t, "v2", "new", name, "spec: {hour: '8'}")
		c.mustApply(t, "v2", "old", name, "spec: {image: two}")
	}
}

// TestManagedFieldsRespectWriters: others write while managedFields are carried over, and no write
// is lost or fails.
func TestManagedFieldsRespectWriters(t *testing.T) {
	c := newCronTabs(t)
	const objects = 30
	for i := range objects {
		name := fmt.Sprintf("cron-%d", i)
		c.mustApply(t, "v1", "old", name, "spec: {cronSpec: 0 7 * * *, image: one}")
		c.patch(t, c.v1, "updater", name, `{"metadata":{"labels":{"team":"a"}}}`)
	}
	c.storeV2(t)
	c.unserveV1(t)
	ctx, cancel := context.WithCancel(deadline(t))
	var wait sync.WaitGroup
	var replicas [objects]atomic.Int64
	for _, manager := range []string{"patcher", "old", "new"} {
		wait.Go(func() { // ends with the migration
			for i := 0; ctx.Err() == nil; i++ {
				name, whole := fmt.Sprintf("cron-%d", i%objects), context.WithoutCancel(ctx)
				var err error
				switch manager {
				case "patcher":
					_, err = c.v2.Patch(whole, name, types.MergePatchType, []byte(fmt.Sprintf(`{"spec":{"replicas":%d}}`, i)), metav1.PatchOptions{FieldManager: manager})
					replicas[i%objects].Store(int64(i))
				case "old":
					_, err = c.apply(t, "v2", manager, name, fmt.Sprintf("spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: image-%d}", i))
				case "new":
					_, err = c.apply(t, "v2", manager, name, fmt.Sprintf("metadata: {labels: {round: r%d}}", i))
				}
				if err != nil {
					t.Errorf("%s writes %s: %v", manager, name, err)
					return
				}
			}
		})
	}
	// Between the read and the write of each object, one more manager writes it.
	between := &beforePatch{do: func(name string) { c.mustApply(t, "v2", "between", name, "metadata: {annotations: {between: reads}}") }}
	config := rest.CopyConfig(shared.uncached.REST)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { between.next = next; return between })
	cluster, err := attach.NewCluster(config)
	if err != nil {
		t.Fatal(err)
	}
	err = cluster.MigrateFields(deadline(t), definition(t, c.crd.Name), attach.Migration{Rate: 1e6, Report: func(p attach.Progress) { t.Log(p.Text) }})
	cancel()
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		o := get(t, c.v2, fmt.Sprintf("cron-%d", i))
		if got, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); got != replicas[i].Load() {
			t.Errorf("%s has %d replicas, and %d were written last", o.GetName(), got, replicas[i].Load())
		}
		if list := strings.Join(entries(o), "\n"); strings.Contains(list, " v1") || !strings.Contains(list, "old Apply v2") || !strings.Contains(list, "between Apply v2") {
			t.Errorf("%s has the entries\n%s", o.GetName(), list)
		}
	}
}

// TestMigrateStorageTwice: two people migrate the same definition at once. Each run ends without an
// error, and both write each object once in all.
func TestMigrateStorageTwice(t *testing.T) {
	c := newCronTabs(t)
	const objects = 40
	for i := range objects {
		c.mustApply(t, "v1", "old", fmt.Sprintf("cron-%d", i), "spec: {cronSpec: 0 7 * * *, image: one}")
	}
	c.storeV2(t)
	c.unserveV1(t)
	var wait sync.WaitGroup
	var errs [2]error
	var done [2]int
	for i := range errs {
		wait.Go(func() {
			m := attach.Migration{Rate: 1e6, Report: func(p attach.Progress) { done[i] = p.Done }}
			if errs[i] = c.cluster.MigrateStorage(deadline(t), definition(t, c.crd.Name), m); errs[i] == nil {
				errs[i] = c.cluster.MigrateFields(deadline(t), definition(t, c.crd.Name), m)
			}
		})
	}
	wait.Wait()
	if errs[0] != nil || errs[1] != nil || done[0]+done[1] != objects {
		t.Errorf("the runs carried over %v objects, and ended with %v", done, errs)
	}
	for i := range objects {
		name := fmt.Sprintf("cron-%d", i)
		if list := strings.Join(entries(get(t, c.v2, name)), "\n"); strings.Contains(list, " v1") || !strings.Contains(list, "old Apply v2") {
			t.Errorf("%s has the entries\n%s", name, list)
		}
	}
}

// beforePatch calls do before the first PATCH of each object.
type beforePatch struct {
	next http.RoundTripper
	do   func(name string)
	done sync.Map
}

func (b *beforePatch) RoundTrip(r *http.Request) (*http.Response, error) {
	name := path.Base(r.URL.Path)
	if r.Method == http.MethodPatch {
		if _, done := b.done.LoadOrStore(name, true); !done {
			b.do(name)
		}
	}
	return b.next.RoundTrip(r)
}
