package chart

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// one returns the only object of a type with a name.
func one[T metav1.Object](t *testing.T, objects []runtime.Object, name string) (found T) {
	t.Helper()
	n := 0
	for _, o := range objects {
		if typed, ok := o.(T); ok && typed.GetName() == name {
			found, n = typed, n+1
		}
	}
	if n != 1 {
		t.Fatalf("%d objects %T named %s", n, found, name)
	}
	return found
}

// TestChartRenders renders each documented set of values under two names in two namespaces.
func TestChartRenders(t *testing.T) {
	for _, file := range sets(t) {
		for _, where := range []struct{ release, namespace, name string }{
			{"crosswalk", "crosswalk-system", "crosswalk"},
			{"conversions", "elsewhere", "conversions-crosswalk"},
		} {
			t.Run(filepath.Base(file)+"/"+where.release, func(t *testing.T) {
				files, err := render(t, where.release, where.namespace, values(t, file))
				must(t, err)
				objects, others := decode(t, files)
				for _, o := range objects {
					meta := o.(metav1.Object)
					if !strings.HasPrefix(meta.GetName(), where.name) {
						t.Errorf("%T is named %s", o, meta.GetName())
					}
					// The controller's events about definitions are in the namespace default.
					events := strings.HasSuffix(meta.GetName(), "-controller-"+where.namespace)
					if namespaced(o) && meta.GetNamespace() != where.namespace && !(events && meta.GetNamespace() == "default") {
						t.Errorf("%T %s is in namespace %q", o, meta.GetName(), meta.GetNamespace())
					}
				}
				for _, o := range others {
					if o["kind"] == "Certificate" && o["metadata"].(map[string]any)["name"] == where.name {
						if got := o["spec"].(map[string]any)["dnsNames"].([]any); len(got) != 1 || got[0] != where.name+"."+where.namespace+".svc" {
							t.Errorf("the certificate is for %v", got)
						}
					}
				}
				d := one[*appsv1.Deployment](t, objects, where.name)
				checkPod(t, d)
				service := one[*corev1.Service](t, objects, where.name)
				if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)) || service.Spec.Ports[0].TargetPort.StrVal != "reviews" {
					t.Errorf("the Service selects %v, port %+v", service.Spec.Selector, service.Spec.Ports)
				}
				policy := one[*networkingv1.NetworkPolicy](t, objects, where.name)
				if policy.Spec.Egress != nil && len(policy.Spec.Egress) == 0 {
					t.Error("API servers drop an empty list of egress rules, and each apply would report a change")
				}
				for file, text := range files {
					if strings.HasSuffix(file, "NOTES.txt") && (!strings.Contains(text, "-n "+where.namespace) || !strings.Contains(text, where.name)) {
						t.Errorf("the notes are\n%s", text)
					}
				}
			})
		}
	}
}

// namespaced reports whether objects of this type lie in a namespace.
func namespaced(o runtime.Object) bool {
	kind := o.GetObjectKind().GroupVersionKind().Kind
	return !strings.HasPrefix(kind, "Cluster") && !strings.Contains(kind, "AdmissionPolicy")
}

// checkPod goes through the level "restricted" of Pod Security, the volumes, and the sums of memory
// and time.
func checkPod(t *testing.T, d *appsv1.Deployment) {
	t.Helper()
	pod := d.Spec.Template.Spec
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	if s := pod.SecurityContext; s == nil || !is(s.RunAsNonRoot, true) || s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("pod security context: %+v", s)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if v.HostPath != nil {
			t.Errorf("volume %s is of the host", v.Name)
		}
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		s := c.SecurityContext
		if s == nil || !is(s.AllowPrivilegeEscalation, false) || !is(s.ReadOnlyRootFilesystem, true) || s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("security context of %s: %+v", c.Name, s)
		}
		if c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s has no limit of memory", c.Name)
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] || m.SubPath != "" {
				t.Errorf("%s mounts %+v", c.Name, m)
			}
		}
	}
	gateway := pod.Containers[0]
	mounted := map[string]bool{}
	for _, m := range gateway.VolumeMounts {
		mounted[m.MountPath] = true
	}
	var ending time.Duration
	for _, arg := range gateway.Args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "--modules":
			if _, dir, owned := strings.Cut(value, "="); owned {
				value = dir
			}
			if !mounted[value] {
				t.Errorf("%s is not mounted", arg)
			}
		case "--verify-key", "--tls-cert-file", "--tls-key-file", "--compile-cache":
			if !mounted[filepath.Dir(value)] {
				t.Errorf("%s is not mounted", arg)
			}
		case "--drain-delay", "--shutdown-timeout":
			part, err := time.ParseDuration(value)
			must(t, err)
			ending += part
		}
	}
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; ending == 0 || grace < ending+10*time.Second {
		t.Errorf("%v to end, of which draining may take %v", grace, ending)
	}
	if limit, sum := gateway.Resources.Limits.Memory().Value(), worst(gateway); sum > limit {
		t.Errorf("a memory limit of %d for a sum of %d", limit, sum)
	}
}

