package lifecycle

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
)

// crossplanes are releases of Crossplane: the first has definitions of v1 alone, the second also of v2.
var crossplanes = []struct{ module, sum string }{
	{"github.com/crossplane/crossplane@v1.20.0", "h1:Wr3+/CilaMbRQ7u4e+m4XBmoARahBpENIYClGzIXpS8="},
	{"github.com/crossplane/crossplane/v2@v2.1.0", "h1:7RFel1CeIWQytwtHz1st7lZiycYXUIcS0LkaetCJa4Q="},
}

// TestPoliciesKeepStanza replaces a CustomResourceDefinition, and Crossplane's definitions of
// composites of both versions, on a full API server: with deploy/controller/restore.yaml, and with
// the chart as Helm installs it there. The answer of each write has the stanza and the annotation.
// detach takes the stanza away.
func TestPoliciesKeepStanza(t *testing.T) {
	p := plane(t, nil)
	config := rest.CopyConfig(p.Admin)
	config.WarningHandler = rest.NoWarnings{} // Crossplane says in each answer that v1 is deprecated
	all, err := dynamic.NewForConfig(config)
	must(t, err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, p.WriteKubeconfig(kubeconfig, "admin-token"))
	binary, helm := build(t, "crosswalk"), buildHelm(t)
	crds := all.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})

	policies := []struct {
		name            string
		install, remove func()
	}{
		{"manifest", func() { apply(t, p, "", "deploy", "controller", "restore.yaml") }, func() {
			for _, kind := range []string{"mutatingadmissionpolicybindings", "mutatingadmissionpolicies"} {
				policies := all.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: kind})
				must(t, policies.Delete(deadline(t), "crosswalk-stanza", metav1.DeleteOptions{}))
			}
		}},
		{"chart", func() {
			helm("install", "crosswalk", "deploy/chart", "--create-namespace", "--namespace", namespace, "--kubeconfig", kubeconfig,
				"--values", "deploy/chart/examples/controller.yaml", "--set", "podMonitor.enabled=false")
		}, func() { helm("uninstall", "crosswalk", "--namespace", namespace, "--kubeconfig", kubeconfig) }},
	}

	authority, err := certs.NewAuthority()
	must(t, err)
	ca := base64.StdEncoding.EncodeToString(authority.PEM)
	subjects := []*stanzaKeeper{newCRD(t, crds, ca)}
	for i, release := range crossplanes {
		definition := crossplaneDefinition(t, release.module, release.sum)
		if i > 0 { // as an upgrade of Crossplane
			old, err := crds.Get(deadline(t), definition.GetName(), metav1.GetOptions{})
			must(t, err)
			definition.SetResourceVersion(old.GetResourceVersion())
			_, err = crds.Update(deadline(t), definition, metav1.UpdateOptions{})
			must(t, err)
		} else {
			_, err = crds.Create(deadline(t), definition, metav1.CreateOptions{})
			must(t, err)
		}
		subjects = append(subjects, newXRD(t, all, crds, ca, fmt.Sprintf("v%d", i+1)))
	}
	for _, policy := range policies {
		policy.install()
		for _, s := range subjects {
			eventually.Succeeds(t, policy.name+" keeps the stanza of "+s.name, func() error { return s.keeps(t, s.ways()[0]) })
			for _, way := range s.ways() {
				if err := s.keeps(t, way); err != nil {
					t.Errorf("%s, %s: %v", policy.name, s.name, err)
				}
			}
			// Another address passes.
			other := s.attached(t)
			must(t, unstructured.SetNestedField(other.Object, "other", "spec", "conversion", "webhook", "clientConfig", "service", "name"))
			written, err := s.client.Update(deadline(t), other, metav1.UpdateOptions{})
			must(t, err)
			if got, _, _ := unstructured.NestedString(written.Object, "spec", "conversion", "webhook", "clientConfig", "service", "name"); got != "other" {
				t.Errorf("%s, %s: the Service is %q", policy.name, s.name, got)
			}
			s.attached(t)
			tool(t, binary, kubeconfig, "detach", s.argument)
			if now := s.get(t); strategyOf(now) == "Webhook" {
				t.Errorf("%s: detached, %s has %v", policy.name, s.name, now.Object["spec"])
			}
		}
		// The writes would take the stanza away if nothing kept it.
		policy.remove()
		for _, s := range subjects {
			eventually.Succeeds(t, "without "+policy.name, func() error {
				s.attached(t)
				written, err := s.ways()[0].write(t, s)
				return errorf(err == nil && strategyOf(written) != "Webhook", "a write without the stanza: %v", err)
			})
		}
	}
}

