package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestPolicyKeepsStanza replaces an attached definition in all the ways that others do, on a full
// API server with deploy/controller/restore.yaml and without the controller. The stanza and the
// annotation are in the answer of each write, so no client ever reads an unconverted object. detach
// and retire still take the stanza away.
func TestPolicyKeepsStanza(t *testing.T) {
	l := begin(t)
	for i := range objects {
		l.create(t, cronTab(i))
	}
	l.attach(t)
	l.serve(t)
	client := l.definitions.ApiextensionsV1().CustomResourceDefinitions()
	annotate := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, attach.Annotation)
	_, err := client.Patch(deadline(t), l.name, types.MergePatchType, annotate, metav1.PatchOptions{})
	must(t, err)
	stanza := l.definitions.get(t, l.name).Spec.Conversion
	lost := func(crd *apiextensions.CustomResourceDefinition) error {
		got, _ := json.Marshal(crd.Spec.Conversion)
		want, _ := json.Marshal(stanza)
		if string(got) != string(want) || crd.Annotations[attach.Annotation] != "true" {
			return fmt.Errorf("the API server stored %s and the annotations %v", got, crd.Annotations)
		}
		return nil
	}
	bare := func() *apiextensions.CustomResourceDefinition { // as a vendor's manifest has it
		crd := l.definitions.get(t, l.name)
		return &apiextensions.CustomResourceDefinition{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
			ObjectMeta: metav1.ObjectMeta{Name: crd.Name, ResourceVersion: crd.ResourceVersion},
			Spec: apiextensions.CustomResourceDefinitionSpec{
				Group: crd.Spec.Group, Names: crd.Spec.Names, Scope: crd.Spec.Scope, Versions: crd.Spec.Versions,
			},
		}
	}
	patch := func(kind types.PatchType, text string, force bool) func() (*apiextensions.CustomResourceDefinition, error) {
		return func() (*apiextensions.CustomResourceDefinition, error) {
			options := metav1.PatchOptions{FieldManager: "other"}
			if force {
				options.Force = &force
			}
			return client.Patch(deadline(t), l.name, kind, []byte(text), options)
		}
	}
	ways := []struct {
		name  string
		write func() (*apiextensions.CustomResourceDefinition, error)
	}{
		{"kubectl replace", func() (*apiextensions.CustomResourceDefinition, error) {
			return client.Update(deadline(t), bare(), metav1.UpdateOptions{FieldManager: "kubectl-replace"})
		}},
		{"OLM", func() (*apiextensions.CustomResourceDefinition, error) {
			crd := bare()
			crd.Annotations = map[string]string{"operatorframework.io/installed-alongside-1": "operators/vendor"}
			crd.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
			return client.Update(deadline(t), crd, metav1.UpdateOptions{FieldManager: "olm"})
		}},
		{"a JSON patch", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec/conversion"},{"op":"remove","path":"/metadata/annotations"}]`, false)},
		{"a merge patch", patch(types.MergePatchType, `{"metadata":{"annotations":null},"spec":{"conversion":{"strategy":"None","webhook":null}}}`, false)},
		{"server-side apply of strategy None", patch(types.ApplyPatchType, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"`+l.name+`"},"spec":{"conversion":{"strategy":"None","webhook":null}}}`, true)},
	}

	apply(t, l.plane, "", "deploy", "controller", "restore.yaml")
	eventually.Succeeds(t, "the policy is in force", func() error {
		crd, err := ways[0].write()
		if err == nil {
			if err = lost(crd); err != nil { // put it back, for the next try
				_ = l.definitions.change(t, l.name, func(crd *apiextensions.CustomResourceDefinition) {
					crd.Spec.Conversion, crd.Annotations = stanza, map[string]string{attach.Annotation: "true"}
				})
			}
		}
		return err
	})

	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	reads := 0
	wait.Go(func() { // ends with cancel
		for i := 0; ctx.Err() == nil; i++ {
			o, err := l.at("v2").Get(context.WithoutCancel(ctx), fmt.Sprintf("cron-%d", i%objects), metav1.GetOptions{})
			if err == nil {
				if hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour"); hour != fmt.Sprint(i%objects%24) {
					err = fmt.Errorf("%s was not converted: %v", o.GetName(), o.Object["spec"])
				}
			}
			if err != nil {
				t.Errorf("reading at v2: %v", err)
				return
			}
			reads++
			time.Sleep(time.Millisecond)
		}
	})
	load := newLoad(t)
	load.add("v1", l.at("v1"), "old", "old!")
	load.add("v2", l.at("v2"), "new", "new!")
	for range 5 {
		for _, way := range ways {
			crd, err := way.write()
			if err == nil {
				err = lost(crd)
			}
			if err != nil {
				t.Errorf("%s: %v", way.name, err)
			}
			load.run(200 * time.Millisecond)
		}
	}
	requests, failed := load.stop()
	cancel()
	wait.Wait()
	t.Logf("%d requests and %d reads of converted objects, %d failed", requests, reads, len(failed))
	for _, f := range failed[:min(len(failed), 10)] {
		t.Error(f)
	}

	// Another address passes.
	other := stanza.DeepCopy()
	url := "https://127.0.0.1:1/convert"
	other.Webhook.ClientConfig.URL = &url
	must(t, l.definitions.change(t, l.name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = other }))
	if got := l.definitions.get(t, l.name).Spec.Conversion.Webhook.ClientConfig.URL; got == nil || *got != url {
		t.Errorf("a change of the address did not pass: %v", got)
	}
	must(t, l.definitions.change(t, l.name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = stanza }))

	// retire removes v1 and the stanza.
	l.crosswalk(t, "retire", l.name, "v1", "--yes", "--idle", "0s", "--rate", "500")
	now := l.definitions.get(t, l.name)
	if now.Spec.Conversion.Strategy != apiextensions.NoneConverter || len(now.Spec.Versions) != 1 || now.Annotations[attach.Annotation] != "false" {
		t.Errorf("after retire, the definition has %d versions, %+v and %v", len(now.Spec.Versions), now.Spec.Conversion, now.Annotations)
	}
	if _, err := client.Update(deadline(t), bare(), metav1.UpdateOptions{}); err != nil {
		t.Errorf("replacing the retired definition: %v", err)
	}

	// detach takes the stanza from a definition of one version.
	l.crosswalk(t, "attach", l.name, "--url", l.gateway.URL(), "--ca-file", l.ca)
	_, err = client.Patch(deadline(t), l.name, types.MergePatchType, annotate, metav1.PatchOptions{})
	must(t, err)
	l.crosswalk(t, "detach", l.name)
	if now := l.definitions.get(t, l.name); now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Errorf("after detach, the definition has %+v", now.Spec.Conversion)
	}
}
