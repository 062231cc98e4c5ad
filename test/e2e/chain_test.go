package e2e

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// Files of the two modules that convert Widgets, which have three versions.
const (
	widgetFirst  = "Widget.chain.example.com_v1alpha1_v1beta1.wasm"
	widgetSecond = "Widget.chain.example.com_v1beta1_v1.wasm"
)

// TestChain: where no module converts from one version to another, several do it together.
func TestChain(t *testing.T) {
	// The same content at each version. The second host has no place before v1.
	contents := map[string]string{
		"v1alpha1": "{colour: red, count: '3', host: a}",
		"v1beta1":  "{color: red, replicas: 3, host: a}",
		"v1":       "{appearance: {color: red}, replicas: 3, hosts: [a]}",
	}
	for _, language := range languages(t) {
		t.Run(language, func(t *testing.T) {
			first := pluginModule(t, language, widgetFirst)
			pluginModule(t, language, widgetSecond)
			p := pluginGateway(t, language)
			crd := openCRD("chain.example.com", "Widget", "v1beta1", "v1alpha1", "v1")
			install(t, shared.uncached, crd, p.URL(), p.CA)
			clients := map[string]dynamic.ResourceInterface{}
			for version := range contents {
				clients[version] = shared.uncached.Resource(crd, version)
			}
			widget := func(version, name, spec string) *unstructured.Unstructured {
				return object(t, "{apiVersion: chain.example.com/"+version+", kind: Widget, metadata: {name: "+name+"}, spec: "+spec+"}")
			}
			for written, spec := range contents {
				create(t, clients[written], widget(written, "from-"+written, spec))
				for read, want := range contents {
					got := get(t, clients[read], "from-"+written)
					same(t, "spec written at "+written+", read at "+read, got.Object["spec"], object(t, want).Object)
				}
			}
			for version, client := range clients {
				list, err := client.List(deadline(t), metav1.ListOptions{})
				if err != nil || len(list.Items) != len(contents) {
					t.Fatalf("%d objects at %s, %v", len(list.Items), version, err)
				}
				for _, o := range list.Items {
					same(t, o.GetName()+" listed at "+version, o.Object["spec"], object(t, contents[version]).Object)
				}
			}

			// Fields that v1beta1 lacks survive the way to v1alpha1 and back.
			create(t, clients["v1"], widget("v1", "more", "{hosts: [a, b, c]}"))
			more := get(t, clients["v1alpha1"], "more")
			more.Object["spec"].(map[string]any)["colour"] = "blue"
			if _, err := clients["v1alpha1"].Update(deadline(t), more, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			got := get(t, clients["v1"], "more")
			same(t, "spec after a change at v1alpha1", got.Object["spec"], object(t, "{appearance: {color: blue}, hosts: [a, b, c]}").Object)
			if len(got.GetAnnotations()) != 0 {
				t.Errorf("annotations at v1: %v", got.GetAnnotations())
			}

			// A refusal on the way says where on the way.
			_, err := clients["v1alpha1"].Create(deadline(t), widget("v1alpha1", "bad", "{count: many}"), metav1.CreateOptions{})
			want := "cannot convert object 0 (default/bad) of Widget.chain.example.com from v1alpha1 to v1beta1: "
			if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), " [refused by module "+signed(widgetFirst, first)+"]") {
				t.Errorf("the user reads\n\t%v\nwhich should contain\n\t%s", err, want)
			}
		})
	}
}
