package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// TestDeclaredFields asserts that a module can neither see nor change undeclared fields, and that
// they reach the user as stored.
func TestDeclaredFields(t *testing.T) {
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	declare := func(fields string) {
		t.Helper()
		sidecar := filepath.Join(dir, strings.TrimSuffix(puppetFile, ".wasm")+".yaml")
		if err := os.WriteFile(sidecar, []byte("fields: {v1: ["+fields+"], v2: [spec.moved]}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	declare("spec.elsewhere")
	p := readyGateway(t, dir, "--probation", "0s") // or the gateway would fall back to the previous version
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	v1, v2 := shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")

	stored := map[string]*unstructured.Unstructured{}
	for name, answer := range map[string]string{
		"refused": script('1', "no"),
		"moved":   script('0', `{"spec":{"moved":"here"}}`),
		"status":  script('0', `{"spec":{},"status":{"size":1}}`),
		"label":   script('0', `{"metadata":{"labels":{"keep":"you"}},"spec":{}}`),
		"other":   script('0', `{"spec":{"big":1}}`),
	} {
		o := puppet("v1", name, answer)
		spec := o.Object["spec"].(map[string]any)
		spec["big"], spec["list"], spec["é\"."] = int64(9007199254740993), []any{map[string]any{"a": nil}, "}"}, map[string]any{}
		o.Object["status"] = map[string]any{"size": int64(3)}
		stored[name] = create(t, v1, o)
	}
	at2 := func(name string, change func(spec map[string]any)) *unstructured.Unstructured {
		o := stored[name].DeepCopy()
		o.SetAPIVersion(puppetGroup + "/v2")
		change(o.Object["spec"].(map[string]any))
		return o
	}

	// Undeclared fields of an object make no difference.
	for name := range stored {
		same(t, "an object whose answer is not declared", get(t, v2, name).Object, at2(name, func(map[string]any) {}).Object)
	}

	// A sidecar declares the field with the answer: from now on the module follows the objects'
	// scripts, within the contract.
	declare("spec.answer")
	if _, err := p.WaitModule(deadline(t), puppetFile, func(m gateway.Module) bool { return len(m.Fields["v1"]) == 1 && m.Fields["v1"][0] == "spec.answer" }); err != nil {
		t.Fatal(err)
	}
	if n := metric(t, p, "crosswalk_module_declared_fields", "module", puppetFile); n != 2 {
		t.Errorf("the module is said to declare %v fields", n)
	}
	same(t, "an object with a field moved", get(t, v2, "moved").Object, at2("moved", func(spec map[string]any) {
		delete(spec, "answer")
		spec["moved"] = "here"
	}).Object)
	for name, want := range map[string]string{
		"refused": "cannot convert object 0 (default/refused) of Puppet.puppet.example.com from v1 to v2: no [refused by module MODULE]",
		"status":  "its answer has status, which is not among the fields that the module declares",
		"label":   "its answer has metadata, which is not among the fields that the module declares",
		"other":   "its answer has spec.big, which is not among the fields that the module declares",
	} {
		_, err := v2.Get(deadline(t), name, metav1.GetOptions{})
		want = strings.ReplaceAll(want, "MODULE", signed(puppetFile, guest(t, "puppet")))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the user who asks for %s reads\n\t%v\nwhich should contain\n\t%s", name, err, want)
		}
	}
}
