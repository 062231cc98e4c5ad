// Package test checks the files in deploy: API servers accept them, and they fit each other and the
// gateway.
package test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
)

const deploy = "../deploy"

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme, admissionv1.AddToScheme} {
		must(t, add(scheme))
	}
	crdinstall.Install(scheme)
	return scheme
}

// decode decodes YAML documents and reports fields that do not exist or are there twice. It leaves
// out kinds that are not Kubernetes' own.
func decode(t *testing.T, content []byte) (objects []runtime.Object) {
	t.Helper()
	scheme := newScheme(t)
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		must(t, err)
		var meta metav1.TypeMeta
		must(t, yaml.Unmarshal(document, &meta))
		group, _, _ := strings.Cut(meta.APIVersion, "/")
		if slices.Contains([]string{"kustomize.config.k8s.io", "cert-manager.io", "monitoring.coreos.com"}, group) {
			continue
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("%v in\n%s", err, document)
			continue
		}
		objects = append(objects, object)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// in returns the one object of a type in a file of deploy.
func in[T runtime.Object](t *testing.T, file string) (found T) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(deploy, file))
	must(t, err)
	objects := decode(t, content)
	if len(objects) != 1 {
		t.Fatalf("%s has %d objects, want 1", file, len(objects))
	}
	found, ok := objects[0].(T)
	if !ok {
		t.Fatalf("%s has a %T, want a %T", file, objects[0], found)
	}
	return found
}

func TestDeployDecodes(t *testing.T) {
	files := 0
	must(t, filepath.WalkDir(deploy, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "chart" || d.Name() == "catalogue" || d.Name() == "release") {
			return fs.SkipDir // templates, which test/chart renders, and lists of make catalogue and make release, which their own tests read
		}
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		decode(t, content)
		return err
	}))
	if files < 10 {
		t.Errorf("found %d files", files)
	}
}

// TestDeployKustomizations also decodes kubectl's output for each kustomization, if kubectl is
// installed.
func TestDeployKustomizations(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("there is no kubectl")
	}
	for _, tc := range []struct {
		dir     string
		volume  func(corev1.VolumeSource) bool // whether modules come from where they should
		objects int
	}{
		{"base", func(v corev1.VolumeSource) bool { return v.Projected != nil && len(v.Projected.Sources) == 1 }, 6},
		{"cert-manager", func(v corev1.VolumeSource) bool { return v.Projected != nil }, 6},
		{"controller", func(v corev1.VolumeSource) bool { return v.Projected != nil && len(v.Projected.Sources) == 2 }, 16},
		{"examples/several-configmaps", func(v corev1.VolumeSource) bool { return v.Projected != nil && len(v.Projected.Sources) == 2 }, 6},
		{"examples/image-volume", func(v corev1.VolumeSource) bool { return v.Projected == nil && v.Image != nil }, 6},
		{"examples/signed-modules", func(v corev1.VolumeSource) bool { return v.Projected != nil && len(v.Projected.Sources) == 1 }, 6},
		{"examples/monitoring", func(v corev1.VolumeSource) bool { return v.Projected != nil && len(v.Projected.Sources) == 1 }, 6},
		{"examples/oci", func(v corev1.VolumeSource) bool { return v.Projected == nil && v.EmptyDir != nil }, 6},
		{"examples/init-container", func(v corev1.VolumeSource) bool { return v.Projected == nil && v.EmptyDir != nil }, 6},
	} {
		t.Run(tc.dir, func(t *testing.T) {
			content, err := exec.Command(kubectl, "kustomize", filepath.Join(deploy, tc.dir)).Output()
			must(t, err)
			objects := decode(t, content)
			if len(objects) != tc.objects {
				t.Errorf("%d objects, want %d", len(objects), tc.objects)
			}
			for _, object := range objects {
				accessor := object.(metav1.Object)
				namespace := "crosswalk-system"
				switch object.(type) {
				case *corev1.Namespace, *rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding, *admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding:
					namespace = ""
				case *rbacv1.Role, *rbacv1.RoleBinding:
					if strings.HasSuffix(accessor.GetName(), "-events") {
						namespace = "default"
					}
				}
				if accessor.GetNamespace() != namespace {
					t.Errorf("%T %s is in namespace %q", object, accessor.GetName(), accessor.GetNamespace())
				}
				if p, ok := object.(*networkingv1.NetworkPolicy); ok && tc.dir == "examples/monitoring" {
					if len(p.Spec.Ingress) != 2 || p.Spec.Ingress[1].Ports[0].Port.StrVal != "admin" || len(p.Spec.Ingress[1].From) != 1 {
						t.Errorf("Prometheus is let in by %+v", p.Spec.Ingress)
					}
				}
				if d, ok := object.(*appsv1.Deployment); ok {
					if d.Name == "crosswalk-controller" { // the only one with rights, and no modules
						without := d.Spec.Template.Spec.DeepCopy()
						without.AutomountServiceAccountToken = new(bool)
						checkRestricted(t, *without)
						continue
					}
					checkRestricted(t, d.Spec.Template.Spec)
					i := slices.IndexFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == "modules" })
					if i < 0 || !tc.volume(d.Spec.Template.Spec.Volumes[i].VolumeSource) {
						t.Errorf("modules come from %+v", d.Spec.Template.Spec.Volumes)
					}
				}
			}
		})
	}
}