// worst is the sum of docs/use/tasks.md, "Sizing", with the gateway's flags and their defaults.
func worst(gateway corev1.Container) int64 {
	const mebi = 1 << 20
	flags := map[string]string{
		"module-memory-bytes": "64Mi", "max-module-bytes": "32Mi", "max-loaded-bytes": "1Gi", "vet-memory-bytes": "1Gi", "max-definition-bytes": "256Mi",
		"max-body-bytes-in-flight": "256Mi", "cache-bytes": "64Mi", "max-connections": "1000",
	}
	for _, arg := range gateway.Args {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		flags[name] = value
	}
	environment := map[string]string{}
	for _, e := range gateway.Env {
		environment[e.Name] = strings.TrimSuffix(e.Value, "B")
	}
	number := func(s string) int64 { q := resource.MustParse(s); return q.Value() }
	size := func(flag string) int64 { return number(flags[flag]) }
	processors, heap := number(environment["GOMAXPROCS"]), number(environment["GOMEMLIMIT"])
	if needed := 4*size("max-body-bytes-in-flight") + size("cache-bytes") + size("max-definition-bytes") + (processors+1)*size("max-module-bytes") + size("max-connections")*80<<10; needed > heap {
		heap = needed // the collector cannot keep GOMEMLIMIT then
	}
	return size("max-instances")*(size("module-memory-bytes")+12*mebi) + min(size("max-instances"), 8*processors)*8*mebi +
		size("vet-memory-bytes") + min(size("max-definition-bytes"), 160*mebi) + size("max-loaded-bytes") + heap
}

// TestLargeProfileEqualsExample: the chart's large profile has the flags and resources of
// deploy/examples/large.
func TestLargeProfileEqualsExample(t *testing.T) {
	content, err := os.ReadFile("../../deploy/examples/large/deployment.yaml")
	must(t, err)
	var large appsv1.Deployment
	must(t, yaml.UnmarshalStrict(content, &large))
	v := values(t, "")
	v["profile"] = "large"
	files, err := render(t, "crosswalk", "crosswalk-system", v)
	must(t, err)
	objects, _ := decode(t, files)
	d := one[*appsv1.Deployment](t, objects, "crosswalk")
	checkPod(t, d)
	want, got := large.Spec.Template.Spec.Containers[0], d.Spec.Template.Spec.Containers[0]
	slices.Sort(want.Args)
	if got.Args = slices.DeleteFunc(got.Args, func(arg string) bool { return arg == "--log-level=info" || arg == "--schema-check=report" }); !slices.Equal(slices.Sorted(slices.Values(got.Args)), want.Args) {
		t.Errorf("the chart has the flags\n%q\nwant\n%q", got.Args, want.Args)
	}
	if !slices.ContainsFunc(got.Env, func(e corev1.EnvVar) bool { return e == want.Env[0] }) {
		t.Errorf("the chart has %+v, want %+v", got.Env, want.Env)
	}
	if !got.Resources.Limits.Memory().Equal(*want.Resources.Limits.Memory()) || !got.Resources.Requests.Memory().Equal(*want.Resources.Requests.Memory()) {
		t.Errorf("the chart has %+v, want %+v", got.Resources, want.Resources)
	}
}

