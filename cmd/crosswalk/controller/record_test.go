package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// remember writes the record of a world.
func (w *world) remember(t *testing.T, attached string) {
	t.Helper()
	if err := w.client.Create(t.Context(), &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
		Data: map[string]string{recordKey: attached}}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) remembered(t *testing.T) string {
	t.Helper()
	record := &core.ConfigMap{}
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "crosswalk-system", Name: "crosswalk-controller"}, record); err != nil {
		t.Fatal(err)
	}
	return record.Data[recordKey]
}

// TestRecordRemembersReplaced: a definition that lost the annotation together with the stanza is kept
// attached if the record has its name, and not because of what the definition says.
func TestRecordRemembersReplaced(t *testing.T) {
	const known = `{"customresourcedefinition/tenants.b.example.org": "1"}`
	none := &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
	for _, tc := range []struct {
		name        string
		record      string
		uid         types.UID
		annotations map[string]string
		conversion  *apiextensions.CustomResourceConversion
		annotated   bool // by the controller
		written     bool // the stanza
		status      string
	}{
		{name: "replaced", record: known, uid: "1", conversion: none, annotated: true, written: true, status: "Attached"},
		{name: "replaced without a strategy", record: known, uid: "1", annotated: true, written: true, status: "Attached"},
		{name: "replaced with annotations", record: known, uid: "1", annotations: map[string]string{"of": "OLM"}, annotated: true, written: true, status: "Attached"},
		{name: "made again: it is tested, and the gateway does not answer", record: known, uid: "2", conversion: none, annotated: true, status: "Refused"},
		{name: "detached", record: known, uid: "1", annotations: map[string]string{attach.Annotation: "false"}, conversion: none},
		{name: "its annotation removed, or given to another webhook", record: known, uid: "1", conversion: attach.Gateway{URL: "https://other.example.org/convert"}.Stanza()},
		{name: "unknown", record: `{}`, uid: "1", conversion: none},
		{name: "unknown, with a status", record: `{}`, uid: "1", annotations: map[string]string{attach.StatusAnnotation: "Attached"}, conversion: none},
		{name: "another of the name", record: `{"customresourcedefinition/tenants.a.example.org": "1", "compositeresourcedefinition/tenants.b.example.org": "1"}`, uid: "1", conversion: none},
	} {
		t.Run(tc.name, func(t *testing.T) {
			crd := tenants(tc.uid, tc.annotations)
			crd.Spec.Conversion = tc.conversion
			w := newWorld(t, []*apiextensions.CustomResourceDefinition{crd})
			w.remember(t, tc.record)
			w.reconcile(t)
			now, err := w.dynamic.Tracker().Get(apiextensions.SchemeGroupVersion.WithResource("customresourcedefinitions"), "", crd.Name)
			if err != nil {
				t.Fatal(err)
			}
			annotations := now.(*unstructured.Unstructured).GetAnnotations()
			if got := annotations[attach.Annotation] == "true"; got != tc.annotated {
				t.Errorf("the annotations are %v", annotations)
			}
			if tc.status != "" && !strings.HasPrefix(annotations[attach.StatusAnnotation], tc.status) {
				t.Errorf("the status is %q, want %s", annotations[attach.StatusAnnotation], tc.status)
			}
			if got := len(w.writes) > 0; got != tc.written {
				t.Errorf("the controller wrote spec.conversion of %v", w.writes)
			}
			if got := strings.Contains(w.remembered(t), `"customresourcedefinition/tenants.b.example.org"`); got != tc.annotated {
				t.Errorf("the record is %s", w.remembered(t))
			}
		})
	}
}

// TestRecordRemembersComposite: so it is with a CompositeResourceDefinition.
func TestRecordRemembersComposite(t *testing.T) {
	yes := true
	for _, tc := range []struct {
		record  string
		written []string
	}{{`{"compositeresourcedefinition/tenants.b.example.org": "xrd"}`, []string{"tenants.b.example.org"}}, {`{}`, nil}} {
		composite := xrd("tenants.b.example.org", "b.example.org", "tenants")
		made := tenants("1", nil)
		made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition",
			Name: composite.GetName(), UID: composite.GetUID(), Controller: &yes}}
		w := newWorld(t, []*apiextensions.CustomResourceDefinition{made, crossplane()}, composite)
		w.remember(t, tc.record)
		w.reconcile(t)
		if !slices.Equal(w.writes, tc.written) {
			t.Errorf("with the record %s, the controller wrote spec.conversion of %v", tc.record, w.writes)
		}
	}
}