// TestDeployCertificateNamesItsService: the certificate's name follows the Service and the
// namespace of the kustomization, and renaming the namespace there is sufficient.
func TestDeployCertificateNamesItsService(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("there is no kubectl")
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(deploy)))
	for _, namespace := range []string{"crosswalk-system", "elsewhere"} {
		file := filepath.Join(dir, "cert-manager/kustomization.yaml")
		content, err := os.ReadFile(file)
		must(t, err)
		must(t, os.WriteFile(file, bytes.ReplaceAll(content, []byte("namespace: crosswalk-system"), []byte("namespace: "+namespace)), 0o600))
		rendered, err := exec.Command(kubectl, "kustomize", filepath.Dir(file)).Output()
		must(t, err)
		if want := "dnsNames:\n  - crosswalk." + namespace + ".svc\n"; !strings.Contains(string(rendered), want) {
			t.Errorf("the manifests lack %q:\n%s", want, rendered)
		}
	}
}

// TestDeployExamplesWithFlags asserts that examples which add a flag name their mount in it, and
// keep all other flags.
func TestDeployExamplesWithFlags(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("there is no kubectl")
	}
	base := in[*appsv1.Deployment](t, "base/deployment.yaml").Spec.Template.Spec.Containers[0].Args
	for _, tc := range []struct {
		dir, flag, volume, path, configMap string
		optional                           bool
	}{
		{"examples/signed-modules", "--verify-key=/verify/release.pub", "verify", "/verify", "crosswalk-verify-key", false},
	} {
		t.Run(tc.dir, func(t *testing.T) {
			content, err := exec.Command(kubectl, "kustomize", filepath.Join(deploy, tc.dir)).Output()
			must(t, err)
			objects := decode(t, content)
			i := slices.IndexFunc(objects, func(o runtime.Object) bool { _, ok := o.(*appsv1.Deployment); return ok })
			pod := objects[i].(*appsv1.Deployment).Spec.Template.Spec
			if got := pod.Containers[0].Args; !slices.Equal(got, append(slices.Clone(base), tc.flag)) {
				t.Errorf("flags %q", got)
			}
			mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
				return m.Name == tc.volume && m.MountPath == tc.path && m.ReadOnly
			})
			there := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
				return v.Name == tc.volume && v.ConfigMap != nil && v.ConfigMap.Name == tc.configMap && (v.ConfigMap.Optional != nil && *v.ConfigMap.Optional) == tc.optional
			})
			if !mounted || !there {
				t.Errorf("%s is mounted: %v, and comes from its ConfigMap: %v", tc.volume, mounted, there)
			}
		})
	}
}

// TestDeployCompileCache: the compile cache is on, on a disk, in a directory of the gateway's own,
// and with room for all that is kept there.
func TestDeployCompileCache(t *testing.T) {
	pod := in[*appsv1.Deployment](t, "base/deployment.yaml").Spec.Template.Spec
	if !slices.Contains(pod.Containers[0].Args, "--compile-cache=/cache/crosswalk") {
		t.Errorf("flags %q", pod.Containers[0].Args)
	}
	mount := slices.IndexFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/cache" && !m.ReadOnly })
	if mount < 0 {
		t.Fatalf("mounts %+v", pod.Containers[0].VolumeMounts)
	}
	volume := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == pod.Containers[0].VolumeMounts[mount].Name })
	disk := pod.Volumes[volume].EmptyDir
	if disk == nil || disk.Medium != corev1.StorageMediumDefault || disk.SizeLimit == nil {
		t.Fatalf("the cache is on %+v", pod.Volumes[volume])
	}
	most := resource.MustParse("512Mi") // directoryBytes of runtime/module, which keeps four times as much
	if disk.SizeLimit.Value() <= 4*most.Value() {
		t.Errorf("%v for a cache of four times %v: the pod would be evicted", disk.SizeLimit, &most)
	}
}

