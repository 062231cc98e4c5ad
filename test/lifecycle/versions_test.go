package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

const objects = 120

// TestLifeOfADefinition takes a definition from v1 to v2, as docs/use/migrate.md describes, while
// clients read, write and apply server-side. No request of a client fails, and managers that applied
// at v1 own their fields at v2.
func TestLifeOfADefinition(t *testing.T) {
	// 0. One version.
	l := begin(t)
	at, d, name, binary, kubeconfig := l.at, l.definitions, l.name, l.binary, l.kubeconfig
	for i := range objects {
		l.create(t, cronTab(i))
	}
	load := newLoad(t)
	load.add("v1", at("v1"), "old", "old!")

	// 1. The new version, unserved, and the gateway.
	output := l.attach(t)
	if !strings.Contains(output, "CronTab.stable.example.com v2 can be served: it is converted from and to v1") {
		t.Error("attach did not test the unserved version")
	}
	// 2. Serve both.
	l.serve(t)
	eventually.Succeeds(t, "v2 is served", func() error {
		o, err := at("v2").Get(deadline(t), "cron-7", metav1.GetOptions{})
		if err != nil {
			return err
		}
		hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
		return errorf(hour == "7", "spec.hour is %q", hour)
	})
	load.add("v2", at("v2"), "new", "new!")
	selected := func() error {
		list, err := at("v2").List(deadline(t), metav1.ListOptions{FieldSelector: "spec.hour=7"})
		if err != nil {
			return err
		}
		return errorf(len(list.Items) == objects/24, "the selector finds %d objects", len(list.Items))
	}
	eventually.Succeeds(t, "a field selector at the converted version", selected)
	tool(t, binary, kubeconfig, "explain", name)
	load.run(2 * time.Second)

	// 3. Store the new version, and migrate the stored objects. retire stops there while clients
	// write at v1.
	tool(t, binary, kubeconfig, "plan", name, "--remove", "v1", "--idle", "0s")
	retire := []string{"retire", name, "v1", "--yes", "--rate", "500"}
	output = toolFails(t, binary, kubeconfig, append(retire, "--idle", "1h")...)
	for _, want := range []string{"objects rewritten", "all objects are stored in v2; status.storedVersions is [v2]", "6  BLOCKED  stop serving v1", "old (Apply) at v1: "} {
		if !strings.Contains(output, want) {
			t.Errorf("the output does not contain %q", want)
		}
	}
	if got := d.get(t, name).Status.StoredVersions; !slices.Equal(got, []string{"v2"}) {
		t.Errorf("status.storedVersions is %q", got)
	}
	load.run(2 * time.Second)
	eventually.Succeeds(t, "a field selector at the stored version", selected)

	// 4. Remove the old version when its clients have moved.
	load.remove("v1")
	load.add("moved", at("v2"), "old", "old!")
	load.run(2 * time.Second)
	toolFails(t, binary, kubeconfig, "detach", name) // v1 is served
	output = tool(t, binary, kubeconfig, append(retire, "--idle", "0s")...)
	if !strings.Contains(output, "8  DONE     remove v1") {
		t.Error("v1 was not removed")
	}
	if now := d.get(t, name); len(now.Spec.Versions) != 1 || now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Errorf("the definition has %d versions and %+v", len(now.Spec.Versions), now.Spec.Conversion)
	}
	load.run(5 * time.Second)
	tool(t, binary, kubeconfig, "status", name)

	requests, failed := load.stop()
	t.Logf("%d requests, %d failed", requests, len(failed))
	if requests < 100 {
		t.Errorf("only %d requests", requests)
	}
	for _, f := range failed[:min(len(failed), 10)] {
		t.Error(f)
	}
	for i := range objects {
		o, err := at("v2").Get(deadline(t), fmt.Sprintf("cron-%d", i), metav1.GetOptions{})
		must(t, err)
		if hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour"); hour != fmt.Sprint(i%24) {
			t.Errorf("cron-%d has the hour %q", i, hour)
		}
		for _, e := range o.GetManagedFields() {
			if e.APIVersion != "stable.example.com/v2" {
				t.Errorf("cron-%d has an entry of %s at %s", i, e.Manager, e.APIVersion)
			}
		}
		// The old manager owns its fields of v1 at v2: it removes its label by leaving it out.
		o, err = at("v2").Apply(deadline(t), o.GetName(), applied(i, 0, "", "v2"), metav1.ApplyOptions{FieldManager: "old"})
		must(t, err)
		if _, there := o.GetLabels()["old"]; there {
			t.Errorf("cron-%d has the labels %v after the old manager left its own out", i, o.GetLabels())
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cronTab(i int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": fmt.Sprintf("cron-%d", i)},
		"spec": map[string]any{"cronSpec": fmt.Sprintf("0 %d * * *", i%24), "image": "image", "replicas": int64(1)},
	}}
}

