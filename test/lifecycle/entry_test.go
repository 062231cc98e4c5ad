package lifecycle

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

// TestAttachEntry brings the module of a catalogue's entry into the ConfigMap that a gateway mounts, as
// docs/use/catalogue.md says. attach refuses the definition until the gateway has the module.
func TestAttachEntry(t *testing.T) {
	p := plane(t, nil)
	client, err := kubernetes.NewForConfig(p.Admin)
	must(t, err)
	plugins, err := artifacts.BuildPlugins(deadline(t))
	must(t, err)
	content, err := plugins.Module("c", module)
	if err != nil {
		t.Skip(err)
	}
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	l := &life{plane: p, gateway: mounted(t, client, "crosswalk-modules"), binary: build(t, "crosswalk"), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"), definitions: newDefinitions(t, p)}
	must(t, p.WriteKubeconfig(l.kubeconfig, "admin-token"))
	from := t.TempDir()
	must(t, os.WriteFile(filepath.Join(from, module), content, 0o600))
	ref := strings.TrimPrefix(images.URL, "http://") + "/catalogue/crontab.stable.example.com:v1.0.0"
	offline(t, l.binary, "push", ref, from)
	l.ca = filepath.Join(t.TempDir(), "ca.crt")
	must(t, os.WriteFile(l.ca, l.gateway.CA, 0o600))

	text, err := artifacts.Read("plugins", "crontab", "crd.yaml")
	must(t, err)
	crd := &apiextensions.CustomResourceDefinition{}
	must(t, yaml.UnmarshalStrict(text, crd))
	crd.Spec.Conversion = nil
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == "v1"
	}
	l.name = crd.Name
	_, err = l.definitions.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{})
	must(t, err)
	l.objects, err = dynamic.NewForConfig(p.Admin)
	must(t, err)
	l.create(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"cronSpec": "*/5 3 * * *", "image": "a"},
	}})
	attach := []string{"attach", l.name, "--url", l.gateway.URL(), "--ca-file", l.ca}
	toolFails(t, l.binary, l.kubeconfig, attach...) // the gateway has no module

	dir := filepath.Join(t.TempDir(), "entry")
	offline(t, l.binary, "pull", ref, dir)
	manifest := &core.ConfigMap{}
	must(t, yaml.UnmarshalStrict(offline(t, l.binary, "configmap", "crosswalk-modules", dir), manifest))
	_, err = client.CoreV1().ConfigMaps(namespace).Create(deadline(t), manifest, metav1.CreateOptions{})
	must(t, err)
	eventually.Succeeds(t, "attach", func() error {
		code, output := run(t, l.binary, l.kubeconfig, attach...)
		return errorf(code == 0, "it ended with %d\n%s", code, output)
	})
	eventually.Succeeds(t, "the object at v2", func() error {
		o, err := l.at("v2").Get(deadline(t), "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
		return errorf(hour == "3", "spec.hour is %q in %v", hour, o.Object["spec"])
	})
}

// offline runs a command that asks no cluster, and returns its output.
func offline(t *testing.T, binary string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("crosswalk %s: %v: %s", args[0], err, stderr.Bytes())
	}
	return out
}

// mounted starts a gateway with the files of a ConfigMap, which another goroutine copies as a kubelet does.
func mounted(t *testing.T, client kubernetes.Interface, configMap string) *gateway.Process {
	t.Helper()
	_, err := client.CoreV1().Namespaces().Create(deadline(t), &core.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	must(t, err)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		kubelet := volume.ConfigMap{Dir: dir}
		for ctx.Err() == nil {
			files, err := modulesOf(ctx, client, configMap)
			if err == nil {
				err = kubelet.Write(files)
			}
			if err != nil && ctx.Err() == nil {
				done <- fmt.Errorf("copying the ConfigMap: %w", err)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
		done <- nil
	}()
	t.Cleanup(func() {
		stop()
		must(t, <-done)
	})
	return startGatewayIn(t, dir)
}

// modulesOf returns the files of a ConfigMap; none if it is not there.
func modulesOf(ctx context.Context, client kubernetes.Interface, name string) (map[string][]byte, error) {
	found, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found.BinaryData, nil
}
