package chart

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// odd has names that YAML would read as numbers, an address that ends a flow mapping, and labels in two
// places of the values.
const odd = `
image: {repository: r, tag: t}
commonLabels: {release: a, team: a}
podLabels: {team: b}
podMonitor: {enabled: true, labels: {release: b}}
serviceMonitor: {enabled: true, labels: {release: b}}
prometheusRule: {enabled: true, labels: {release: b}}
dashboard: {enabled: true, labels: {release: b}}
priorityClassName: "10"
networkPolicy: {apiServers: ["::/0", "10.0.0.0/8"], prometheusNamespaces: ["1234"]}
modules: {configMaps: ["1e3"]}
signedModules: {keyConfigMap: "0x10"}
certificate: {secretName: "1234"}
controller: {enabled: true, image: {repository: r, tag: t}}
`

// TestOddValues: each value that the schema accepts gives manifests that an API server accepts.
func TestOddValues(t *testing.T) {
	var v map[string]any
	must(t, yaml.UnmarshalStrict([]byte(odd), &v))
	for _, where := range []struct{ release, namespace string }{
		{"1234", "5678"},
		{strings.Repeat("r", 53), "n"}, // Helm's longest name
		{strings.Repeat("r", 43) + "-crosswalk", "n"},
	} {
		files, err := render(t, where.release, where.namespace, v)
		must(t, err)
		objects, others := decode(t, files)
		var pod corev1.PodTemplateSpec
		for _, o := range objects {
			meta := o.(metav1.Object)
			if s, ok := o.(*corev1.Service); ok && len(s.Name) > validation.DNS1035LabelMaxLength {
				t.Errorf("the Service %s has a name of %d characters", s.Name, len(s.Name))
			}
			if d, ok := o.(*appsv1.Deployment); ok {
				if !labels.SelectorFromSet(d.Spec.Selector.MatchLabels).Matches(labels.Set(d.Spec.Template.Labels)) {
					t.Errorf("%s does not select its pods: %v", d.Name, d.Spec.Template.Labels)
				}
				if !strings.HasSuffix(d.Name, "-controller") {
					pod = d.Spec.Template
				}
			}
			if n := meta.GetNamespace(); n != "" && n != where.namespace && n != "default" {
				t.Errorf("%T %s is in namespace %q", o, meta.GetName(), n)
			}
		}
		if pod.Labels["team"] != "b" || pod.Labels["release"] != "a" {
			t.Errorf("the pods have the labels %v", pod.Labels)
		}
		for _, o := range others {
			if l := o["metadata"].(map[string]any)["labels"].(map[string]any); l["release"] != "b" || l["team"] != "a" {
				t.Errorf("%v has the labels %v", o["kind"], l)
			}
		}
	}
	for _, place := range []string{"podLabels: {app.kubernetes.io/name: x}", "podMonitor: {labels: {app.kubernetes.io/name: x}}"} {
		var v map[string]any
		must(t, yaml.Unmarshal([]byte("{image: {repository: r, tag: t}, "+place+"}"), &v))
		if _, err := render(t, "crosswalk", "n", v); err == nil || !strings.Contains(err.Error(), "invalid propertyName 'app.kubernetes.io/name'") {
			t.Errorf("%s: %v", place, err)
		}
	}
}
