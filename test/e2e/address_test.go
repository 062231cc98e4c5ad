package e2e

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestAttachReplacesAddress: another manager owns a Service where the gateway has a URL, and the other
// way round. API servers refuse a stanza with both, which an apply would make. The path is the user's.
func TestAttachReplacesAddress(t *testing.T) {
	crd, p, cluster := detached(t, "v1", "v2")
	service, url := attach.Gateway{Namespace: "others", Name: "webhook", Port: 443}, attach.Gateway{URL: strings.TrimSuffix(p.URL(), "/convert") + "/my-path", CA: p.CA}
	chart := func(g attach.Gateway) {
		t.Helper()
		document, err := g.Document("apiextensions.k8s.io/v1", "CustomResourceDefinition", crd.Name)
		if err != nil {
			t.Fatal(err)
		}
		client := shared.uncached.Dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
		if _, err := client.Apply(deadline(t), crd.Name, document, metav1.ApplyOptions{FieldManager: "chart", Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	chart(service)
	before := definition(t, crd.Name)

	outcome, err := cluster.Attach(deadline(t), find(t, cluster, crd.Name), url, true)
	if err != nil || outcome.Action != attach.ActionWould || !strings.Contains(outcome.Message, "was Service others/webhook (no caBundle) and is "+url.URL) {
		t.Errorf("a dry run: %q, %q, %v", outcome.Action, outcome.Message, err)
	}
	if now := definition(t, crd.Name); now.ResourceVersion != before.ResourceVersion {
		t.Error("a dry run changed the definition")
	}
	outcome, err = cluster.Attach(deadline(t), find(t, cluster, crd.Name), url, false)
	if err != nil || outcome.Action != attach.ActionAttached || !strings.Contains(outcome.Message, "before, it belonged to chart") {
		t.Fatalf("attaching: %q, %q, %v\n%s", outcome.Action, outcome.Message, err, show(outcome.Checks))
	}
	same(t, "the stanza", definition(t, crd.Name).Spec.Conversion, url.Stanza())
	get(t, shared.uncached.Resource(crd, "v2"), "one")
	if outcome, err = cluster.Attach(deadline(t), find(t, cluster, crd.Name), url, false); err != nil || outcome.Action != attach.ActionNone {
		t.Errorf("attaching again: %q, %v", outcome.Action, err)
	}
	if err := shared.uncached.Update(deadline(t), crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[1].Served = false }); err != nil {
		t.Fatal(err)
	}
	if outcome, err = cluster.Detach(deadline(t), find(t, cluster, crd.Name), false); err != nil || outcome.Action != attach.ActionDetached {
		t.Errorf("detaching: %q, %v", outcome.Action, err)
	}

	chart(url)
	if err := cluster.Restore(deadline(t), find(t, cluster, crd.Name), service); err != nil {
		t.Errorf("a Service in place of a URL: %v", err)
	}
	same(t, "the stanza", definition(t, crd.Name).Spec.Conversion, service.Stanza())
}
