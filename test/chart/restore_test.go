package chart

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/openapi"
)

// mutatingAPI names these policies as Helm does.
const mutatingAPI = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"

// restoring returns the API server's plugin with the policies of the chart, and with that of
// deploy/controller.
func restoring(t *testing.T) map[string]*mutating.Plugin {
	t.Helper()
	files, err := render(t, "crosswalk", "crosswalk-system", values(t, "../../deploy/chart/examples/controller.yaml"), mutatingAPI)
	must(t, err)
	manifest, err := os.ReadFile("../../deploy/controller/restore.yaml")
	must(t, err)
	plugins := map[string]*mutating.Plugin{}
	for name, files := range map[string]map[string]string{"chart": files, "controller": {"restore.yaml": string(manifest)}} {
		objects, _ := decode(t, files)
		plugins[name] = mutatingPlugin(t, objects)
	}
	return plugins
}

// TestPolicyRestoresStanza evaluates the policies that put the stanza back, with the API server's own
// admission plugin.
func TestPolicyRestoresStanza(t *testing.T) {
	usual, port, path, url := int32(443), int32(8443), "/convert", "https://gateway.example.com/convert"
	for name, plugin := range restoring(t) {
		for _, tc := range []struct {
			name        string
			old, change func(*apiextensions.CustomResourceDefinition)
			restored    bool
		}{
			{"stanza removed", nil, unconverted, true},
			{"strategy None", nil, strategyNone, true},
			{"replaced", nil, func(crd *apiextensions.CustomResourceDefinition) { unconverted(crd); crd.Annotations = nil }, true},
			{"replaced with annotations", nil, func(crd *apiextensions.CustomResourceDefinition) {
				strategyNone(crd)
				crd.Annotations = map[string]string{"of": "OLM"}
			}, true},
			{"replaced, with a port and a path", func(crd *apiextensions.CustomResourceDefinition) {
				service := crd.Spec.Conversion.Webhook.ClientConfig.Service
				service.Port, service.Path = &port, &path
			}, func(crd *apiextensions.CustomResourceDefinition) { unconverted(crd); unannotated(crd) }, true},
			{"replaced, without a CA", func(crd *apiextensions.CustomResourceDefinition) {
				crd.Spec.Conversion.Webhook.ClientConfig.CABundle = nil
			}, unconverted, true},
			{"replaced, with two review versions", func(crd *apiextensions.CustomResourceDefinition) {
				crd.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1", "v1beta1"}
			}, unconverted, true},
			{"stanza removed after the annotation", unannotated, unconverted, false},
			{"annotation removed", nil, unannotated, false},
			{"detached", nil, detached, false},
			{"label added", nil, func(crd *apiextensions.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b"} }, false},
			{"another Service", nil, func(crd *apiextensions.CustomResourceDefinition) {
				crd.Spec.Conversion.Webhook.ClientConfig.Service.Name = "next"
			}, false},
			{"a URL", nil, func(crd *apiextensions.CustomResourceDefinition) {
				crd.Spec.Conversion.Webhook.ClientConfig.Service, crd.Spec.Conversion.Webhook.ClientConfig.URL = nil, &url
			}, false},
			{"from one URL to None", func(crd *apiextensions.CustomResourceDefinition) {
				crd.Spec.Conversion.Webhook.ClientConfig.Service, crd.Spec.Conversion.Webhook.ClientConfig.URL = nil, &url
			}, strategyNone, name == "controller"}, // a release of the chart keeps its own
		} {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				old := attachedCRD()
				old.Spec.Conversion.Webhook.ClientConfig.Service.Port = &usual // an API server has this default
				if tc.old != nil {
					tc.old(old)
				}
				changed := old.DeepCopy()
				tc.change(changed)
				changed.Spec.Group = "changed" // the rest of the write is kept
				want := changed.DeepCopy()
				if tc.restored {
					want.Spec.Conversion = old.Spec.Conversion
					annotations := map[string]string{attachAnnotation: "true"}
					maps.Copy(annotations, want.Annotations)
					want.Annotations = annotations
				}
				resource := apiextensions.SchemeGroupVersion.WithResource("customresourcedefinitions")
				must(t, admit(t, plugin, old, changed, apiextensions.SchemeGroupVersion.WithKind("CustomResourceDefinition"), resource))
				want.TypeMeta = changed.TypeMeta
				if !equality.Semantic.DeepEqual(changed, want) {
					t.Errorf("the API server would store\n%+v\nwant\n%+v", changed, want)
				}
			})
		}
	}
}

