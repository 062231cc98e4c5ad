package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/dynamic/fake"
	clienttest "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// world is a keeper on an API server in memory, and a gateway that refuses every connection.
type world struct {
	*keeper
	dynamic *clientgo.FakeDynamicClient
	writes  []string // of spec.conversion, by the names of the objects
}

func newWorld(t *testing.T, crds []*apiextensions.CustomResourceDefinition, others ...runtime.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, core.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{}
	var typed []client.Object
	raw := others
	for _, crd := range crds {
		crd.TypeMeta = metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			t.Fatal(err)
		}
		typed, raw = append(typed, crd), append(raw, &unstructured.Unstructured{Object: content})
	}
	w.dynamic = clientgo.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}:           "CustomResourceDefinitionList",
		{Group: "apiextensions.crossplane.io", Version: "v1", Resource: "compositeresourcedefinitions"}: "CompositeResourceDefinitionList",
	}, raw...)
	w.dynamic.PrependReactor("patch", "*", func(a clienttest.Action) (bool, runtime.Object, error) {
		patch := a.(clienttest.PatchAction)
		if patch.GetPatchType() != types.ApplyPatchType {
			return false, nil, nil
		}
		w.writes = append(w.writes, patch.GetName())
		object, err := w.dynamic.Tracker().Get(patch.GetResource(), "", patch.GetName())
		return true, object, err
	})
	gateway := httptest.NewServer(http.NotFoundHandler())
	gateway.Close()
	memory := fake.NewClientBuilder().WithScheme(scheme).WithObjects(typed...).Build()
	w.keeper = &keeper{
		options: options{namespace: "crosswalk-system", definitions: "crosswalk-definitions", lease: "crosswalk-controller"},
		cluster: attach.ForClient(w.dynamic), client: memory, events: events.NewFakeRecorder(100), log: slog.New(slog.DiscardHandler),
		now: time.Now, tested: map[string]testResult{}, attached: newRecord(memory, "crosswalk-system", "crosswalk-controller"),
		gateway: attach.Gateway{URL: "https" + strings.TrimPrefix(gateway.URL, "http") + "/convert", CA: []byte("none")},
	}
	return w
}

// reconcile lets the keeper look at everything once. Its errors are in the status annotations.
func (w *world) reconcile(t *testing.T) {
	t.Helper()
	_, err := w.Reconcile(t.Context(), everything)
	t.Logf("errors: %v", err)
}

func tenants(uid types.UID, annotations map[string]string) *apiextensions.CustomResourceDefinition {
	crd := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "tenants.b.example.org", UID: uid, Annotations: annotations}}
	crd.Spec = apiextensions.CustomResourceDefinitionSpec{
		Group: "b.example.org", Names: apiextensions.CustomResourceDefinitionNames{Kind: "Tenant", Plural: "tenants"},
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}, {Name: "v2", Served: true}},
	}
	return crd
}

// TestStatusSkipsNoTest: somebody who may edit a definition writes the controller's own status
// annotation. The definition still gets no stanza before it has passed a test.
func TestStatusSkipsNoTest(t *testing.T) {
	for _, status := range []string{"", "Attached", "Failing: a reason", "Attached, but a restriction"} {
		t.Run(status, func(t *testing.T) {
			w := newWorld(t, []*apiextensions.CustomResourceDefinition{
				tenants("1", map[string]string{attach.Annotation: "true", attach.StatusAnnotation: status})})
			w.reconcile(t)
			if len(w.writes) > 0 {
				t.Errorf("the controller wrote spec.conversion of %v", w.writes)
			}
		})
	}
}

