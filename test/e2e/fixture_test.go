package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// within is how long anything that is waited for may take. The machines that run these tests are
// busy.
const within = 60 * time.Second

// deadline returns a context that ends when nothing more is to be waited for.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*within)
	t.Cleanup(cancel)
	return ctx
}

// guest reads one of the modules in testdata/guests.
func guest(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", "guests", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// modules returns a directory with the given files, for a gateway.
func modules(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// signed is how the gateway's messages name a module.
func signed(file string, content []byte) string {
	digest := sha256.Sum256(content)
	return file + " (sha256:" + hex.EncodeToString(digest[:])[:12] + ")"
}

// startGateway starts a gateway that serves a directory of modules and ends with the test. It may
// not be ready yet.
func startGateway(t *testing.T, dir string, flags ...string) *gateway.Process {
	t.Helper()
	p, err := gateway.Start(gateway.Config{
		Binary: shared.binary, Modules: dir, Authority: shared.authority, Names: []string{judge.ServiceHost}, Flags: flags,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.Alive() {
			if err := p.Stop(); err != nil {
				t.Errorf("the gateway did not end well: %v", err)
			}
		}
		if t.Failed() {
			t.Logf("the end of the gateway's log:\n%s", tail(p.LogFile(), 8<<10))
		}
		p.Remove()
	})
	return p
}

// readyGateway is startGateway, and waits.
func readyGateway(t *testing.T, dir string, flags ...string) *gateway.Process {
	t.Helper()
	p := startGateway(t, dir, flags...)
	ready(t, p)
	return p
}

func ready(t *testing.T, p *gateway.Process) {
	t.Helper()
	if err := p.WaitReady(deadline(t)); err != nil {
		t.Fatal(err)
	}
}

// metric returns a sum of the gateway's metrics (see gateway.Process.Metric).
func metric(t *testing.T, p *gateway.Process, name string, labels ...string) float64 {
	t.Helper()
	value, err := p.Metric(deadline(t), name, labels...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// openCRD returns a CRD for a kind whose spec and status may hold anything, served at all the
// versions and stored at the first.
func openCRD(group, kind string, versions ...string) *apiextensions.CustomResourceDefinition {
	plural := strings.ToLower(kind) + "s"
	anything := true
	open := apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything}
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = plural + "." + group
	crd.Spec.Group, crd.Spec.Scope = group, apiextensions.NamespaceScoped
	crd.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural, Singular: strings.ToLower(kind)}
	for i, version := range versions {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == 0,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"spec": open, "status": open},
			}},
			Subresources: &apiextensions.CustomResourceSubresources{Status: &apiextensions.CustomResourceSubresourceStatus{}},
		})
	}
	return crd
}

// install points the CRD at a webhook, creates it, and removes it when the test ends.
func install(t *testing.T, server *apiserver.Server, crd *apiextensions.CustomResourceDefinition, url string, ca []byte, reviewVersions ...string) {
	t.Helper()
	apiserver.Webhook(crd, url, ca, reviewVersions...)
	installPlain(t, server, crd)
}

// installPlain creates the CRD as it is, and removes it when the test ends.
func installPlain(t *testing.T, server *apiserver.Server, crd *apiextensions.CustomResourceDefinition) {
	t.Helper()
	if err := server.Install(deadline(t), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), within) // t.Context has ended
		defer cancel()
		if err := server.Remove(ctx, crd); err != nil {
			t.Error(err)
		}
	})
}

// object reads an object, or a part of one, from YAML. Its numbers have the API machinery's types:
// integers are int64.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	text = strings.ReplaceAll(text, "\t", "")
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(asJSON, &o.Object)
	}
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return o
}

// show returns a value as YAML, for comparing and for messages.
func show(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
