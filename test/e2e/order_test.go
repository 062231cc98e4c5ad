package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// TestOrderOfLists asserts that a list comes back in its order although it is a map in the other
// version, and the API server, which the map passes through, sorts its members.
func TestOrderOfLists(t *testing.T) {
	for _, language := range languages(t) {
		t.Run(language, func(t *testing.T) {
			pluginModule(t, language, "Environment.platform.example.com_v1alpha1_v1.wasm")
			p := pluginGateway(t, language)
			crd := openCRD("platform.example.com", "Environment", "v1", "v1alpha1")
			install(t, shared.uncached, crd, p.URL(), p.CA)
			clients := map[string]dynamic.ResourceInterface{}
			for _, version := range []string{"v1", "v1alpha1"} {
				clients[version] = shared.uncached.Resource(crd, version)
			}
			const spec = "{variables: [{name: b, value: x}, {name: a, value: w}], volumes: [{name: ab}, {name: a}]}"
			create(t, clients["v1"], object(t, "{apiVersion: platform.example.com/v1, kind: Environment, metadata: {name: lists}, spec: "+spec+"}"))
			update := func(change func(spec map[string]any)) {
				read := get(t, clients["v1alpha1"], "lists")
				change(read.Object["spec"].(map[string]any))
				if _, err := clients["v1alpha1"].Update(deadline(t), read, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			update(func(spec map[string]any) { spec["image"] = "shop" })
			got := get(t, clients["v1"], "lists").Object["spec"].(map[string]any)
			delete(got, "image")
			same(t, "spec after an update at v1alpha1", got, object(t, spec).Object)

			// An edit of the map drops the order, and not the edit.
			update(func(spec map[string]any) { spec["variables"].(map[string]any)["c"] = "z" })
			got = get(t, clients["v1"], "lists").Object["spec"].(map[string]any)
			delete(got, "image")
			same(t, "spec after an edit of a map at v1alpha1", got,
				object(t, "{variables: [{name: a, value: w}, {name: b, value: x}, {name: c, value: z}], volumes: [{name: ab}, {name: a}]}").Object)
		})
	}
}