// TestRecordRestores: a definition that was attached gets its stanza back at once, although the
// gateway does not answer; a definition of the same name that was made again does not.
func TestRecordRestores(t *testing.T) {
	for uid, want := range map[types.UID][]string{"1": {"tenants.b.example.org"}, "2": nil} {
		t.Run(string(uid), func(t *testing.T) {
			w := newWorld(t, []*apiextensions.CustomResourceDefinition{tenants(uid, map[string]string{attach.Annotation: "true"})})
			record := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
				Data: map[string]string{recordKey: `{"customresourcedefinition/tenants.b.example.org": "1", "customresourcedefinition/gone.b.example.org": "0"}`}}
			if err := w.client.Create(t.Context(), record); err != nil {
				t.Fatal(err)
			}
			w.reconcile(t)
			if !slices.Equal(w.writes, want) {
				t.Errorf("the controller wrote spec.conversion of %v, want %v", w.writes, want)
			}
			if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(record), record); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(record.Data[goneKey], `"customresourcedefinition/gone.b.example.org":"`) {
				t.Errorf("the record does not say that a definition is gone: %q", record.Data)
			}
		})
	}
}

// TestForgedOwnerChangesNoComposite: a definition of one team names another team's
// CompositeResourceDefinition as its owner.
func TestForgedOwnerChangesNoComposite(t *testing.T) {
	yes := true
	forged := tenants("1", map[string]string{attach.Annotation: "true", attach.StatusAnnotation: "Attached"})
	forged.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition",
		Name: "xbuckets.a.example.org", UID: "xrd", Controller: &yes}}
	w := newWorld(t, []*apiextensions.CustomResourceDefinition{forged, crossplane()}, xrd("xbuckets.a.example.org", "a.example.org", "xbuckets"))
	record := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
		Data: map[string]string{recordKey: `{"compositeresourcedefinition/xbuckets.a.example.org": "xrd"}`}}
	if err := w.client.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	w.reconcile(t)
	if slices.Contains(w.writes, "xbuckets.a.example.org") {
		t.Errorf("the controller wrote spec.conversion of %v", w.writes)
	}
	for _, a := range w.dynamic.Actions() {
		if a.GetVerb() == "patch" && a.GetResource().Resource == "compositeresourcedefinitions" {
			t.Errorf("the controller patched the composite: %v", a)
		}
	}
}

// TestAnnotationOfTheComposite: the annotation on a definition that Crossplane made asks for
// nothing; the one on the CompositeResourceDefinition does.
func TestAnnotationOfTheComposite(t *testing.T) {
	yes := true
	for _, annotated := range []bool{false, true} {
		made := tenants("1", map[string]string{attach.Annotation: "true"})
		composite := xrd("tenants.b.example.org", "b.example.org", "tenants")
		made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition",
			Name: composite.GetName(), UID: composite.GetUID(), Controller: &yes}}
		composite.SetAnnotations(map[string]string{attach.Annotation: fmt.Sprint(annotated)}) // false: it is detached
		w := newWorld(t, []*apiextensions.CustomResourceDefinition{made, crossplane()}, composite)
		record := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
			Data: map[string]string{recordKey: `{"compositeresourcedefinition/tenants.b.example.org": "xrd"}`}}
		if err := w.client.Create(t.Context(), record); err != nil {
			t.Fatal(err)
		}
		w.reconcile(t)
		now := &apiextensions.CustomResourceDefinition{}
		if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(made), now); err != nil {
			t.Fatal(err)
		}
		if annotated && !slices.Equal(w.writes, []string{composite.GetName()}) || !annotated && len(w.writes) > 0 {
			t.Errorf("annotated: %v, and the controller wrote spec.conversion of %v", annotated, w.writes)
		}
		const want = "Refused: Crossplane makes this definition of compositeresourcedefinition/tenants.b.example.org: annotate that object instead"
		if got := now.Annotations[attach.StatusAnnotation]; (got == want) == annotated {
			t.Errorf("annotated: %v, and the definition's status is %q", annotated, got)
		}
	}
}

// crossplane is Crossplane's definition of CompositeResourceDefinitions.
func crossplane() *apiextensions.CustomResourceDefinition {
	crd := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "compositeresourcedefinitions.apiextensions.crossplane.io"}}
	crd.Spec.Versions = []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
	return crd
}

func xrd(name, group, plural string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
		"spec": map[string]any{"group": group, "names": map[string]any{"plural": plural}}}}
	o.SetName(name)
	o.SetUID("xrd")
	return o
}

