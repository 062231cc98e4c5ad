package chart

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// with renders the chart with the least values and some more, as release crosswalk.
func with(t *testing.T, text string) ([]runtime.Object, []map[string]any) {
	t.Helper()
	v := values(t, "")
	var more map[string]any
	must(t, yaml.UnmarshalStrict([]byte(text), &more))
	maps.Copy(v, more)
	files, err := render(t, "crosswalk", "crosswalk-system", v)
	must(t, err)
	return decode(t, files)
}

func gateway(t *testing.T, text string) *appsv1.Deployment {
	t.Helper()
	objects, _ := with(t, text)
	return one[*appsv1.Deployment](t, objects, "crosswalk")
}

// TestProfiles: the default profile stays below 512 MiB, and a value of the user
// overrides the profile's.
func TestProfiles(t *testing.T) {
	for _, tc := range []struct{ name, values, limit, request string }{
		{"small", "", "512Mi", "128Mi"},
		{"large", "profile: large", "4608Mi", "256Mi"},
		{"limit overridden", "resources: {limits: {memory: 1Gi}}", "1Gi", "128Mi"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := gateway(t, tc.values)
			checkPod(t, d)
			r := d.Spec.Template.Spec.Containers[0].Resources
			if got := r.Limits.Memory().String(); got != tc.limit {
				t.Errorf("limit %s, want %s", got, tc.limit)
			}
			if got := r.Requests.Memory().String(); got != tc.request || r.Requests.Cpu().String() != "500m" {
				t.Errorf("requests %+v, want %s", r.Requests, tc.request)
			}
		})
	}
	args := gateway(t, "gateway: {maxInstances: 6, maxLoadedBytes: 64Mi, goMemoryLimit: 300MiB, extraArgs: [--cache-bytes=1Mi]}").Spec.Template.Spec.Containers[0]
	if !slices.Contains(args.Args, "--max-instances=6") || !slices.Contains(args.Args, "--max-loaded-bytes=64Mi") || args.Env[1].Value != "300MiB" {
		t.Errorf("overridden: %q %+v", args.Args, args.Env)
	}
	if slices.Index(args.Args, "--cache-bytes=1Mi") < slices.Index(args.Args, "--cache-bytes=8Mi") {
		t.Errorf("the profile overrides extraArgs: %q", args.Args)
	}
}

// TestAutoscalerTarget: the autoscaler's default target is six tenths of the conversions for which the
// requested CPU suffices, by the figure of docs/use/tasks.md.
func TestAutoscalerTarget(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "use", "tasks.md"))
	must(t, err)
	found := regexp.MustCompile(`one CPU converts some ([0-9,]+) objects a second`).FindSubmatch(page)
	if found == nil {
		t.Fatal("the page does not say how many objects one CPU converts")
	}
	perCPU, err := strconv.ParseInt(strings.ReplaceAll(string(found[1]), ",", ""), 10, 64)
	must(t, err)
	objects, _ := with(t, "autoscaling: {enabled: true}")
	target := one[*autoscalingv2.HorizontalPodAutoscaler](t, objects, "crosswalk").Spec.Metrics[0].Pods.Target.AverageValue.Value()
	cpu := one[*appsv1.Deployment](t, objects, "crosswalk").Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	if want := perCPU * cpu / 1000 * 6 / 10; target != want {
		t.Errorf("the target is %d conversions a second, want %d", target, want)
	}
}

// TestHostNetwork: pods on the host's network find names of the cluster, listen on ports of their
// own, and a rollout needs no third node.
func TestHostNetwork(t *testing.T) {
	objects, _ := with(t, "{hostNetwork: true, ports: {reviews: 19443, admin: 18080}}")
	d := one[*appsv1.Deployment](t, objects, "crosswalk")
	pod, update := d.Spec.Template.Spec, d.Spec.Strategy.RollingUpdate
	if !pod.HostNetwork || pod.DNSPolicy != corev1.DNSClusterFirstWithHostNet || update.MaxSurge.IntValue() != 0 || update.MaxUnavailable.IntValue() != 1 {
		t.Errorf("hostNetwork %v, dnsPolicy %s, %+v", pod.HostNetwork, pod.DNSPolicy, update)
	}
	c := pod.Containers[0]
	if !slices.Contains(c.Args, "--listen=:19443") || !slices.Contains(c.Args, "--admin-listen=:18080") || c.Ports[0].ContainerPort != 19443 || c.Ports[1].ContainerPort != 18080 {
		t.Errorf("%q %+v", c.Args, c.Ports)
	}
	if s := one[*corev1.Service](t, objects, "crosswalk").Spec.Ports[0]; s.Port != 443 || s.TargetPort.StrVal != "reviews" {
		t.Errorf("the Service has %+v", s)
	}
	if p := one[*networkingv1.NetworkPolicy](t, objects, "crosswalk").Spec.Ingress[0].Ports[0].Port; p.StrVal != "reviews" {
		t.Errorf("the policy names port %v", p)
	}
	if pod := gateway(t, "dnsPolicy: Default").Spec.Template.Spec; pod.HostNetwork || pod.DNSPolicy != corev1.DNSDefault {
		t.Errorf("hostNetwork %v, dnsPolicy %s", pod.HostNetwork, pod.DNSPolicy)
	}
}

