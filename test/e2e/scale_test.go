package e2e

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// replicas returns what the subresource scale of an object says.
func replicas(o *unstructured.Unstructured) int64 {
	n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	return n
}

// TestScale reads and writes /scale at a version that is not stored. The API server converts the whole
// object for it: one that converts is scaled, and one that does not is refused with the module's words
// and stays as it is; at its stored version it is scaled without a conversion.
func TestScale(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Subresources.Scale = &apiextensions.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
	}
	install(t, shared.uncached, crd, p.URL(), p.CA)
	v1, v2 := shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")
	for name, script := range map[string]string{"good": "", "bad": script('1', "no replicas in v2")} {
		o := puppet("v1", name, script)
		if err := unstructured.SetNestedField(o.Object, int64(2), "spec", "replicas"); err != nil {
			t.Fatal(err)
		}
		create(t, v1, o)
	}
	scale := func(at dynamic.ResourceInterface, name string) (int64, error) {
		o, err := at.Patch(deadline(t), name, types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{}, "scale")
		if err != nil {
			return 0, err
		}
		return replicas(o), nil
	}
	read := func(at dynamic.ResourceInterface, name string) (int64, error) {
		o, err := at.Get(deadline(t), name, metav1.GetOptions{}, "scale")
		if err != nil {
			return 0, err
		}
		return replicas(o), nil
	}
	for _, step := range []struct {
		name, object string
		does         func(dynamic.ResourceInterface, string) (int64, error)
		at           dynamic.ResourceInterface
		want         int64 // 0: refused
	}{
		{"read at v2", "good", read, v2, 2},
		{"write at v2", "good", scale, v2, 5},
		{"read at v1", "good", read, v1, 5},
		{"read at v2", "bad", read, v2, 0},
		{"write at v2", "bad", scale, v2, 0},
		{"read at v1", "bad", read, v1, 2},
		{"write at v1", "bad", scale, v1, 5},
	} {
		n, err := step.does(step.at, step.object)
		refused := err != nil && strings.Contains(err.Error(), "no replicas in v2 [refused by module "+puppetFile)
		if n != step.want || refused != (step.want == 0) || err != nil && !refused {
			t.Errorf("%s of %s: %d, %v", step.name, step.object, n, err)
		}
	}
	if n := replicas(get(t, v1, "bad")); n != 5 {
		t.Errorf("the object at its stored version has %d replicas", n)
	}
}

// TestDowngrade takes a definition back from v2 to v1 with an object that was born at v2: it is converted,
// stored in v1, and readable once v2 is gone.
func TestDowngrade(t *testing.T) {
	crd := storePuppets(t, 1)
	storeInV2(t, crd)
	create(t, shared.uncached.Resource(crd, "v2"), puppet("v2", "born", script('0', `{"spec":{"by":"conversion"}}`)))
	if n := storedAt(t, crd, "v2", "born"); n != 1 {
		t.Fatal("the object is not stored in v2")
	}
	code, _ := crosswalk(t, kubeconfig(t), "retire", crd.Name, "v2", "--idle", "0s", "--yes")
	now := definition(t, crd.Name)
	if len(now.Spec.Versions) != 1 || now.Spec.Versions[0].Name != "v1" || storedAt(t, crd, "v1", "born", "object-0") != 2 {
		t.Errorf("retire ended with %d, the definition is\n%s", code, show(now.Spec))
	}
	o := get(t, shared.uncached.Resource(crd, "v1"), "born")
	same(t, "the spec", o.Object["spec"], map[string]any{"by": "conversion"})
	if code != 0 || o.GetUID() == "" || o.GetLabels()["keep"] != "me" {
		t.Errorf("retire ended with %d, and the object is\n%s", code, show(o.Object))
	}
}