// TestTrust: the CA of the definitions is the one of --ca-file, or the one of the certificate that
// the controller keeps. A gateway with a URL may have a public CA.
func TestTrust(t *testing.T) {
	for _, tc := range []struct {
		name    string
		gateway attach.Gateway
		keeps   bool
	}{
		{"a file", attach.Gateway{CA: []byte("file")}, false},
		{"a URL without a CA", attach.Gateway{URL: "https://gateway.example.org/convert"}, false},
		{"a certificate that the controller keeps", attach.Gateway{Name: "crosswalk"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.options.secret, w.options.keepCertificate, w.keeper.gateway = "crosswalk-tls", true, tc.gateway
			g, p, err := w.trust(t.Context())
			if err != nil || (p != nil) != tc.keeps {
				t.Fatalf("pair %v, error %v", p != nil, err)
			}
			want := tc.gateway.CA
			if tc.keeps {
				want = p.secret.Data[caKey]
			}
			if !bytes.Equal(g.CA, want) || tc.keeps && len(want) == 0 || g.URL != tc.gateway.URL {
				t.Errorf("CA %q, want %q; URL %q", g.CA, want, g.URL)
			}
		})
	}
}

// TestKept: the hourly look gets the targets of the last run that have the gateway's stanza, each time
// that it asks.
func TestKept(t *testing.T) {
	refused, other := tenants("1", map[string]string{attach.Annotation: "true"}), tenants("3", map[string]string{attach.Annotation: "true"})
	attached, unasked := tenants("2", map[string]string{attach.Annotation: "true"}), tenants("4", nil)
	for plural, crd := range map[string]*apiextensions.CustomResourceDefinition{"attached": attached, "other": other, "unasked": unasked} {
		crd.Name, crd.Spec.Names.Plural = plural+".b.example.org", plural
	}
	w := newWorld(t, nil)
	attached.Spec.Conversion, unasked.Spec.Conversion = w.keeper.gateway.Stanza(), w.keeper.gateway.Stanza()
	other.Spec.Conversion = attach.Gateway{URL: "https://other.example.org/convert"}.Stanza()
	gateway := w.keeper.gateway
	w = newWorld(t, []*apiextensions.CustomResourceDefinition{refused, attached, other, unasked})
	w.keeper.gateway = gateway
	w.reconcile(t)
	for range 2 {
		var names []string
		for _, target := range w.kept() {
			names = append(names, target.Name)
		}
		if want := []string{attached.Name}; !slices.Equal(names, want) {
			t.Errorf("kept %v, want %v", names, want)
		}
	}
}

// TestRefusedTargetTrusts: a definition that fails its test does not hold up a certificate, unless it has
// the gateway's stanza, with a previous CA.
func TestRefusedTargetTrusts(t *testing.T) {
	for _, serves := range []bool{false, true} {
		crd := tenants("1", map[string]string{attach.Annotation: "true"})
		gateway := newWorld(t, nil).gateway
		if serves {
			old := gateway
			old.CA = []byte("previous")
			crd.Spec.Conversion = old.Stanza()
		}
		w := newWorld(t, []*apiextensions.CustomResourceDefinition{crd})
		w.keeper.gateway = gateway
		target, err := w.cluster.FindDefinition(t.Context(), crd.Name)
		if err != nil {
			t.Fatal(err)
		}
		if trusts, err := w.keep(t.Context(), target, gateway, ""); trusts == serves || err == nil {
			t.Errorf("with the gateway's stanza: %v: trusts %v, error %v", serves, trusts, err)
		}
	}
}