// TestChartEqualsBase: with default values the chart's pod is the pod of deploy/base, except for
// labels, names and the flags that the chart always sets.
func TestChartEqualsBase(t *testing.T) {
	content, err := os.ReadFile("../../deploy/base/deployment.yaml")
	must(t, err)
	var base appsv1.Deployment
	must(t, yaml.UnmarshalStrict(content, &base))
	files, err := render(t, "crosswalk", "crosswalk-system", values(t, ""))
	must(t, err)
	objects, _ := decode(t, files)
	got := one[*appsv1.Deployment](t, objects, "crosswalk")
	want := base.Spec.Template.Spec
	pod := got.Spec.Template.Spec
	for _, arg := range want.Containers[0].Args {
		if !slices.Contains(pod.Containers[0].Args, arg) {
			t.Errorf("the chart's gateway lacks the flag %s", arg)
		}
	}
	pod.Containers[0].Args, pod.Containers[0].Image, pod.Containers[0].ImagePullPolicy = want.Containers[0].Args, want.Containers[0].Image, want.Containers[0].ImagePullPolicy
	for i := range pod.TopologySpreadConstraints {
		pod.TopologySpreadConstraints[i].LabelSelector = want.TopologySpreadConstraints[i].LabelSelector
	}
	a, err := yaml.Marshal(want)
	must(t, err)
	b, err := yaml.Marshal(pod)
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Errorf("the base has\n%s\nand the chart\n%s", a, b)
	}
}

// TestSidecarTrustsRegistryCA: the certificate lies where crosswalk pull looks for it, by the
// registry's host and port.
func TestSidecarTrustsRegistryCA(t *testing.T) {
	v := values(t, filepath.Join(dir, "examples/sidecar.yaml"))
	sidecar := v["modules"].(map[string]any)["sidecar"].(map[string]any)
	sidecar["registryCA"], sidecar["reference"] = "registry-ca", "registry.example.com:5000/team/modules:v1"
	files, err := render(t, "crosswalk", "crosswalk-system", v)
	must(t, err)
	objects, _ := decode(t, files)
	d := one[*appsv1.Deployment](t, objects, "crosswalk")
	checkPod(t, d)
	pod := d.Spec.Template.Spec
	if args := pod.InitContainers[0].Args; !slices.Contains(args, "--certs-dir=/certs") {
		t.Errorf("arguments %q", args)
	}
	if mounts := pod.InitContainers[0].VolumeMounts; !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == "registry-ca" && m.MountPath == "/certs" }) {
		t.Errorf("mounts %+v", mounts)
	}
	for _, volume := range pod.Volumes {
		if volume.Name == "registry-ca" {
			if c := volume.ConfigMap; c == nil || c.Name != "registry-ca" || len(c.Items) != 1 || c.Items[0].Path != "registry.example.com:5000/ca.crt" {
				t.Errorf("volume %+v", c)
			}
			return
		}
	}
	t.Error("there is no volume with the certificate")
}

// TestSidecarPullsEntries: the sidecar pulls the reference and each entry of the catalogue into one
// directory.
func TestSidecarPullsEntries(t *testing.T) {
	const bgpPeer, workload = "registry.example.com/catalogue/bgppeer.metallb.io:v0.16.2", "registry.example.com/catalogue/workload.kueue.x-k8s.io:v0.15.0"
	for _, tc := range []struct {
		name, reference string
		want            []string
	}{
		{"entries", "", []string{"pull", "--watch=1m", "--certs-dir=/certs", bgpPeer, workload, "/to"}},
		{"and a reference", "localhost:5000/team:v1", []string{"pull", "--watch=1m", "--certs-dir=/certs", "localhost:5000/team:v1", bgpPeer, workload, "/to"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := values(t, filepath.Join(dir, "examples/catalogue.yaml"))
			sidecar := v["modules"].(map[string]any)["sidecar"].(map[string]any)
			sidecar["reference"], sidecar["registryCA"] = tc.reference, "registry-ca"
			files, err := render(t, "crosswalk", "crosswalk-system", v)
			must(t, err)
			objects, _ := decode(t, files)
			pod := one[*appsv1.Deployment](t, objects, "crosswalk").Spec.Template.Spec
			if args := pod.InitContainers[0].Args; !slices.Equal(args, tc.want) {
				t.Errorf("arguments %q, want %q", args, tc.want)
			}
			host, _, _ := strings.Cut(tc.want[3], "/")
			for _, volume := range pod.Volumes {
				if volume.Name == "registry-ca" && volume.ConfigMap.Items[0].Path != host+"/ca.crt" {
					t.Errorf("the certificate authority is at %s, not of %s", volume.ConfigMap.Items[0].Path, host)
				}
			}
		})
	}
}