// checkRestricted goes through the fields of the Pod Security level "restricted", and some that are
// not among them.
func checkRestricted(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	s := pod.SecurityContext
	if s == nil || !is(s.RunAsNonRoot, true) || s.RunAsUser == nil || *s.RunAsUser != 65532 || s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("pod security context: %+v", s)
	}
	if !is(pod.AutomountServiceAccountToken, false) || pod.HostNetwork || pod.HostPID || pod.HostIPC {
		t.Error("the pod has a token, or a namespace of the host")
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		s := c.SecurityContext
		if s == nil || !is(s.AllowPrivilegeEscalation, false) || !is(s.ReadOnlyRootFilesystem, true) || s.Privileged != nil ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
			t.Errorf("security context of %s: %+v", c.Name, s)
		}
		if _, ok := c.Resources.Limits[corev1.ResourceMemory]; !ok {
			t.Errorf("%s has no limit of memory", c.Name)
		}
		for _, mount := range c.VolumeMounts {
			if mount.SubPath != "" || mount.SubPathExpr != "" {
				t.Errorf("%s mounts %s with a subPath, which is never updated", c.Name, mount.Name)
			}
		}
	}
	for _, v := range pod.Volumes {
		if v.HostPath != nil {
			t.Errorf("volume %s is of the host", v.Name)
		}
	}
}

func TestDeployFits(t *testing.T) {
	d := in[*appsv1.Deployment](t, "base/deployment.yaml")
	pod, gateway := d.Spec.Template.Spec, d.Spec.Template.Spec.Containers[0]
	checkRestricted(t, pod)

	// One set of labels holds all of it together.
	want := map[string]string{"app.kubernetes.io/name": "crosswalk"}
	service := in[*corev1.Service](t, "base/service.yaml")
	budget := in[*policyv1.PodDisruptionBudget](t, "base/poddisruptionbudget.yaml")
	policy := in[*networkingv1.NetworkPolicy](t, "base/networkpolicy.yaml")
	for name, got := range map[string]map[string]string{
		"Deployment": d.Spec.Selector.MatchLabels, "pods": d.Spec.Template.Labels, "Service": service.Spec.Selector,
		"PodDisruptionBudget": budget.Spec.Selector.MatchLabels, "NetworkPolicy": policy.Spec.PodSelector.MatchLabels,
		"hosts": pod.TopologySpreadConstraints[0].LabelSelector.MatchLabels, "zones": pod.TopologySpreadConstraints[1].LabelSelector.MatchLabels,
	} {
		if len(got) != 1 || got["app.kubernetes.io/name"] != want["app.kubernetes.io/name"] {
			t.Errorf("labels of %s: %v, want %v", name, got, want)
		}
	}
	if *d.Spec.Replicas < 2 || budget.Spec.MaxUnavailable.IntValue() >= int(*d.Spec.Replicas) {
		t.Error("nothing is left while a node is drained")
	}

	// Ports, from the flags to the Service.
	ports := map[string]int32{}
	for _, p := range gateway.Ports {
		ports[p.Name] = p.ContainerPort
	}
	flags := map[string]string{}
	for _, arg := range gateway.Args {
		name, value, _ := strings.Cut(arg, "=")
		flags[name] = value
	}
	if ports["reviews"] != 9443 || flags["--listen"] != ":9443" || ports["admin"] != 8080 || flags["--admin-listen"] != ":8080" {
		t.Errorf("ports %v, flags %v", ports, flags)
	}
	if service.Spec.Ports[0].TargetPort.StrVal != "reviews" || gateway.ReadinessProbe.HTTPGet.Port.StrVal != "admin" || gateway.LivenessProbe.HTTPGet.Port.StrVal != "admin" {
		t.Error("a port is not one of the gateway's")
	}
	// An API server drops an empty list of rules for egress, and each apply would report a change.
	if p := policy.Spec; len(p.PolicyTypes) != 2 || p.Egress != nil || len(p.Ingress) != 1 || p.Ingress[0].Ports[0].Port.StrVal != "reviews" {
		t.Errorf("network policy %+v", p)
	}

	// Paths, and a key that only the group may read.
	for _, mount := range gateway.VolumeMounts {
		if mount.MountPath == filepath.Dir(flags["--compile-cache"]) {
			continue // the one place that the gateway writes
		}
		if !mount.ReadOnly || mount.MountPath != flags["--modules"] && mount.MountPath != filepath.Dir(flags["--tls-cert-file"]) {
			t.Errorf("mount %+v", mount)
		}
	}
	for _, v := range pod.Volumes {
		if v.Secret != nil && *v.Secret.DefaultMode != 0o440 {
			t.Errorf("the key has mode %o", *v.Secret.DefaultMode)
		}
	}

	// Termination takes at least as long as the flags allow.
	var ending time.Duration
	for _, name := range []string{"--drain-delay", "--shutdown-timeout"} {
		part, err := time.ParseDuration(flags[name])
		must(t, err)
		ending += part
	}
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < ending+10*time.Second {
		t.Errorf("%v to end, of which draining may take %v", grace, ending)
	}

	// Memory: the sum in the manifest's comment.
	quantity := func(s string) int64 { q := resource.MustParse(s); return q.Value() }
	var heap int64
	for _, e := range gateway.Env {
		if e.Name == "GOMEMLIMIT" {
			heap = quantity(strings.TrimSuffix(e.Value, "B"))
		}
	}
	limit := gateway.Resources.Limits.Memory().Value()
	size := func(flag string) int64 { return quantity(flags[flag]) }
	if least := 4*size("--max-body-bytes-in-flight") + size("--cache-bytes") + size("--max-definition-bytes") + 3*size("--max-module-bytes") + size("--max-connections")*80<<10; heap < least {
		t.Errorf("GOMEMLIMIT of %d for a heap of %d", heap, least)
	}
	instances := size("--max-instances") * (size("--module-memory-bytes") + quantity("12Mi") + quantity("8Mi"))
	children := size("--vet-memory-bytes") + size("--max-definition-bytes")
	if sum := heap + instances + children + size("--max-loaded-bytes"); heap == 0 || sum > limit {
		t.Errorf("a limit of %d for a sum of %d", limit, sum)
	}
}

