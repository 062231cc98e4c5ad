package lifecycle

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/controlplane"
)

const (
	namespace       = "crosswalk-system"
	controllerToken = "controller"
)

// apply creates the objects of a manifest, and moves those with a namespace to one if it names one.
func apply(t *testing.T, p *controlplane.Plane, into string, path ...string) {
	t.Helper()
	content, err := artifacts.Read(path...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(p.Admin)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	all, err := dynamic.NewForConfig(p.Admin)
	if err != nil {
		t.Fatal(err)
	}
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		o := &unstructured.Unstructured{}
		if err == nil {
			err = yaml.Unmarshal(document, &o.Object)
		}
		if err != nil {
			t.Fatal(err)
		}
		mapping, err := mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
		if err != nil {
			t.Fatal(err)
		}
		var to dynamic.ResourceInterface = all.Resource(mapping.Resource)
		if mapping.Scope.Name() == "namespace" {
			if o.GetNamespace() == "" {
				o.SetNamespace(into)
			}
			to = all.Resource(mapping.Resource).Namespace(o.GetNamespace())
		}
		if _, err := to.Create(deadline(t), o, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// startController runs the controller with the rights of deploy/controller.
func startController(t *testing.T, p *controlplane.Plane, args ...string) (stop func()) {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := p.WriteKubeconfig(kubeconfig, controllerToken); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(build(t, "controller"), append([]string{
		"--kubeconfig", kubeconfig, "--namespace", namespace, "--health-listen", "0", "--metrics-listen", "0"}, args...)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the controller:\n%s", log.String())
		}
	}
	t.Cleanup(stop)
	return stop
}

// planeOfController starts a control plane with the namespace, the user and the rights of the controller.
func planeOfController(t *testing.T) (*controlplane.Plane, *kubernetes.Clientset) {
	t.Helper()
	p := plane(t, controlplane.Users{controllerToken: "system:serviceaccount:" + namespace + ":crosswalk-controller"})
	client, err := kubernetes.NewForConfig(p.Admin)
	if err != nil {
		t.Fatal(err)
	}
	ns := &core.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := client.CoreV1().Namespaces().Create(deadline(t), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	apply(t, p, namespace, "deploy", "controller", "namespaced", "rbac.yaml")
	return p, client
}

// TestController: the controller attaches an annotated definition, restores its stanza, copies it,
// and says so, with the rights of deploy/controller and no others. The policy keeps others from
// removing the stanza.
func TestController(t *testing.T) {
	p, client := planeOfController(t)
	apply(t, p, namespace, "deploy", "controller", "events.yaml")
	for _, name := range []string{"crosswalk-tls", "others"} {
		secret := &core.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
		if _, err := client.CoreV1().Secrets(namespace).Create(deadline(t), secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	content, err := artifacts.Read("test", "testdata", "guests", "puppet.wasm")
	if err != nil {
		t.Fatal(err)
	}
	g := startGateway(t, map[string][]byte{"Puppet.puppet.example.com_v1_v2.wasm": content, "Giant.puppet.example.com_v1_v2.wasm": content})
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, g.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDefinitions(t, p)
	crd := puppets("v1", "v2", "v3")
	crd.Annotations = map[string]string{attach.Annotation: "true"}
	if _, err := d.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := startController(t, p, "--url", g.URL(), "--ca-file", ca)

	status := func(want string) func() error {
		return func() error {
			got := d.get(t, crd.Name).Annotations[attach.StatusAnnotation]
			return errorf(strings.HasPrefix(got, want), "the status is %q, want %q", got, want)
		}
	}
	eventually.Succeeds(t, "a version without a module", status("Refused: conversion at "))
	if now := d.get(t, crd.Name); now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Error("a definition was attached although a version has no module")
	}
	if err := d.change(t, crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[2].Served = false }); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "attaching", status("Attached"))
	attached := d.get(t, crd.Name).Spec.Conversion
	if attached.Strategy != apiextensions.WebhookConverter || *attached.Webhook.ClientConfig.URL != g.URL() {
		t.Errorf("the stanza is %+v", attached)
	}
	eventually.Succeeds(t, "the copy", func() error {
		copies, err := client.CoreV1().ConfigMaps(namespace).Get(deadline(t), "crosswalk-definitions", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return errorf(strings.Contains(copies.Data[crd.Name+".crd.yaml"], `"kind":"Puppet"`), "it has %q", copies.Data)
	})

	// A definition whose copy does not fit.
	giant := puppets("v1", "v2")
	giant.Name, giant.Annotations = "giants.puppet.example.com", crd.Annotations
	giant.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: "Giant", ListKind: "GiantList", Plural: "giants", Singular: "giant"}
	giant.Spec.Versions[0].Schema.OpenAPIV3Schema.Description = strings.Repeat("long ", 210_000)
	if _, err := d.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), giant, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	const note = "the gateway does not check objects with this definition: ConfigMap crosswalk-definitions has no room for giants.puppet.example.com.crd.yaml"
	eventually.Succeeds(t, "the status of a definition without a copy", func() error {
		got := d.get(t, giant.Name).Annotations[attach.StatusAnnotation]
		return errorf(strings.HasPrefix(got, "Attached, but "+note), "the status is %q", got)
	})
	copies, err := client.CoreV1().ConfigMaps(namespace).Get(deadline(t), "crosswalk-definitions", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(copies.Data) != 1 || copies.Data[crd.Name+".crd.yaml"] == "" {
		t.Errorf("the ConfigMap has %d copies", len(copies.Data))
	}
	eventually.Succeeds(t, "the event of a definition without a copy", func() error {
		list, err := client.EventsV1().Events("default").List(deadline(t), metav1.ListOptions{})
		if err != nil {
			return err
		}
		return errorf(slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
			return e.Regarding.Name == giant.Name && e.Reason == "NotCopied" && strings.HasPrefix(e.Note, note)
		}), "%d events, none of them", len(list.Items))
	})

	// Somebody's apply removes the stanza.
	remove := func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = nil }
	if err := d.change(t, crd.Name, remove); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "restoring", func() error {
		return errorf(d.get(t, crd.Name).Spec.Conversion.Strategy == apiextensions.WebhookConverter, "the stanza is still missing")
	})
	eventually.Succeeds(t, "the events", func() error {
		list, err := client.EventsV1().Events("default").List(deadline(t), metav1.ListOptions{})
		if err != nil {
			return err
		}
		reasons := map[string]bool{}
		for _, e := range list.Items {
			if e.Regarding.Name == crd.Name {
				reasons[e.Reason] = true
			}
		}
		return errorf(reasons["Refused"] && reasons["Attached"] && reasons["StanzaRestored"], "%v", reasons)
	})

	// The policy needs a while until it is in force.
	apply(t, p, "", "deploy", "controller", "policy.yaml")
	stop() // the policy works without the controller
	eventually.Succeeds(t, "the policy", func() error {
		err := d.change(t, crd.Name, remove)
		if err == nil { // put it back, for the next try
			_ = d.change(t, crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Conversion = attached })
		}
		return errorf(apierrors.IsInvalid(err) || apierrors.IsForbidden(err), "removing the stanza: %v", err)
	})
	if err := d.change(t, crd.Name, func(crd *apiextensions.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b"} }); err != nil {
		t.Errorf("another change: %v", err)
	}
	unlabelled := func(crd *apiextensions.CustomResourceDefinition) { delete(crd.Annotations, attach.Annotation) }
	if err := d.change(t, crd.Name, unlabelled); err != nil {
		t.Errorf("removing the annotation: %v", err)
	}
	if err := d.change(t, crd.Name, remove); err != nil {
		t.Errorf("removing the stanza without the annotation: %v", err)
	}

	// The rights end there.
	limited, err := kubernetes.NewForConfig(p.User(controllerToken))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := limited.CoreV1().Secrets(namespace).Get(deadline(t), "crosswalk-tls", metav1.GetOptions{}); err != nil {
		t.Errorf("its own Secret: %v", err)
	}
	for what, err := range map[string]error{
		"another Secret":  second(limited.CoreV1().Secrets(namespace).Get(deadline(t), "others", metav1.GetOptions{})),
		"all Secrets":     second(limited.CoreV1().Secrets(namespace).List(deadline(t), metav1.ListOptions{})),
		"other ConfigMap": second(limited.CoreV1().ConfigMaps("default").Get(deadline(t), "any", metav1.GetOptions{})),
		"pods":            second(limited.CoreV1().Pods(namespace).List(deadline(t), metav1.ListOptions{})),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("the controller can read %s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// puppets returns a definition of the kind Puppet, whose spec may hold anything, served at all the
// versions and stored at the first.
func puppets(versions ...string) *apiextensions.CustomResourceDefinition {
	anything := true
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = "puppets.puppet.example.com"
	crd.Spec.Group, crd.Spec.Scope = "puppet.example.com", apiextensions.NamespaceScoped
	crd.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: "Puppet", ListKind: "PuppetList", Plural: "puppets", Singular: "puppet"}
	for i, version := range versions {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == 0,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"spec": {Type: "object", XPreserveUnknownFields: &anything}},
			}},
		})
	}
	return crd
}
