// Package chart tests deploy/chart with Helm's own library: the linter accepts it, and its
// manifests are valid for Kubernetes' own types. It is a Go module of its own because Helm's
// dependencies have other versions than the API server's.
package chart

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const dir = "../../deploy/chart"

// foreign are the API groups of other projects, whose types the tests do not link.
var foreign = []string{"cert-manager.io", "monitoring.coreos.com"}

// values reads a set of values; "" stands for the least that a user must set.
func values(t *testing.T, file string) map[string]any {
	t.Helper()
	if file == "" {
		return map[string]any{"image": map[string]any{"repository": "registry.example.com/gateway", "tag": "dev"}}
	}
	content, err := os.ReadFile(file)
	must(t, err)
	var v map[string]any
	must(t, yaml.UnmarshalStrict(content, &v))
	return v
}

// render renders the chart as `helm install RELEASE -n NAMESPACE` does, and returns the error of a
// user's mistake.
func render(t *testing.T, release, namespace string, v map[string]any, apis ...string) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load(dir)
	must(t, err)
	capabilities := *common.DefaultCapabilities
	capabilities.APIVersions = append(slices.Clone(capabilities.APIVersions), apis...)
	all, err := util.ToRenderValues(c, v, common.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}, &capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// decode splits the rendered files into objects, and reports fields that do not exist or are there
// twice.
func decode(t *testing.T, files map[string]string) (objects []runtime.Object, others []map[string]any) {
	t.Helper()
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(file, "NOTES.txt") {
			continue
		}
		for document := range strings.SplitSeq("\n"+files[file], "\n---") {
			var u map[string]any
			if err := yaml.UnmarshalStrict([]byte(document), &u); err != nil {
				t.Errorf("%s: %v in\n%s", file, err, document)
				continue
			}
			if len(u) == 0 {
				continue
			}
			version, err := schema.ParseGroupVersion(u["apiVersion"].(string))
			must(t, err)
			if slices.Contains(foreign, version.Group) {
				others = append(others, u)
				continue
			}
			object, _, err := strict.Decode([]byte(document), nil, nil)
			if err != nil {
				t.Errorf("%s: %v in\n%s", file, err, document)
				continue
			}
			objects = append(objects, object)
		}
	}
	return objects, others
}

// sets returns the documented sets of values, and the empty one.
func sets(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "examples/*.yaml"))
	must(t, err)
	if len(files) < 6 {
		t.Fatalf("%d examples", len(files))
	}
	return append(files, "")
}

func TestChartLints(t *testing.T) {
	for _, file := range sets(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			result := lint.RunAll(dir, values(t, file), "conversions")
			for _, message := range result.Messages {
				if message.Severity >= support.WarningSev {
					t.Error(message)
				}
			}
		})
	}
}

// TestChartLintsWithoutValues: a linter has no image to name. It warns of that, and finds nothing else.
func TestChartLintsWithoutValues(t *testing.T) {
	for _, controller := range []bool{false, true} {
		all := map[string]any{"controller": map[string]any{"enabled": controller}}
		for _, message := range lint.RunAll(dir, all, "conversions").Messages {
			if message.Severity >= support.WarningSev {
				t.Errorf("controller.enabled=%t: %v", controller, message)
			}
		}
	}
}

// TestChartDocumentsEachExample holds the README to the directory of examples.
func TestChartDocumentsEachExample(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	must(t, err)
	for _, file := range sets(t) {
		if file != "" && !bytes.Contains(readme, []byte("examples/"+filepath.Base(file))) {
			t.Errorf("README.md lacks examples/%s", filepath.Base(file))
		}
	}
}

// TestChartRefusesMistakes: the chart refuses mistakes before it installs anything, and names the
// value.
func TestChartRefusesMistakes(t *testing.T) {
	for _, tc := range []struct{ name, values, want string }{
		{"no image", `{}`, "image.repository must name an image"},
		{"no tag", `{image: {repository: r}}`, "image.digest or image.tag must be set"},
		{"misspelt", `{image: {repository: r, tag: t}, replica: 3}`, "replica"},
		{"unknown source", `{image: {repository: r, tag: t}, modules: {source: git}}`, "/modules/source"},
		{"no reference", `{image: {repository: r, tag: t}, modules: {source: image}}`, "modules.image.reference must be set"},
		{"no init image", `{image: {repository: r, tag: t}, modules: {source: initContainer}}`, "modules.initContainer.image must be set"},
		{"no sidecar", `{image: {repository: r, tag: t}, modules: {source: sidecar}}`, "modules.sidecar.image must be set"},
		{"no artifact", `{image: {repository: r, tag: t}, modules: {source: sidecar, sidecar: {image: i}}}`, "modules.sidecar.reference or modules.sidecar.entries must be set"},
		{"no catalogue", `{image: {repository: r, tag: t}, modules: {source: sidecar, sidecar: {image: i, entries: ["bgppeer.metallb.io:v1"]}}}`, "modules.sidecar.catalogue must be set"},
		{"an entry without a version", `{image: {repository: r, tag: t}, modules: {source: sidecar, sidecar: {image: i, catalogue: r.example.com/c, entries: [bgppeer.metallb.io]}}}`, "/modules/sidecar/entries"},
		{"no controller", `{image: {repository: r, tag: t}, certificate: {source: controller}}`, "needs controller.enabled=true"},
		{"no key", `{image: {repository: r, tag: t}, certificate: {crt: x}}`, "certificate.key must be set"},
		{"owners and modules", `{image: {repository: r, tag: t}, owners: [{name: a, groups: [g]}], modules: {configMaps: [m]}}`, "owners and modules exclude each other"},
		{"an owner's name", `{image: {repository: r, tag: t}, owners: [{name: A_b}]}`, "/owners/0/name"},
		{"an owner without kinds", `{image: {repository: r, tag: t}, owners: [{name: a, groups: [g]}, {name: b}], gateway: {require: [a/K.h_v1_v2, ab/K.g_v1_v2]}}`, "the owner b has neither groups nor kinds in gateway.require, so nothing says which kinds its modules may convert: name its API groups in groups"},
		{"an owner's group", `{image: {repository: r, tag: t}, owners: [{name: a, groups: ["g,h"]}]}`, "/owners/0/groups/0"},
		{"an owner with both", `{image: {repository: r, tag: t}, owners: [{name: a, groups: [g], configMaps: [m], image: {reference: i}}]}`, "the owner a has an image and ConfigMaps"},
		{"unknown profile", `{image: {repository: r, tag: t}, profile: tiny}`, "/profile"},
		{"a label of the selector", `{image: {repository: r, tag: t}, commonLabels: {app.kubernetes.io/name: x}}`, "invalid propertyName 'app.kubernetes.io/name'"},
		{"a port", `{image: {repository: r, tag: t}, ports: {admin: 0}}`, "/ports/admin"},
		{"one port for both", `{image: {repository: r, tag: t}, ports: {reviews: 8080}}`, "ports.reviews and ports.admin must differ"},
		{"digest", `{image: {repository: r, digest: latest}}`, "/image/digest"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var v map[string]any
			must(t, yaml.Unmarshal([]byte(tc.values), &v))
			if _, err := render(t, "crosswalk", "crosswalk-system", v); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
