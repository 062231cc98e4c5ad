package attach

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	clienttest "k8s.io/client-go/testing"
)

// TestForget: three writes change conversionReviewVersions, change it back, and give the fields back to
// their owners. If the controller or cert-manager writes in between, that write stays.
func TestForget(t *testing.T) {
	owned := func(by, version string) string {
		return `{"metadata":{"managedFields":[` + by + `],"resourceVersion":"` + version + `","uid":"u"}}`
	}
	const (
		mark   = `{"metadata":{"resourceVersion":"1","uid":"u"},"spec":{"conversion":{"webhook":{"conversionReviewVersions":["v1","crosswalk-refresh"]}}}}`
		unmark = `{"metadata":{"annotations":{"crosswalk-gateway.github.io/migrated":"u/3/v1"},"resourceVersion":"2","uid":"u"},"spec":{"conversion":{"webhook":{"conversionReviewVersions":["v1"]}}}}`
		other  = `{"metadata":{"resourceVersion":"8","uid":"u"},"spec":{"conversion":{"webhook":{"conversionReviewVersions":["v1"]}}}}`
		theirs = `{"manager":"flux","operation":"Apply","apiVersion":"apiextensions.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}`
		after  = `{"manager":"cainjector","operation":"Apply","apiVersion":"apiextensions.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}`
	)
	forbidden := apierrors.NewForbidden(crdResource.GroupResource(), "pools.example.com", nil)
	conflict := apierrors.NewConflict(crdResource.GroupResource(), "pools.example.com", nil)
	for _, test := range []struct {
		name   string
		before []string // conversionReviewVersions
		fails  map[int]error
		want   []string
		err    bool
	}{
		{"nobody else writes", []string{"v1"}, nil, []string{mark, unmark, owned(theirs, "3")}, false},
		{"an interrupted run left its version", []string{"v1", unknownReview}, nil, []string{mark, unmark, owned(theirs, "3")}, false},
		{"another writer is faster", []string{"v1"}, map[int]error{2: conflict}, []string{mark, unmark, other, owned(after, "4")}, false},
		{"another writer is faster at last", []string{"v1"}, map[int]error{3: conflict}, []string{mark, unmark, owned(theirs, "3"),
			owned(after, "8")}, false},
		{"no right to write", []string{"v1"}, map[int]error{1: forbidden}, []string{mark}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			entry := func(manager string) metav1.ManagedFieldsEntry {
				return metav1.ManagedFieldsEntry{APIVersion: "apiextensions.k8s.io/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`), Manager: manager, Operation: metav1.ManagedFieldsOperationApply}
			}
			crd := &apiextensions.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
			crd.ObjectMeta = metav1.ObjectMeta{Name: "pools.example.com", UID: "u", ResourceVersion: "1", Generation: 1, ManagedFields: []metav1.ManagedFieldsEntry{entry("flux")}}
			crd.Spec.Versions = []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
			crd.Annotations = map[string]string{MigratedAnnotation: history(crd)}
			crd.Spec.Conversion = Gateway{URL: "https://example.com"}.Stanza()
			crd.Spec.Conversion.Webhook.ConversionReviewVersions = test.before
			server := func(version string, generation int64) *unstructured.Unstructured {
				now := crd.DeepCopy()
				now.ResourceVersion, now.Generation, now.ManagedFields = version, generation, []metav1.ManagedFieldsEntry{entry("cainjector"), entry(refreshManager)}
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(now)
				if err != nil {
					t.Fatal(err)
				}
				return &unstructured.Unstructured{Object: content}
			}
			var got []string
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{crdResource: "CustomResourceDefinitionList"})
			client.PrependReactor("patch", "*", func(a clienttest.Action) (bool, runtime.Object, error) {
				got = append(got, string(a.(clienttest.PatchActionImpl).GetPatch()))
				if err := test.fails[len(got)]; err != nil {
					return true, nil, err
				}
				return true, server(string(rune('1'+len(got))), int64(len(got)+1)), nil
			})
			client.PrependReactor("get", "*", func(clienttest.Action) (bool, runtime.Object, error) { return true, server("8", 9), nil })
			if _, err := (refresher{ForClient(client)}).forget(t.Context(), crd); (err != nil) != test.err || !slices.Equal(got, test.want) {
				t.Errorf("%v, writes\n%s, want\n%s", err, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestWatchesGoOn: a client whose watch goes on after API servers forgot has old copies. They forget
// again, three times at most, and refresh says if it was in vain. If somebody removes the webhook
// meanwhile, LIST equals GET, and refresh does not report that.
func TestWatchesGoOn(t *testing.T) {
	expires := apierrors.NewResourceExpired("too old resource version").Status()
	for _, test := range []struct {
		name    string
		expires int // the watch that ends with 410
		watches []string
		checks  []Result // before, after, watches
		removed bool
	}{
		{"it lists again", 2, []string{"5", "6"}, []Result{Passed, Passed, Passed}, false},
		{"an object changed in that second", 4, []string{"5", "6", "7", "8"}, []Result{Passed, Passed, Passed}, false},
		{"objects change all the time", 0, []string{"5", "6", "7", "8", "9", "10"}, []Result{Passed, Passed, Failed}, false},
		{"somebody removes the webhook", 2, []string{"5", "6"}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crd := &apiextensions.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}, ObjectMeta: metav1.ObjectMeta{Name: "pools.example.com", UID: "u"}}
				crd.Spec.Group, crd.Spec.Names = "example.com", apiextensions.CustomResourceDefinitionNames{Plural: "pools", Kind: "Pool"}
				crd.Spec.Versions = []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
				crd.Spec.Conversion = Gateway{URL: "https://example.com"}.Stanza()
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
				if err != nil {
					t.Fatal(err)
				}
				client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{objectsResource(crd, "v1"): "PoolList"})
				client.PrependReactor("list", "pools", func(clienttest.Action) (bool, runtime.Object, error) {
					list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "PoolList"}}
					list.SetResourceVersion("5")
					return true, list, nil
				})
				client.PrependReactor("patch", "*", func(clienttest.Action) (bool, runtime.Object, error) {
					return true, &unstructured.Unstructured{Object: content}, nil
				})
				client.PrependReactor("get", "*", func(clienttest.Action) (bool, runtime.Object, error) {
					now := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
					if test.removed {
						unstructured.RemoveNestedField(now.Object, "spec", "conversion")
					}
					return true, now, nil
				})
				var got []string
				client.PrependWatchReactor("*", func(a clienttest.Action) (bool, watch.Interface, error) {
					got = append(got, a.(clienttest.WatchActionImpl).WatchRestrictions.ResourceVersion)
					events := watch.NewFakeWithChanSize(1, false)
					if len(got) == test.expires {
						events.Error(&expires)
					} else {
						o := &unstructured.Unstructured{}
						o.SetResourceVersion(strconv.Itoa(5 + len(got)))
						events.Modify(o)
					}
					events.Stop()
					return true, events, nil
				})
				out, err := Refresh(t.Context(), newCluster(client, &rest.Config{}), &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}})
				var checks []Result
				for _, c := range out.Checks {
					checks = append(checks, c.Result)
				}
				if (err != nil) != test.removed || !slices.Equal(checks, test.checks) || !slices.Equal(got, test.watches) {
					t.Errorf("%v, %v; watches from %q, want %q", out.Checks, err, got, test.watches)
				}
			})
		})
	}
}