// applied is the fragment that a manager applies in a round: the schedule, which all managers have
// alike, and a label of its own. A manager with force ("!") also sets the number of replicas, which
// others set, too.
func applied(i, round int, manager, version string) *unstructured.Unstructured {
	spec := map[string]any{"cronSpec": fmt.Sprintf("0 %d * * *", i%24)}
	if version != "v1" {
		spec = map[string]any{"min": "0", "hour": fmt.Sprint(i % 24), "dayOfMonth": "*", "month": "*", "dayOfWeek": "*"}
		version = "v2"
	}
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/" + version, "kind": "CronTab", "metadata": map[string]any{"name": fmt.Sprintf("cron-%d", i)}, "spec": spec,
	}}
	if name, force := strings.CutSuffix(manager, "!"); force {
		spec["replicas"] = int64(round % 3)
	} else if name != "" {
		o.SetLabels(map[string]string{name: fmt.Sprintf("r%d", round)})
	}
	return o
}

// load is clients that read, list and write at some versions until they are told to stop.
type load struct {
	ctx     context.Context
	cancel  context.CancelFunc
	clients map[string]context.CancelFunc
	wait    sync.WaitGroup

	mu       sync.Mutex
	requests int
	failed   []string
}

func newLoad(t *testing.T) *load {
	l := &load{clients: map[string]context.CancelFunc{}}
	l.ctx, l.cancel = context.WithCancel(t.Context())
	t.Cleanup(l.cancel)
	return l
}

// add starts the clients of a version, and managers that apply at it, with force if their name ends
// with "!".
func (l *load) add(version string, at dynamic.ResourceInterface, managers ...string) {
	ctx, cancel := context.WithCancel(l.ctx)
	ended := make(chan struct{})
	l.clients[version] = func() {
		cancel()
		<-ended
	}
	l.wait.Go(func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("cron-%d", i%objects)
			// A request that has begun is finished: it is the end of the client, and not a failure,
			// that ends the loop.
			whole := context.WithoutCancel(ctx)
			_, err := at.Get(whole, name, metav1.GetOptions{})
			l.count(version, "get", err)
			patch := fmt.Sprintf(`{"spec":{"image":"image-%d"}}`, i)
			_, err = at.Patch(whole, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			l.count(version, "patch", err)
			for _, manager := range managers {
				name, force := strings.CutSuffix(manager, "!")
				_, err = at.Apply(whole, fmt.Sprintf("cron-%d", i%objects), applied(i%objects, i, manager, version), metav1.ApplyOptions{FieldManager: name, Force: force})
				l.count(version, "apply by "+manager, err)
			}
			if i%10 == 0 {
				_, err = at.List(whole, metav1.ListOptions{})
				l.count(version, "list", err)
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

// remove ends the clients of a version.
func (l *load) remove(version string) {
	l.clients[version]()
	delete(l.clients, version)
}

// run lets the clients work for a while.
func (l *load) run(d time.Duration) { time.Sleep(d) }

func (l *load) count(version, verb string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if err != nil {
		l.failed = append(l.failed, fmt.Sprintf("%s at %s: %v", verb, version, err))
	}
}

// stop ends all clients.
func (l *load) stop() (requests int, failed []string) {
	l.cancel()
	l.wait.Wait()
	return l.requests, l.failed
}
