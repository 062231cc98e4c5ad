package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestRetireUndoesItsLastStep: the record of a migration is wrong, as after a restored backup of etcd, and
// the API server can list nothing once the version is gone. retire puts it back, and another run
// migrates the objects.
func TestRetireUndoesItsLastStep(t *testing.T) {
	crd := storePuppets(t, 1)
	storeInV2(t, crd)
	restored := puppet("v1", "restored", "") // without managedFields, whose carrying over writes an object
	restored.SetUID("00000000-0000-4000-8000-000000000001")
	if err := shared.uncached.Store(deadline(t), crd, restored); err != nil {
		t.Fatal(err)
	}
	claim(t, crd)
	now := definition(t, crd.Name)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%s/%d/v2"}}}`, attach.MigratedAnnotation, now.UID, now.Generation)
	if _, err := shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Patch(deadline(t), crd.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	config, list := kubeconfig(t), func() int {
		list, err := shared.uncached.Resource(crd, "v2").List(deadline(t), metav1.ListOptions{})
		if err != nil {
			t.Error(err)
			return 0
		}
		return len(list.Items)
	}
	code, output := crosswalk(t, config, "retire", crd.Name, "v1", "--idle", "0s", "--yes")
	if want := "v1 is back in spec.versions, unserved"; code != 1 || !strings.Contains(output, want) || list() != 2 {
		t.Errorf("retire ended with %d, want %q", code, want)
	}
	now = definition(t, crd.Name)
	if versions := now.Spec.Versions; len(versions) != 2 || versions[0].Name != "v1" || versions[0].Served || now.Spec.Conversion.Strategy != apiextensions.WebhookConverter {
		t.Errorf("the definition is\n%s", show(now.Spec))
	}
	code, _ = crosswalk(t, config, "retire", crd.Name, "v1", "--idle", "0s", "--yes")
	if n := storedAt(t, crd, "v2", "object-0", "restored"); code != 0 || n != 2 || list() != 2 || len(definition(t, crd.Name).Spec.Versions) != 1 {
		t.Errorf("another run ended with %d, and %d objects are stored in v2", code, n)
	}
}

// TestRetireLeavesVersionsToTheirAuthor: after retire, the author of a definition goes on with server-side
// apply, and meets no other field manager.
func TestRetireLeavesVersionsToTheirAuthor(t *testing.T) {
	c := newCronTabs(t)
	apply := func(versions ...apiextensions.CustomResourceDefinitionVersion) error {
		text, err := json.Marshal(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": c.crd.Name},
			"spec": map[string]any{"group": c.crd.Spec.Group, "names": c.crd.Spec.Names, "scope": c.crd.Spec.Scope, "versions": versions}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Patch(deadline(t), c.crd.Name, types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "author"})
		return err
	}
	versions := definition(t, c.crd.Name).Spec.Versions
	if err := apply(versions...); err != nil {
		t.Fatal(err)
	}
	c.mustApply(t, "v1", "old", "cron", "spec: {cronSpec: 0 7 * * *, image: one}")
	if code, _ := crosswalk(t, kubeconfig(t), "retire", c.crd.Name, "v1", "--idle", "0s", "--yes"); code != 0 {
		t.Fatalf("retire ended with %d", code)
	}
	left := definition(t, c.crd.Name).Spec.Versions
	left[0].Deprecated = true
	if err := apply(left...); err != nil {
		t.Errorf("the author's next apply: %v", err)
	}
	if now := definition(t, c.crd.Name).Spec.Versions; len(now) != 1 || !now[0].Deprecated {
		t.Errorf("the versions are\n%s", show(now))
	}
}

// TestExplainListsAllObjects: an object that no sample of explain has does not convert, so every LIST at v2
// fails.
func TestExplainListsAllObjects(t *testing.T) {
	crd := storePuppets(t, 25)
	config := kubeconfig(t)
	if code, output := crosswalk(t, config, "explain", crd.Name); code != 0 || !strings.Contains(output, "25 objects of Puppet.puppet.example.com at v2") {
		t.Errorf("explain ended with %d", code)
	}
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "z-last", script('1', "not today")))
	code, output := crosswalk(t, config, "explain", crd.Name)
	if want := "listing Puppet.puppet.example.com at v2: "; code != 1 || !strings.Contains(output, want) || !strings.Contains(output, "not today") {
		t.Errorf("explain ended with %d, want %q", code, want)
	}
}

// TestURLsOfWebhooks: attach --print, which asks no API server, takes the URLs that API servers take.
func TestURLsOfWebhooks(t *testing.T) {
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	installPlain(t, shared.uncached, crd)
	for _, url := range []string{
		"https://a.example.org", "https://a.example.org/convert", "https://a.example.org:8443/a/b", "https://[::1]:8443/convert", "https://a.example.org/convert?",
		"https://user:secret@a.example.org/convert", "https://user@a.example.org", "https://a.example.org/convert?a=b", "https://a.example.org/convert#a",
		"http://a.example.org/convert", "https:///convert", "https://", "a.example.org", "https://a.example.org:port", "https://a b.example.org", "HTTPS://a.example.org",
	} {
		code, output := tool(t, "attach", "--print", "-o", "json", "--url", url, crd.Name)
		if strings.Contains(output, "secret") && code != 0 {
			t.Errorf("the message shows the password: %s", output)
		}
		patch, err := json.Marshal(map[string]any{"spec": map[string]any{"conversion": attach.Gateway{URL: url}.Stanza()}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = shared.uncached.CRDs.ApiextensionsV1().CustomResourceDefinitions().Patch(deadline(t), crd.Name, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil && !apierrors.IsInvalid(err) {
			t.Fatal(err)
		}
		if (code == 0) != (err == nil) {
			t.Errorf("%s: attach --print ended with %d, and the API server says %v", url, code, err)
		}
	}
}