// stanzaKeeper is an object with a stanza.
type stanzaKeeper struct {
	name, argument string // for people, and for the command
	client         dynamic.ResourceInterface
	ca             string                     // base64 of PEM
	object         *unstructured.Unstructured // as a vendor's manifest has it
}

// serviceStanza is a stanza as attach writes it, with all its fields.
func serviceStanza(ca string) map[string]any {
	return map[string]any{"strategy": "Webhook", "webhook": map[string]any{
		"conversionReviewVersions": []any{"v1"},
		"clientConfig": map[string]any{"caBundle": ca, "service": map[string]any{
			"name": "crosswalk", "namespace": namespace, "path": "/convert", "port": int64(443),
		}},
	}}
}

func strategyOf(o *unstructured.Unstructured) string {
	strategy, _, _ := unstructured.NestedString(o.Object, "spec", "conversion", "strategy")
	return strategy
}

func (s *stanzaKeeper) get(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	o, err := s.client.Get(deadline(t), s.object.GetName(), metav1.GetOptions{})
	must(t, err)
	return o
}

// attached gives the object the stanza and the annotation, and returns it.
func (s *stanzaKeeper) attached(t *testing.T) (written *unstructured.Unstructured) {
	t.Helper()
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		o := s.get(t)
		o.SetAnnotations(map[string]string{attach.Annotation: "true"})
		must(t, unstructured.SetNestedMap(o.Object, serviceStanza(s.ca), "spec", "conversion"))
		written, err = s.client.Update(deadline(t), o, metav1.UpdateOptions{})
		return err
	}))
	return written
}

// keeps makes one write to the attached object. The answer must have the stanza and the annotation.
func (s *stanzaKeeper) keeps(t *testing.T, way stanzaLoss) error {
	t.Helper()
	want := s.attached(t)
	got, err := way.write(t, s)
	if err != nil {
		return err
	}
	stanza, wanted := got.Object["spec"].(map[string]any)["conversion"], want.Object["spec"].(map[string]any)["conversion"]
	return errorf(reflect.DeepEqual(stanza, wanted) && got.GetAnnotations()[attach.Annotation] == "true",
		"%s: the API server stored %v and the annotations %v", way.name, stanza, got.GetAnnotations())
}

// stanzaLoss is a write that does not have the stanza.
type stanzaLoss struct {
	name  string
	write func(*testing.T, *stanzaKeeper) (*unstructured.Unstructured, error)
}

func (s *stanzaKeeper) ways() []stanzaLoss {
	replace := func(change func(*unstructured.Unstructured)) func(*testing.T, *stanzaKeeper) (*unstructured.Unstructured, error) {
		return func(t *testing.T, s *stanzaKeeper) (written *unstructured.Unstructured, err error) {
			err = retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
				o := s.object.DeepCopy()
				o.SetResourceVersion(s.get(t).GetResourceVersion())
				change(o)
				written, err = s.client.Update(deadline(t), o, metav1.UpdateOptions{FieldManager: "olm"})
				return err
			})
			return written, err
		}
	}
	patch := func(kind types.PatchType, text string, force *bool) func(*testing.T, *stanzaKeeper) (*unstructured.Unstructured, error) {
		return func(t *testing.T, s *stanzaKeeper) (*unstructured.Unstructured, error) {
			return s.client.Patch(deadline(t), s.object.GetName(), kind, []byte(text), metav1.PatchOptions{FieldManager: "other", Force: force})
		}
	}
	none := map[string]any{"strategy": "None"}
	applied, force := s.object.DeepCopy(), true
	_ = unstructured.SetNestedMap(applied.Object, none, "spec", "conversion")
	text, _ := json.Marshal(applied)
	ways := []stanzaLoss{
		{"a replacement", replace(func(*unstructured.Unstructured) {})},
		{"a JSON patch", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec/conversion"},{"op":"remove","path":"/metadata/annotations"}]`, nil)},
		{"a merge patch", patch(types.MergePatchType, `{"metadata":{"annotations":null},"spec":{"conversion":null}}`, nil)},
	}
	if s.object.GetKind() == "CustomResourceDefinition" { // Crossplane's schema refuses strategy None
		ways = append(ways,
			stanzaLoss{"OLM", replace(func(o *unstructured.Unstructured) {
				o.SetAnnotations(map[string]string{"operatorframework.io/installed-alongside-1": "operators/vendor"})
				_ = unstructured.SetNestedMap(o.Object, none, "spec", "conversion")
			})},
			stanzaLoss{"server-side apply", patch(types.ApplyPatchType, string(text), &force)})
	}
	return ways
}