// TestPolicyRestoresComposites: the policies know Crossplane's definitions at both of their versions.
func TestPolicyRestoresComposites(t *testing.T) {
	for name, plugin := range restoring(t) {
		for _, version := range []string{"v1", "v2"} {
			t.Run(name+"/"+version, func(t *testing.T) {
				conversion, err := runtime.DefaultUnstructuredConverter.ToUnstructured(attachedCRD().Spec.Conversion)
				must(t, err)
				kind := schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: version, Kind: "CompositeResourceDefinition"}
				old := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"group": "example.org", "conversion": conversion}}}
				old.SetGroupVersionKind(kind)
				old.SetName("databases.example.org")
				old.SetAnnotations(map[string]string{attachAnnotation: "true"})
				changed := old.DeepCopy()
				changed.SetAnnotations(nil)
				unstructured.RemoveNestedField(changed.Object, "spec", "conversion")
				must(t, admit(t, plugin, old, changed, kind, kind.GroupVersion().WithResource("compositeresourcedefinitions")))
				if !equality.Semantic.DeepEqual(changed, old) {
					t.Errorf("the API server would store\n%v\nwant\n%v", changed, old)
				}
			})
		}
	}
}

// TestOldClusterHasNoSuchPolicy: Helm fails at an object of an unknown kind.
func TestOldClusterHasNoSuchPolicy(t *testing.T) {
	v := values(t, "../../deploy/chart/examples/controller.yaml")
	for _, apis := range [][]string{nil, {mutatingAPI}} {
		files, err := render(t, "crosswalk", "crosswalk-system", v, apis...)
		must(t, err)
		objects, _ := decode(t, files)
		has := slices.ContainsFunc(objects, func(o runtime.Object) bool { _, is := o.(*admissionv1.MutatingAdmissionPolicy); return is })
		if has != (apis != nil) {
			t.Errorf("with the APIs %q, the chart has the policy: %v", apis, has)
		}
	}
}

// described is a client that describes definitions: the plugin changes no object without a schema.
type described struct{ *fake.Clientset }

func (described) Discovery() discovery.DiscoveryInterfaces { return schemas{} }

type schemas struct{ discovery.DiscoveryInterfaces }

func (schemas) OpenAPIV3() openapi.Client { return schemas{} }

func (schemas) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{
		"apis/apiextensions.k8s.io/v1":        anySchema{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
		"apis/apiextensions.crossplane.io/v1": anySchema{"apiextensions.crossplane.io", "v1", "CompositeResourceDefinition"},
		"apis/apiextensions.crossplane.io/v2": anySchema{"apiextensions.crossplane.io", "v2", "CompositeResourceDefinition"},
	}, nil
}

type anySchema schema.GroupVersionKind

func (s anySchema) ServerRelativeURL() string { return s.Group + "/" + s.Version }

func (s anySchema) Schema(string) ([]byte, error) {
	return fmt.Appendf(nil, `{"openapi": "3.0.0", "components": {"schemas": {"any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
		"x-kubernetes-group-version-kind": [{"group": %q, "version": %q, "kind": %q}]}}}}`, s.Group, s.Version, s.Kind), nil
}

func mutatingPlugin(t *testing.T, objects []runtime.Object) *mutating.Plugin {
	t.Helper()
	var served []runtime.Object
	for _, o := range objects {
		switch o := o.(type) {
		case *admissionv1.MutatingAdmissionPolicy:
			// An API server has these defaults.
			equivalent := admissionv1.Equivalent
			o.Spec.MatchConstraints.MatchPolicy = &equivalent
			o.Spec.MatchConstraints.NamespaceSelector, o.Spec.MatchConstraints.ObjectSelector = &metav1.LabelSelector{}, &metav1.LabelSelector{}
			served = append(served, o)
		case *admissionv1.MutatingAdmissionPolicyBinding:
			served = append(served, o)
		}
	}
	if len(served) != 2 {
		t.Fatalf("%d policies and bindings", len(served))
	}
	client := described{fake.NewClientset(served...)}
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin, err := mutating.NewPlugin(nil)
	must(t, err)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()))
	plugin.SetRESTMapper(meta.NewDefaultRESTMapper(nil))
	plugin.SetUnconditionalAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	plugin.SetDrainedNotification(t.Context().Done())
	plugin.SetEnabled(true)
	must(t, plugin.ValidateInitialization())
	factory.Start(t.Context().Done())
	if !plugin.WaitForReady() {
		t.Fatal("the plugin is not ready")
	}
	return plugin
}

// admit lets the plugin change an update.
func admit(t *testing.T, plugin *mutating.Plugin, old, changed runtime.Object, kind schema.GroupVersionKind, resource schema.GroupVersionResource) error {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, apiextensions.AddToScheme(scheme))
	accessor, err := meta.Accessor(old)
	must(t, err)
	changed.GetObjectKind().SetGroupVersionKind(kind)
	old.GetObjectKind().SetGroupVersionKind(kind)
	request := admission.NewAttributesRecord(changed, old, kind, "", accessor.GetName(), resource, "", admission.Update, &metav1.UpdateOptions{}, false, &user.DefaultInfo{Name: "olm"})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := plugin.Admit(context.Background(), request, admission.NewObjectInterfacesFromScheme(scheme))
		if err == nil || !strings.Contains(err.Error(), "There can be a delay") || time.Now().After(end) { // until it has read the schemas
			return err
		}
	}
}
