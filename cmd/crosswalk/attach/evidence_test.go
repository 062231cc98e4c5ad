package attach

import (
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestRecordOfMigration: the record of a migration covers the definition that it was made of, and changes
// of the tool's own that leave the storage version. It covers no other change.
func TestRecordOfMigration(t *testing.T) {
	crd := pools(t)
	crd.ObjectMeta = metav1.ObjectMeta{Name: "pools.example.com", UID: "1", Generation: 7, Annotations: map[string]string{MigratedAnnotation: "1/7/v2"}}
	for _, test := range []struct {
		name   string
		change func(*apiextensions.CustomResourceDefinition)
		want   bool
	}{
		{"none", func(*apiextensions.CustomResourceDefinition) {}, true},
		{"the status", func(crd *apiextensions.CustomResourceDefinition) { crd.Status.StoredVersions = []string{"v2"} }, true},
		{"the specification", func(crd *apiextensions.CustomResourceDefinition) { crd.Generation++ }, false},
		{"another definition of the name", func(crd *apiextensions.CustomResourceDefinition) { crd.UID = "2" }, false},
		{"the storage version", func(crd *apiextensions.CustomResourceDefinition) { storeAt(crd, "v1") }, false},
		{"no record", func(crd *apiextensions.CustomResourceDefinition) { crd.Annotations = nil }, false},
	} {
		changed := crd.DeepCopy()
		test.change(changed)
		if got := recorded(changed); got != test.want {
			t.Errorf("after a change of %s, the record counts: %v", test.name, got)
		}
		if page := pageOf(changed, newToken(crd, "page")); test.name != "no record" && (page == "page") != test.want {
			t.Errorf("after a change of %s, a run goes on at %q", test.name, page)
		}
	}

	for version, want := range map[string]string{"v2": "1/8/v2", "v1": "1/7/v2"} {
		after := crd.DeepCopy()
		storeAt(after, version)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(after)
		if err != nil {
			t.Fatal(err)
		}
		o := &unstructured.Unstructured{Object: content}
		if err := keepRecord(crd, o); err != nil {
			t.Fatal(err)
		}
		if got := o.GetAnnotations()[MigratedAnnotation]; got != want {
			t.Errorf("with the storage version %s, the record is %q, want %q", version, got, want)
		}
	}
}

func storeAt(crd *apiextensions.CustomResourceDefinition, version string) {
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == version
	}
}
