package e2e

import (
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

// TestWatchSurvivesSwaps: a watch at the version that has to be converted sees every change, in
// order, while modules are replaced. One failed conversion would end it, and every informer's with
// it.
func TestWatchSurvivesSwaps(t *testing.T) {
	const changes, every = 60, 10 // a swap at every tenth change
	dir := modules(t, map[string][]byte{stampFile: generation(t, 0)})
	p := readyGateway(t, dir)
	crd := openCRD(stampGroup, "Stamp", "v1", "v2")
	install(t, shared.server, crd, p.URL(), p.CA)
	v1, v2 := shared.server.Resource(crd, "v1"), shared.server.Resource(crd, "v2")
	o := create(t, v1, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": stampGroup + "/v1", "kind": "Stamp", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{},
	}})
	events, err := v2.Watch(t.Context(), metav1.ListOptions{ResourceVersion: o.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	var content []byte
	for n := 1; n <= changes; n++ {
		if n%every == 0 {
			content = generation(t, n/every)
			if err := volume.Move(dir, stampFile, content); err != nil {
				t.Fatal(err)
			}
		}
		o.SetLabels(map[string]string{"change": strconv.Itoa(n)})
		if o, err = v1.Update(deadline(t), o, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if n%every == every-1 && content != nil {
			waitServing(t, p, stampFile, content)
		}
	}
	newest, ctx := 0, deadline(t)
	for n := 1; n <= changes; n++ {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				t.Fatalf("the watch ended before change %d", n)
			}
			got, is := event.Object.(*unstructured.Unstructured)
			if !is || event.Type != watch.Modified {
				t.Fatalf("instead of change %d the watch sent %s %s", n, event.Type, show(event.Object))
			}
			stamp, err := stampOf(got)
			if change := got.GetLabels()["change"]; err != nil || change != strconv.Itoa(n) || stamp < newest {
				t.Errorf("instead of change %d came change %s, stamped %d after %d: %v", n, change, stamp, newest, err)
			}
			newest = stamp
		case <-ctx.Done():
			t.Fatalf("change %d never came", n)
		}
	}
	if newest == 0 {
		t.Error("no change was converted by a new module")
	}
}