// TestOpenShiftUsers: null removes the users, so that OpenShift's admission chooses them.
func TestOpenShiftUsers(t *testing.T) {
	objects, _ := with(t, "{podSecurityContext: {runAsUser: null, runAsGroup: null, fsGroup: null}, controller: {enabled: true, image: {repository: r, tag: t}}}")
	for _, name := range []string{"crosswalk", "crosswalk-controller"} {
		d := one[*appsv1.Deployment](t, objects, name)
		if s := d.Spec.Template.Spec.SecurityContext; s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil || s.RunAsNonRoot == nil || s.SeccompProfile == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestPlacementAndExtras: what the values add to the pods.
func TestPlacementAndExtras(t *testing.T) {
	objects, _ := with(t, `
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
topologySpreadConstraints: [{topologyKey: rack, maxSkew: 2, whenUnsatisfiable: DoNotSchedule}]
priorityClassName: system-cluster-critical
containerSecurityContext: {seLinuxOptions: {type: spc_t}}
gateway:
  extraEnv: [{name: TZ, value: UTC}]
  extraVolumeMounts: [{name: certs, mountPath: /etc/ssl/certs, readOnly: true}]
extraVolumes: [{name: certs, configMap: {name: ca}}]
controller: {enabled: true, replicas: 2, extraEnv: [{name: TZ, value: UTC}], image: {repository: r, tag: t}}
`)
	d := one[*appsv1.Deployment](t, objects, "crosswalk")
	checkPod(t, d)
	pod := d.Spec.Template.Spec
	if pod.Affinity == nil || pod.Affinity.NodeAffinity == nil || len(pod.TopologySpreadConstraints) != 1 || pod.TopologySpreadConstraints[0].TopologyKey != "rack" || pod.PriorityClassName != "system-cluster-critical" {
		t.Errorf("%+v", pod)
	}
	c := pod.Containers[0]
	if c.SecurityContext.SELinuxOptions == nil || !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "TZ" }) ||
		!slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "certs" }) || !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "certs" }) {
		t.Errorf("%+v", c)
	}
	controller := one[*appsv1.Deployment](t, objects, "crosswalk-controller")
	if e := controller.Spec.Template.Spec.Containers[0].Env; *controller.Spec.Replicas != 2 || len(e) != 1 || controller.Spec.Template.Spec.PriorityClassName == "" || controller.Spec.Template.Spec.Affinity == nil {
		t.Errorf("the controller: %+v", controller.Spec)
	}
}

// TestCommonMetadata: every object of every documented set has the labels and annotations of all
// objects, and selectors have none of them, because a Deployment's cannot change.
func TestCommonMetadata(t *testing.T) {
	for _, file := range sets(t) {
		v := values(t, file)
		maps.Copy(v, map[string]any{
			"commonLabels": map[string]any{"team": "platform"}, "commonAnnotations": map[string]any{"owner": "a: b"}, "serviceAccount": map[string]any{"annotations": map[string]any{"role": "x"}},
			"serviceMonitor": map[string]any{"enabled": true},
		})
		files, err := render(t, "crosswalk", "crosswalk-system", v)
		must(t, err)
		objects, others := decode(t, files)
		for _, o := range objects {
			meta := o.(metav1.Object)
			if meta.GetLabels()["team"] != "platform" || meta.GetAnnotations()["owner"] != "a: b" {
				t.Errorf("%s: %T %s has %v %v", filepath.Base(file), o, meta.GetName(), meta.GetLabels(), meta.GetAnnotations())
			}
		}
		for _, o := range others {
			meta := o["metadata"].(map[string]any)
			labels, _ := meta["labels"].(map[string]any)
			annotations, _ := meta["annotations"].(map[string]any)
			if labels["team"] != "platform" || annotations["owner"] != "a: b" {
				t.Errorf("%s: %v has %v %v", filepath.Base(file), o["kind"], labels, annotations)
			}
		}
		if got := one[*corev1.ServiceAccount](t, objects, "crosswalk").Annotations; got["role"] != "x" {
			t.Errorf("the account has %v", got)
		}
		if s := one[*appsv1.Deployment](t, objects, "crosswalk").Spec; s.Selector.MatchLabels["team"] != "" || s.Template.Labels["team"] != "platform" {
			t.Errorf("selector %v, labels %v", s.Selector.MatchLabels, s.Template.Labels)
		}
	}
}

// TestServiceMonitor: it finds the metrics' Service and not the one of the reviews, and the ports
// have the names that it scrapes.
func TestServiceMonitor(t *testing.T) {
	objects, others := with(t, "{serviceMonitor: {enabled: true, labels: {release: p}}, controller: {enabled: true, image: {repository: r, tag: t}}}")
	monitors := 0
	for _, o := range others {
		if o["kind"] != "ServiceMonitor" {
			continue
		}
		monitors++
		spec := o["spec"].(map[string]any)
		want := labels.Set{}
		for k, v := range spec["selector"].(map[string]any)["matchLabels"].(map[string]any) {
			want[k] = v.(string)
		}
		var found []string
		for _, object := range objects {
			if s, ok := object.(*corev1.Service); ok && labels.SelectorFromSet(want).Matches(labels.Set(s.Labels)) {
				found = append(found, s.Name)
				d := one[*appsv1.Deployment](t, objects, strings.TrimSuffix(s.Name, "-metrics"))
				port := spec["endpoints"].([]any)[0].(map[string]any)["port"]
				if s.Spec.ClusterIP != "None" || !s.Spec.PublishNotReadyAddresses || s.Spec.Ports[0].Name != port || !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)) ||
					!slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == s.Spec.Ports[0].TargetPort.StrVal }) {
					t.Errorf("%s: %+v", s.Name, s.Spec)
				}
			}
		}
		if len(found) != 1 {
			t.Errorf("%v finds the Services %q", want, found)
		}
	}
	if monitors != 2 {
		t.Errorf("%d monitors", monitors)
	}
}