// TestRecordForgets: deleted definitions are remembered for a time, and not in any number.
func TestRecordForgets(t *testing.T) {
	r := newRecord(nil, "", "")
	for i := range mostGone + 10 {
		r.targets[fmt.Sprintf("customresourcedefinition/%04d.example.org", i)] = "1"
	}
	now := time.Now()
	r.keepOnly(nil, map[string]bool{"customresourcedefinition/0000.example.org": true}, now)
	if r.knows("customresourcedefinition/0000.example.org") {
		t.Error("the record keeps a definition that exists and is not wanted")
	}
	if len(r.targets) != mostGone || len(r.gone) != mostGone {
		t.Errorf("the record has %d definitions, and %d that are gone", len(r.targets), len(r.gone))
	}
	r.keepOnly(nil, nil, now.Add(goneTime-time.Minute))
	if len(r.targets) != mostGone {
		t.Errorf("the record has %d definitions", len(r.targets))
	}
	r.keepOnly(nil, nil, now.Add(goneTime+time.Minute))
	if len(r.targets) != 0 || len(r.gone) != 0 {
		t.Errorf("the record has %d definitions, and %d that are gone", len(r.targets), len(r.gone))
	}
}

// TestRecordIsReadOnceAndWrittenOnChange: the lease makes the ConfigMap the replica's own, so it is
// read once, and written only if something changed and it was read. Errors name it.
func TestRecordIsReadOnceAndWrittenOnChange(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := core.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var reads, writes int
	var refuse error
	c := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if reads++; refuse != nil {
				return refuse
			}
			return c.Get(ctx, key, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if writes++; refuse != nil {
				return refuse
			}
			return c.Update(ctx, o, opts...)
		},
	}).Build()
	r := newRecord(c, "crosswalk-system", "crosswalk-controller")
	step := func(what string, do func(context.Context) error, wantReads, wantWrites int, wantErr string) {
		t.Helper()
		got := ""
		if err := do(t.Context()); err != nil {
			got = err.Error()
		}
		if reads != wantReads || writes != wantWrites || got != wantErr {
			t.Errorf("%s: %d reads and %d writes, want %d and %d; error %q, want %q", what, reads, writes, wantReads, wantWrites, got, wantErr)
		}
	}
	r.targets["customresourcedefinition/a.example.org"] = "1"
	step("a write before the record was read", r.write, 0, 0, "")
	refuse = errors.New("no rights")
	step("a read without rights", r.load, 1, 0, "reading ConfigMap crosswalk-controller: no rights")
	refuse = nil
	step("a read", r.load, 2, 0, "")
	step("a second read", r.load, 2, 0, "")
	refuse = errors.New("no rights")
	step("a write without rights", r.write, 2, 1, "writing ConfigMap crosswalk-controller: no rights")
	refuse = nil
	step("a write", r.write, 2, 2, "")
	step("a write without a change", r.write, 2, 2, "")
	r.forget("customresourcedefinition/a.example.org")
	step("the last one is gone", r.write, 2, 3, "")
	for range 2 { // it takes the lock and returns it
		if r.knows("customresourcedefinition/a.example.org") {
			t.Error("a forgotten definition is known")
		}
	}
}

// TestDamagedRecord: a ConfigMap that somebody edited is an error with the remedy, and is not
// overwritten.
func TestDamagedRecord(t *testing.T) {
	w := newWorld(t, nil)
	w.remember(t, "[]")
	err := w.attached.load(t.Context())
	const want = "ConfigMap crosswalk-controller, key attached, must be a JSON object with a UID or a time for each name: " +
		"json: cannot unmarshal array into Go value of type map[string]types.UID; delete the ConfigMap to test all definitions again"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := w.attached.write(t.Context()); err != nil || w.remembered(t) != "[]" {
		t.Errorf("the ConfigMap has %q, %v", w.remembered(t), err)
	}
}
