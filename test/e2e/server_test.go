package e2e

import (
	"context"
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// puppets installs the kind Puppet, stored at v1, on the API server without a watch cache: one bad
// object would make a cache start over again and again. It returns clients for both versions, and
// the gateway.
func puppets(t *testing.T, reviewVersions ...string) (v1, v2 dynamic.ResourceInterface, p *gateway.Process) {
	t.Helper()
	p = readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA, reviewVersions...)
	return shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2"), p
}

// create creates an object and removes it when the test ends.
func create(t *testing.T, client dynamic.ResourceInterface, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	created, err := client.Create(deadline(t), o, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("creating %s at %s: %v", o.GetName(), o.GetAPIVersion(), err)
	}
	return created
}

// get reads an object.
func get(t *testing.T, client dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	got, err := client.Get(deadline(t), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
	return got
}

// same compares two values by their printed form.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := show(got), show(want); g != w {
		t.Errorf("%s is\n%s\nand should be\n%s", what, indent(g), indent(w))
	}
}

func indent(s string) string { return "\t" + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n\t") }

// TestServerOffences asserts, for all offences of modules, that the user of a real API server reads
// the gateway's message.
func TestServerOffences(t *testing.T) {
	v1, v2, _ := puppets(t)
	module := signed(puppetFile, guest(t, "puppet"))
	create(t, v1, puppet("v1", "good", ""))
	for _, o := range offences() {
		t.Run(o.name, func(t *testing.T) {
			t.Log("docs/spec/faults.md:", o.row)
			bad := create(t, v1, puppet("v1", "bad", o.script))
			_, err := v2.Get(deadline(t), "bad", metav1.GetOptions{})
			clean(t, err, "v1", o.message(bad, module))
			get(t, v2, "good") // and closes the breaker
			if err := v1.Delete(deadline(t), "bad", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefusalReachesEveryVerb is upstream's failure-message case: the module's message reaches the
// user of every verb.
func TestRefusalReachesEveryVerb(t *testing.T) {
	const words = `spec.schedule: "every day" is not five fields`
	for _, reviews := range []string{"v1", "v1beta1"} {
		t.Run(reviews, func(t *testing.T) {
			v1, v2, _ := puppets(t, reviews)
			bad := create(t, v1, puppet("v1", "bad", script('1', words)))
			atV2 := puppet("v2", "bad", script('1', words))
			atV2.SetResourceVersion(bad.GetResourceVersion())
			patch := []byte(`{"spec":{"x":1},"status":{"x":1}}`)
			update, patching := metav1.UpdateOptions{}, metav1.PatchOptions{}
			verbs := map[string]func(context.Context) error{
				"get":    func(ctx context.Context) error { _, err := v2.Get(ctx, "bad", metav1.GetOptions{}); return err },
				"list":   func(ctx context.Context) error { _, err := v2.List(ctx, metav1.ListOptions{}); return err },
				"update": func(ctx context.Context) error { _, err := v2.Update(ctx, atV2, update); return err },
				"patch": func(ctx context.Context) error {
					_, err := v2.Patch(ctx, "bad", types.MergePatchType, patch, patching)
					return err
				},
				"apply": func(ctx context.Context) error {
					o := puppet("v2", "bad", script('1', words))
					_, err := v2.Apply(ctx, "bad", o, metav1.ApplyOptions{FieldManager: "test", Force: true})
					return err
				},
				"get status": func(ctx context.Context) error {
					_, err := v2.Get(ctx, "bad", metav1.GetOptions{}, "status")
					return err
				},
				"update status": func(ctx context.Context) error { _, err := v2.UpdateStatus(ctx, atV2, update); return err },
				"patch status": func(ctx context.Context) error {
					_, err := v2.Patch(ctx, "bad", types.MergePatchType, patch, patching, "status")
					return err
				},
				"delete": func(ctx context.Context) error { return v2.Delete(ctx, "bad", metav1.DeleteOptions{}) },
				"deletecollection": func(ctx context.Context) error {
					return v2.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
				},
				"create": func(ctx context.Context) error {
					_, err := v2.Create(ctx, puppet("v2", "another", script('1', words)), metav1.CreateOptions{})
					return err
				},
			}
			for verb, do := range verbs {
				t.Run(verb, func(t *testing.T) {
					err := do(deadline(t))
					if err == nil {
						t.Fatal("it succeeded")
					}
					want := `: cannot convert object 0 (default/bad) of Puppet.puppet.example.com from v1 to v2: ` + words
					if verb == "create" {
						want = `: cannot convert object 0 (default/another) of Puppet.puppet.example.com from v2 to v1: ` + words
					}
					want += " [refused by module " + signed(puppetFile, guest(t, "puppet")) + "]"
					if !strings.HasSuffix(err.Error(), want) {
						t.Errorf("the user reads\n\t%v\nwhich should end\n\t%s", err, want)
					}
				})
			}
			get(t, v1, "bad") // nothing of that deleted it
		})
	}
}

// meddling is an answer that changes everything in metadata that a module could want to change, and
// name, namespace and uid not.
const meddling = `{"metadata":{
	"labels":{"keep":"me","added":"label"},
	"annotations":{"added":"annotation"},
	"generation":99,"resourceVersion":"1","creationTimestamp":"1999-01-01T00:00:00Z","generateName":"x-","selfLink":"/x",
	"deletionTimestamp":"1999-01-01T00:00:00Z","deletionGracePeriodSeconds":1,
	"finalizers":["example.com/never"],"managedFields":[],"garbage":{"a":1},
	"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"b"}]},
	"spec":{"done":true}}`

// TestMetadataMutation is upstream's metadata-mutating case: labels and annotations that a module
// changes arrive, and nothing else does.
func TestMetadataMutation(t *testing.T) {
	for _, reviews := range []string{"v1", "v1beta1"} {
		t.Run(reviews, func(t *testing.T) {
			v1, v2, p := puppets(t, reviews)
			original := create(t, v1, puppet("v1", "mutation", script('0', meddling)))
			want := metadata(original)
			want["labels"] = map[string]any{"keep": "me", "added": "label"}
			want["annotations"] = map[string]any{"added": "annotation"}

			got := get(t, v2, "mutation")
			same(t, "metadata read", metadata(got), want)
			same(t, "spec read", got.Object["spec"], map[string]any{"done": true})
			list, err := v2.List(deadline(t), metav1.ListOptions{})
			if err != nil || len(list.Items) != 1 {
				t.Fatalf("%d objects, %v", len(list.Items), err)
			}
			same(t, "metadata listed", metadata(&list.Items[0]), want)

			// The other way: an object created at v2 is stored at v1.
			create(t, v2, puppet("v2", "mutation-2", script('0', meddling)))
			stored, err := shared.uncached.Stored(deadline(t), openCRD(puppetGroup, "Puppet", "v1", "v2"), "mutation-2")
			if err != nil {
				t.Fatal(err)
			}
			now := metadata(stored)
			same(t, "labels stored", now["labels"], want["labels"])
			same(t, "annotations stored", now["annotations"], want["annotations"])
			same(t, "generation stored", now["generation"], 1)
			for _, field := range []string{"finalizers", "ownerReferences", "garbage", "deletionTimestamp", "selfLink", "generateName"} {
				if value, there := now[field]; there {
					t.Errorf("metadata.%s is stored: %v", field, value)
				}
			}
			if restored := metric(t, p, "crosswalk_metadata_restored_objects_total"); restored < 3 {
				t.Errorf("crosswalk_metadata_restored_objects_total is %v after 3 conversions", restored)
			}
		})
	}
}

func metadata(o *unstructured.Unstructured) map[string]any {
	return maps.Clone(o.Object["metadata"].(map[string]any))
}

// TestLabelsOfAnswers asserts that the user sees the labels of a module's answer, and that an
// answer without metadata changes none.
func TestLabelsOfAnswers(t *testing.T) {
	v1, v2, _ := puppets(t)
	kept, none := map[string]string{"keep": "me"}, map[string]string{}
	for _, test := range []struct {
		name, answer string
		want         map[string]string
	}{
		{"no metadata", `{}`, kept},
		{"metadata without labels", `{"metadata":{}}`, none},
		{"labels that are null", `{"metadata":{"labels":null}}`, none},
		{"no labels", `{"metadata":{"labels":{}}}`, none},
		{"the same labels", `{"metadata":{"labels":{"keep":"me"}}}`, kept},
		{"other labels", `{"metadata":{"labels":{"keep":"you","é.example.com":"no"}}}`, nil},
		{"a label changed", `{"metadata":{"labels":{"keep":"you"}}}`, map[string]string{"keep": "you"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := strings.ReplaceAll(test.name, " ", "-")
			create(t, v1, puppet("v1", name, script('0', test.answer)))
			got, err := v2.Get(deadline(t), name, metav1.GetOptions{})
			if test.want == nil {
				clean(t, err, "v1", "cannot convert object 0 (default/"+name+") of Puppet.puppet.example.com from v1 to v2: module "+
					signed(puppetFile, guest(t, "puppet"))+` broke the conversion contract: its answer has an invalid metadata.labels["é.example.com"]: `)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if labels := got.GetLabels(); !maps.Equal(labels, test.want) {
				t.Errorf("labels %v, want %v", labels, test.want)
			}
		})
	}
}

// TestUIDMutation is upstream's metadata-uid-mutating case.
func TestUIDMutation(t *testing.T) {
	_, v2, _ := puppets(t)
	_, err := v2.Create(deadline(t), puppet("v2", "mutation", script('0', `{"metadata":{"uid":"other"}}`)), metav1.CreateOptions{})
	clean(t, err, "v2", "cannot convert object 0 (default/mutation) of Puppet.puppet.example.com from v2 to v1: module "+
		signed(puppetFile, guest(t, "puppet"))+" broke the conversion contract: its answer changes metadata.uid; ")
}

// TestNoRoute: the user of a version that no module knows reads which modules there are.
func TestNoRoute(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2", "v3")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "a", ""))
	_, err := shared.uncached.Resource(crd, "v3").Get(deadline(t), "a", metav1.GetOptions{})
	clean(t, err, "v1", "no module converts Puppet.puppet.example.com from v1 to v3; loaded: v1⇄v2 ("+puppetFile+"); none supports version v3")
}
