package lifecycle

import (
	"os"
	"path/filepath"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/controlplane"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// life is a definition on a control plane, at first with v1 alone, and a gateway that converts it.
type life struct {
	plane       *controlplane.Plane
	gateway     *gateway.Process
	binary      string // the command crosswalk
	kubeconfig  string
	ca          string // file with the gateway's CA
	module      string // file of the example converter
	definitions definitions
	name        string
	objects     dynamic.Interface
	v2          apiextensions.CustomResourceDefinitionVersion
}

// module is the file of the example converter.
const module = "CronTab.stable.example.com_v1_v2.wasm"

// begin creates the definition, and waits until it is served.
func begin(t *testing.T, controllers ...string) *life {
	t.Helper()
	p := plane(t, nil, controllers...)
	plugins, err := artifacts.BuildPlugins(deadline(t))
	must(t, err)
	content, err := plugins.Module("c", module)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	l := &life{
		plane: p, gateway: startGateway(t, map[string][]byte{module: content}), binary: build(t, "crosswalk"),
		kubeconfig: filepath.Join(dir, "kubeconfig"), ca: filepath.Join(dir, "ca.crt"), definitions: newDefinitions(t, p),
	}
	l.module = filepath.Join(plugins.Dir, "c", module)
	must(t, os.WriteFile(l.ca, l.gateway.CA, 0o600))
	must(t, p.WriteKubeconfig(l.kubeconfig, "admin-token"))
	l.objects, err = dynamic.NewForConfig(p.Admin)
	must(t, err)
	text, err := artifacts.Read("plugins", "crontab", "crd.yaml")
	must(t, err)
	crd := &apiextensions.CustomResourceDefinition{}
	must(t, yaml.UnmarshalStrict(text, crd))
	l.name, l.v2 = crd.Name, crd.Spec.Versions[1]
	l.v2.SelectableFields = []apiextensions.SelectableField{{JSONPath: ".spec.hour"}}
	crd.Spec.Versions, crd.Spec.Conversion = crd.Spec.Versions[:1], nil
	_, err = l.definitions.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{})
	must(t, err)
	eventually.Succeeds(t, "v1 is served", func() error { _, err := l.at("v1").List(deadline(t), metav1.ListOptions{}); return err })
	return l
}

// at returns a client for the objects at a version.
func (l *life) at(version string) dynamic.ResourceInterface {
	return l.objects.Resource(schema.GroupVersionResource{Group: "stable.example.com", Version: version, Resource: "crontabs"}).Namespace("default")
}

// create creates an object at v1.
func (l *life) create(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	eventually.Succeeds(t, "creating an object", func() error {
		_, err := l.at("v1").Create(deadline(t), o, metav1.CreateOptions{})
		return err
	})
}

// attach adds v2 unserved, and attaches the definition to the gateway.
func (l *life) attach(t *testing.T) (output string) {
	t.Helper()
	must(t, l.definitions.change(t, l.name, func(crd *apiextensions.CustomResourceDefinition) {
		l.v2.Served, l.v2.Storage = false, false
		crd.Spec.Versions = append(crd.Spec.Versions, l.v2)
	}))
	return l.crosswalk(t, "attach", l.name, "--url", l.gateway.URL(), "--ca-file", l.ca)
}

// serve serves v2, too.
func (l *life) serve(t *testing.T) {
	t.Helper()
	must(t, l.definitions.change(t, l.name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[1].Served = true }))
	eventually.Succeeds(t, "v2 is served", func() error { _, err := l.at("v2").List(deadline(t), metav1.ListOptions{}); return err })
}

// crosswalk runs the command, which must succeed.
func (l *life) crosswalk(t *testing.T, args ...string) string {
	t.Helper()
	return tool(t, l.binary, l.kubeconfig, args...)
}

// answers runs the command, which must succeed, with answers to its questions.
func (l *life) answers(t *testing.T, answers string, args ...string) string {
	t.Helper()
	code, output := runWith(t, l.binary, l.kubeconfig, answers, args...)
	if code != 0 {
		t.Fatalf("crosswalk %s ended with %d", args[0], code)
	}
	return output
}

// finds runs the command, which must end with 1.
func (l *life) finds(t *testing.T, args ...string) string {
	t.Helper()
	return toolFails(t, l.binary, l.kubeconfig, args...)
}