// TestUnreadDefinitionStopsNoOther: a definition of one CompositeResourceDefinition cannot be read. The
// others are kept attached, the record forgets nothing, and the run reports the cause.
func TestUnreadDefinitionStopsNoOther(t *testing.T) {
	yes := true
	var crds []*apiextensions.CustomResourceDefinition
	var composites []runtime.Object
	for _, plural := range []string{"broken", "tenants"} {
		name := plural + ".b.example.org"
		composite := xrd(name, "b.example.org", plural)
		composite.SetAnnotations(map[string]string{attach.Annotation: "true"})
		made := tenants("1", nil)
		made.Name, made.Spec.Names.Plural = name, plural
		made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition",
			Name: name, UID: composite.GetUID(), Controller: &yes}}
		crds, composites = append(crds, made), append(composites, composite)
	}
	w := newWorld(t, append(crds, crossplane()), composites...)
	w.dynamic.PrependReactor("get", "customresourcedefinitions", func(a clienttest.Action) (bool, runtime.Object, error) {
		if a.(clienttest.GetAction).GetName() == "broken.b.example.org" {
			return true, nil, errors.New("the request timed out")
		}
		return false, nil, nil
	})
	w.remember(t, `{"compositeresourcedefinition/broken.b.example.org": "xrd", "compositeresourcedefinition/tenants.b.example.org": "xrd"}`)
	_, err := w.Reconcile(t.Context(), everything)
	if err == nil || !strings.Contains(err.Error(), "the request timed out") {
		t.Errorf("the run reports %v", err)
	}
	if want := []string{"tenants.b.example.org"}; !slices.Equal(w.writes, want) {
		t.Errorf("the controller wrote spec.conversion of %v, want %v", w.writes, want)
	}
	if got := w.remembered(t); !strings.Contains(got, "broken.b.example.org") {
		t.Errorf("the record is %s", got)
	}
}

// TestTestsTakeTurns: tests that take a minute each keep the controller from nothing else. A definition
// that lost its stanza gets it back first, and the tests of one run end at their bound; the next run
// goes on with the others.
func TestTestsTakeTurns(t *testing.T) {
	var all []*apiextensions.CustomResourceDefinition
	names := []string{"as", "bs", "cs", "ds", "es"}
	for i, plural := range append(names, "zs") {
		crd := tenants(types.UID(fmt.Sprint(i)), map[string]string{attach.Annotation: "true"})
		crd.Name, crd.Spec.Names.Plural = plural+".b.example.org", plural
		all = append(all, crd)
	}
	w := newWorld(t, all)
	record := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "crosswalk-system", Name: "crosswalk-controller"},
		Data: map[string]string{recordKey: `{"customresourcedefinition/zs.b.example.org": "5"}`}}
	if err := w.client.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	w.now = func() time.Time { return clock }
	var patched []string // in order
	w.dynamic.PrependReactor("patch", "customresourcedefinitions", func(a clienttest.Action) (bool, runtime.Object, error) {
		p := a.(clienttest.PatchAction)
		if plural, _, _ := strings.Cut(p.GetName(), "."); !slices.Contains(patched, plural) {
			patched = append(patched, plural)
		}
		if p.GetPatchType() == types.MergePatchType && p.GetName() != "zs.b.example.org" { // the status, after a test
			clock = clock.Add(testTime)
		}
		return false, nil, nil
	})
	for run, want := range [][]string{{"zs", "as", "bs"}, {"zs", "as", "bs", "cs", "ds"}, {"zs", "as", "bs", "cs", "ds", "es"}} {
		_, err := w.Reconcile(t.Context(), everything)
		if waits := strings.Contains(fmt.Sprint(err), "definitions are tested in the next one"); waits != (run < 2) {
			t.Errorf("run %d: %v", run, err)
		}
		if !slices.Equal(patched, want) {
			t.Errorf("run %d: the controller wrote %v, want %v", run, patched, want)
		}
	}
}

// TestEventsFitAPIServers: API servers refuse an event with more than 1,024 bytes of text, and nobody
// would see it.
func TestEventsFitAPIServers(t *testing.T) {
	w := newWorld(t, []*apiextensions.CustomResourceDefinition{tenants("1", nil)})
	w.record(tenants("1", nil), "Warning", "Failing", strings.Repeat("ä", 2000))
	prefix := "Warning Failing "
	text := <-w.events.(*events.FakeRecorder).Events
	if note := strings.TrimPrefix(text, prefix); len(note) > 1024 || len(note) < 1020 || note == text || !strings.HasSuffix(note, "ä…") {
		t.Errorf("%d bytes: %.40q", len(note), text)
	}
}