// The gateway knows every flag that the Deployment gives it.
func TestDeployFlags(t *testing.T) {
	binary, err := artifacts.Gateway(t.Context())
	must(t, err)
	args := in[*appsv1.Deployment](t, "base/deployment.yaml").Spec.Template.Spec.Containers[0].Args
	if out, err := exec.Command(binary, append(slices.Clone(args), "--version")...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestDeployCRDsAreThePluginsOne: the examples of modules are written for this definition, and
// crosswalk init makes a project from each of its copies that passes with the same converter.
func TestDeployCRDsAreThePluginsOne(t *testing.T) {
	want := in[*apiextensionsv1.CustomResourceDefinition](t, "../plugins/crontab/crd.yaml")
	for _, file := range []string{"examples/crd.yaml", "examples/crd-cert-manager.yaml"} {
		if got := in[*apiextensionsv1.CustomResourceDefinition](t, file); !reflect.DeepEqual(got.Spec.Versions, want.Spec.Versions) || !reflect.DeepEqual(got.Spec.Names, want.Spec.Names) {
			t.Errorf("%s and plugins/crontab/crd.yaml have different versions or names", file)
		}
	}
}

func TestDeployCRDs(t *testing.T) {
	for _, tc := range []struct {
		file      string
		caBundle  string
		annotated bool
	}{
		{"examples/crd.yaml", "\n", false},
		{"examples/crd-cert-manager.yaml", "", true},
	} {
		t.Run(tc.file, func(t *testing.T) {
			scheme := newScheme(t)
			crd := in[*apiextensionsv1.CustomResourceDefinition](t, tc.file)
			client := crd.Spec.Conversion.Webhook.ClientConfig
			if s := client.Service; s.Namespace != "crosswalk-system" || s.Name != "crosswalk" || *s.Path != "/convert" || *s.Port != 443 || string(client.CABundle) != tc.caBundle {
				t.Errorf("client config %+v", client)
			}
			if _, ok := crd.Annotations["cert-manager.io/inject-ca-from"]; ok != tc.annotated {
				t.Errorf("annotations %v", crd.Annotations)
			}
			client.CABundle = nil // a placeholder is not valid, though API servers take it
			scheme.Default(crd)
			internal := &apiextensions.CustomResourceDefinition{}
			must(t, scheme.Convert(crd, internal, nil))
			if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
				t.Error(errs.ToAggregate())
			}
		})
	}
}