// newCRD creates a definition with one version.
func newCRD(t *testing.T, crds dynamic.ResourceInterface, ca string) *stanzaKeeper {
	t.Helper()
	text, err := json.Marshal(puppets("v1"))
	must(t, err)
	o := &unstructured.Unstructured{}
	must(t, json.Unmarshal(text, &o.Object))
	delete(o.Object, "status")
	o.SetAPIVersion("apiextensions.k8s.io/v1")
	o.SetKind("CustomResourceDefinition")
	unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
	_, err = crds.Create(deadline(t), o, metav1.CreateOptions{})
	must(t, err)
	return &stanzaKeeper{"a CustomResourceDefinition", o.GetName(), crds, ca, o}
}

// newXRD creates a CompositeResourceDefinition, and the definition that Crossplane makes of it.
func newXRD(t *testing.T, all dynamic.Interface, crds dynamic.ResourceInterface, ca, version string) *stanzaKeeper {
	t.Helper()
	plural := "xdatabase" + version + "s"
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/" + version, "kind": "CompositeResourceDefinition", "metadata": map[string]any{"name": plural + ".example.org"},
		"spec": map[string]any{
			"group": "example.org", "names": map[string]any{"kind": "XDatabase" + version, "plural": plural},
			"versions": []any{map[string]any{"name": "v1", "served": true, "referenceable": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}},
		},
	}}
	s := &stanzaKeeper{"a CompositeResourceDefinition of " + version, "xrd." + version + "/" + o.GetName(),
		all.Resource(schema.GroupVersionResource{Group: "apiextensions.crossplane.io", Version: version, Resource: "compositeresourcedefinitions"}), ca, o}
	var created *unstructured.Unstructured
	eventually.Succeeds(t, s.name, func() (err error) { // a definition takes the API server a second or two
		created, err = s.client.Create(deadline(t), o, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			created, err = s.client.Get(deadline(t), o.GetName(), metav1.GetOptions{})
		}
		return err
	})
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": o.GetName()},
		"spec": map[string]any{
			"group": "example.org", "scope": "Cluster", "names": map[string]any{"kind": "XDatabase" + version, "plural": plural},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}},
		},
	}}
	controller := true
	made.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName(), UID: created.GetUID(), Controller: &controller}})
	_, err := crds.Create(deadline(t), made, metav1.CreateOptions{})
	must(t, err)
	return s
}

// crossplaneDefinition returns the CustomResourceDefinition of CompositeResourceDefinitions in a
// release of Crossplane, which the Go command downloads.
func crossplaneDefinition(t *testing.T, module, sum string) *unstructured.Unstructured {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), "go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	output, err := cmd.Output()
	var downloaded struct{ Dir, Sum, Error string }
	if json.Unmarshal(output, &downloaded) != nil || downloaded.Error != "" || err != nil {
		t.Fatalf("downloading %s: %v %s", module, err, output)
	}
	if downloaded.Sum != sum {
		t.Fatalf("%s has the checksum %s, want %s", module, downloaded.Sum, sum)
	}
	content, err := os.ReadFile(filepath.Join(downloaded.Dir, "cluster/crds/apiextensions.crossplane.io_compositeresourcedefinitions.yaml"))
	must(t, err)
	document, err := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))).Read()
	must(t, err)
	o := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(document, &o.Object))
	return o
}

// buildHelm builds Helm as test/chart pins it, and returns a function that runs it in the repository.
func buildHelm(t *testing.T) func(args ...string) {
	t.Helper()
	root, err := artifacts.Root()
	must(t, err)
	binary := filepath.Join(t.TempDir(), "helm")
	run := func(dir, program string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+filepath.Dir(binary))
		if program == "go" {
			cmd.Env = os.Environ()
		}
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, output)
		}
	}
	run(filepath.Join(root, "test", "chart"), "go", "build", "-o", binary, "helm.sh/helm/v4/cmd/helm")
	return func(args ...string) {
		t.Helper()
		run(root, binary, args...)
	}
}
