package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

const lampDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.lamp.example.com}
spec:
  group: lamp.example.com
  scope: Namespaced
  names: {kind: Lamp, listKind: LampList, plural: lamps, singular: lamp}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}}
`

// lampModule compiles rules that show two colors of v1 at v2.
func lampModule(t *testing.T, red, green string) []byte {
	t.Helper()
	dir := t.TempDir()
	crd, rules, module := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "Lamp.lamp.example.com_v1_v2.wasm")
	for file, text := range map[string]string{crd: lampDefinition, rules: fmt.Sprintf(
		"group: lamp.example.com\nkind: Lamp\nconversions:\n- from: v1\n  to: v2\n  rules:\n  - {translate: spec.color, values: [[red, %q], [green, %q]]}\n", red, green)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _ := tool(t, "compile", "--crd", crd, "-o", module, rules); code != 0 {
		t.Fatal("the rules do not compile")
	}
	content, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestRefresh: a swap repairs a module that mistook red for green. A controller whose informer still has
// the previous module's answer writes it back through the new module, and the stored red becomes green.
// After refresh it cannot: the API server lists what it reads, and watches have ended. Nothing else of
// the definition has changed.
func TestRefresh(t *testing.T) {
	const file = "Lamp.lamp.example.com_v1_v2.wasm"
	wrong, right := lampModule(t, "#00ff00", "#ff0000"), lampModule(t, "#ff0000", "#00ff00")
	dir := modules(t, map[string][]byte{file: wrong})
	p := readyGateway(t, dir)
	crd, err := apiserver.ParseCRD([]byte(lampDefinition))
	if err != nil {
		t.Fatal(err)
	}
	install(t, shared.server, crd, p.URL(), p.CA)
	v1, v2 := shared.server.Resource(crd, "v1"), shared.server.Resource(crd, "v2")
	for _, name := range []string{"a", "b"} {
		create(t, v1, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "lamp.example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": name}, "spec": map[string]any{"color": "red"}}})
	}
	color := func(o *unstructured.Unstructured) string {
		text, _, _ := unstructured.NestedString(o.Object, "spec", "color")
		return text
	}
	listed := func(client dynamic.ResourceInterface) map[string]*unstructured.Unstructured { // as an informer lists
		t.Helper()
		list, err := client.List(deadline(t), metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			t.Fatal(err)
		}
		objects := map[string]*unstructured.Unstructured{"": {Object: list.Object}}
		for i := range list.Items {
			objects[list.Items[i].GetName()] = &list.Items[i]
		}
		return objects
	}
	labelled := func(o *unstructured.Unstructured) string { // as a controller that labels its informer's copy
		t.Helper()
		o.SetLabels(map[string]string{"seen": "yes"})
		if _, err := v2.Update(deadline(t), o, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		stored, err := shared.server.Stored(deadline(t), crd, o.GetName())
		if err != nil {
			t.Fatal(err)
		}
		return color(stored)
	}
	config := kubeconfig(t)
	crosswalk := func(command string) (int, string) {
		return tool(t, command, crd.Name, "--kubeconfig", config, "--context", "second")
	}
	informed := listed(v2)
	events, err := v2.Watch(t.Context(), metav1.ListOptions{ResourceVersion: informed[""].GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if err := volume.Move(dir, file, right); err != nil {
		t.Fatal(err)
	}
	waitServing(t, p, file, right)
	if got, list := color(get(t, v2, "a")), listed(v2); got != "#ff0000" || color(list["a"]) != "#00ff00" {
		t.Fatalf("after the swap GET has %q and LIST %q: this API server has no cache that refresh is for", got, color(list["a"]))
	} else if stored := labelled(list["b"]); stored != "green" {
		t.Fatalf("a label on the informer's copy left %q", stored)
	}
	if code, output := crosswalk("explain"); code != 1 || !strings.Contains(output, "LIST differs from GET for 1, such as default/a") || !strings.Contains(output, "remedy: crosswalk refresh lamps.lamp.example.com\n") {
		t.Errorf("explain ended with %d", code)
	}

	before := recordedDefinition(t, crd.Name)
	if code, output := crosswalk("refresh"); code != 0 || !strings.Contains(output, "LIST differs from GET for 1, such as default/a\n") || !strings.Contains(output, "refreshed") {
		t.Errorf("refresh ended with %d", code)
	}
	if list := listed(v2); color(list["a"]) != "#ff0000" {
		t.Errorf("LIST still has %q", color(list["a"]))
	} else if stored := labelled(list["a"]); stored != "red" {
		t.Errorf("a label on the informer's copy left %q", stored)
	}
	version, ended := informed[""].GetResourceVersion(), deadline(t)
	for open := true; open; {
		select {
		case event, more := <-events.ResultChan():
			if open = more; more {
				o, ok := event.Object.(*unstructured.Unstructured)
				if !ok {
					t.Fatalf("the watch has %s %s", event.Type, show(event.Object))
				}
				version = o.GetResourceVersion()
			}
		case <-ended.Done():
			t.Fatal("the watch goes on")
		}
	}
	if events, err = v2.Watch(deadline(t), metav1.ListOptions{ResourceVersion: version}); err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if event := <-events.ResultChan(); event.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
		t.Errorf("an informer goes on with its old copies: %s %s", event.Type, show(event.Object))
	}
	if code, _ := crosswalk("explain"); code != 0 {
		t.Errorf("explain ended with %d", code)
	}
	after := lampCRD(t)
	same(t, "the specification", after.Spec, before.Spec)
	same(t, "the owners of fields", after.ManagedFields, before.ManagedFields)
	if got, want := after.Annotations[attach.MigratedAnnotation], fmt.Sprintf("%s/%d/v1", after.UID, after.Generation); got != want || after.Generation == before.Generation {
		t.Errorf("the record of a migration is %s, want %s", got, want)
	}
	if code, output := crosswalk("refresh"); code != 0 || strings.Contains(output, "differs") {
		t.Errorf("another refresh ended with %d", code)
	}
}

func lampCRD(t *testing.T) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd, err := shared.server.CRDs.ApiextensionsV1().CustomResourceDefinitions().Get(deadline(t), "lamps.lamp.example.com", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// recordedDefinition notes a migration in the definition, as migrate-storage does.
func recordedDefinition(t *testing.T, name string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	err := shared.server.Update(deadline(t), name, func(crd *apiextensions.CustomResourceDefinition) {
		crd.Annotations = map[string]string{attach.MigratedAnnotation: fmt.Sprintf("%s/%d/v1", crd.UID, crd.Generation)}
	})
	if err != nil {
		t.Fatal(err)
	}
	return lampCRD(t)
}
