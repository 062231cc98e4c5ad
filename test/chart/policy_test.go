package chart

import (
	"context"
	"os"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

// TestPolicyKeepsStanza evaluates the admission policies of the chart and of deploy/controller with
// the API server's own admission plugin.
func TestPolicyKeepsStanza(t *testing.T) {
	files, err := render(t, "crosswalk", "crosswalk-system", values(t, "../../deploy/chart/examples/controller.yaml"))
	must(t, err)
	manifest, err := os.ReadFile("../../deploy/controller/policy.yaml")
	must(t, err)
	for name, files := range map[string]map[string]string{"chart": files, "controller": {"policy.yaml": string(manifest)}} {
		t.Run(name, func(t *testing.T) {
			objects, _ := decode(t, files)
			plugin := policies(t, objects)
			for _, tc := range []struct {
				name        string
				old, change func(*apiextensions.CustomResourceDefinition)
				denied      bool
			}{
				{"stanza removed", nil, unconverted, true},
				{"strategy None", nil, strategyNone, true},
				{"stanza removed with the annotation", nil, func(crd *apiextensions.CustomResourceDefinition) { unconverted(crd); unannotated(crd) }, true},
				{"stanza removed after the annotation", unannotated, unconverted, false},
				{"annotation removed", nil, unannotated, false},
				{"detached", nil, detached, false},
				{"annotation with another value", func(crd *apiextensions.CustomResourceDefinition) { crd.Annotations[attachAnnotation] = "false" }, unconverted, false},
				{"label added", nil, func(crd *apiextensions.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b"} }, false},
				{"CA replaced", nil, func(crd *apiextensions.CustomResourceDefinition) {
					crd.Spec.Conversion.Webhook.ClientConfig.CABundle = []byte("next")
				}, false},
				{"stanza added", unconverted, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = attachedCRD().Spec.Conversion }, false},
			} {
				t.Run(tc.name, func(t *testing.T) {
					old := attachedCRD()
					if tc.old != nil {
						tc.old(old)
					}
					changed := old.DeepCopy()
					tc.change(changed)
					err := update(t, plugin, old, changed)
					switch {
					case tc.denied && (err == nil || !strings.Contains(err.Error(), "spec.conversion must stay: without it")):
						t.Errorf("the policy answers %v", err)
					case !tc.denied && err != nil:
						t.Error(err)
					}
				})
			}
		})
	}
}

// TestPolicyOfChartLeavesOtherWebhooks: several releases, and definitions of other webhooks, do not
// meet each other's policy.
func TestPolicyOfChartLeavesOtherWebhooks(t *testing.T) {
	files, err := render(t, "crosswalk", "crosswalk-system", values(t, "../../deploy/chart/examples/controller.yaml"))
	must(t, err)
	objects, _ := decode(t, files)
	plugin := policies(t, objects)
	url := "https://gateway.example.com/convert"
	for name, change := range map[string]func(*apiextensions.WebhookClientConfig){
		"another namespace": func(c *apiextensions.WebhookClientConfig) { c.Service.Namespace = "other" },
		"another Service":   func(c *apiextensions.WebhookClientConfig) { c.Service.Name = "other" },
		"URL":               func(c *apiextensions.WebhookClientConfig) { c.Service, c.URL = nil, &url },
	} {
		t.Run(name, func(t *testing.T) {
			old := attachedCRD()
			change(old.Spec.Conversion.Webhook.ClientConfig)
			changed := old.DeepCopy()
			unconverted(changed)
			must(t, update(t, plugin, old, changed))
		})
	}
}

const attachAnnotation = "crosswalk-gateway.github.io/attach"

// attachedCRD returns a definition that the controller keeps.
func attachedCRD() *apiextensions.CustomResourceDefinition {
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = "crontabs.stable.example.com"
	crd.Annotations = map[string]string{attachAnnotation: "true"}
	crd.Spec.Group = "stable.example.com"
	crd.Spec.Conversion = &apiextensions.CustomResourceConversion{
		Strategy: apiextensions.WebhookConverter,
		Webhook: &apiextensions.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig: &apiextensions.WebhookClientConfig{
				Service: &apiextensions.ServiceReference{Name: "crosswalk", Namespace: "crosswalk-system"}, CABundle: []byte("ca"),
			},
		},
	}
	return crd
}

func unconverted(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = nil }

func strategyNone(crd *apiextensions.CustomResourceDefinition) {
	crd.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
}

// detached changes a definition as crosswalk detach does.
func detached(crd *apiextensions.CustomResourceDefinition) {
	strategyNone(crd)
	crd.Annotations[attachAnnotation] = "false"
}

func unannotated(crd *apiextensions.CustomResourceDefinition) {
	delete(crd.Annotations, attachAnnotation)
}

// policies returns the API server's plugin for the policies and bindings among some objects.
func policies(t *testing.T, objects []runtime.Object) *validating.Plugin {
	t.Helper()
	var served []runtime.Object
	for _, o := range objects {
		switch o := o.(type) {
		case *admissionv1.ValidatingAdmissionPolicy:
			// An API server has these defaults.
			equivalent := admissionv1.Equivalent
			o.Spec.MatchConstraints.MatchPolicy = &equivalent
			o.Spec.MatchConstraints.NamespaceSelector, o.Spec.MatchConstraints.ObjectSelector = &metav1.LabelSelector{}, &metav1.LabelSelector{}
			served = append(served, o)
		case *admissionv1.ValidatingAdmissionPolicyBinding:
			served = append(served, o)
		}
	}
	if len(served) != 2 {
		t.Fatalf("%d policies and bindings", len(served))
	}
	client := fake.NewClientset(served...)
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin, err := validating.NewPlugin(nil)
	must(t, err)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()))
	plugin.SetRESTMapper(meta.NewDefaultRESTMapper(nil))
	plugin.SetUnconditionalAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	plugin.SetDrainedNotification(t.Context().Done())
	must(t, plugin.ValidateInitialization())
	factory.Start(t.Context().Done())
	if !plugin.WaitForReady() {
		t.Fatal("the plugin is not ready")
	}
	return plugin
}

// update asks the plugin for an update of a definition.
func update(t *testing.T, plugin *validating.Plugin, old, changed *apiextensions.CustomResourceDefinition) error {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, apiextensions.AddToScheme(scheme))
	kind := apiextensions.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	resource := apiextensions.SchemeGroupVersion.WithResource("customresourcedefinitions")
	request := admission.NewAttributesRecord(changed, old, kind, "", old.Name, resource, "", admission.Update, &metav1.UpdateOptions{}, false, &user.DefaultInfo{Name: "olm"})
	return plugin.Validate(context.Background(), request, admission.NewObjectInterfacesFromScheme(scheme))
}
