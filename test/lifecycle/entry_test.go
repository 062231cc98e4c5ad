package lifecycle

import (
	"bytes"
	"context"
	"encoding/json"
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

// TestAttachEntry attaches a definition to a gateway without modules: attach takes the module from a
// catalogue, writes it to the ConfigMap that the gateway mounts, and waits until the gateway has it.
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
	entries := strings.TrimPrefix(images.URL, "http://") + "/catalogue"
	l := &life{plane: p, gateway: mounted(t, client, "crosswalk-modules"), binary: build(t, "crosswalk"), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"), definitions: newDefinitions(t, p)}
	must(t, p.WriteKubeconfig(l.kubeconfig, "admin-token"))
	publish(t, l.binary, entries, content)
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
	attach := []string{"attach", l.name, "--catalogue", entries, "--url", l.gateway.URL(), "--ca-file", l.ca}

	// A dry run writes nothing.
	if text := l.crosswalk(t, append(attach, "--dry-run")...); !strings.Contains(text, "would write") || !strings.Contains(text, "the conversions are not tested") {
		t.Error("the dry run does not say what it would write, and what it did not test")
	}
	if list, err := modulesOf(deadline(t), client, "crosswalk-modules"); err != nil || len(list) > 0 {
		t.Errorf("a dry run wrote %d files, %v", len(list), err)
	}
	if now := l.definitions.get(t, l.name); now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
		t.Errorf("a dry run wrote %v", now.Spec.Conversion)
	}

	if text := l.crosswalk(t, attach...); !strings.Contains(text, "ConfigMap crosswalk-system/crosswalk-modules: wrote") {
		t.Error("the output does not name the ConfigMap")
	}
	eventually.Succeeds(t, "the object at v2", func() error {
		o, err := l.at("v2").Get(deadline(t), "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
		return errorf(hour == "3", "spec.hour is %q in %v", hour, o.Object["spec"])
	})
	if text := l.crosswalk(t, attach...); !strings.Contains(text, "already has") {
		t.Error("attaching again writes the ConfigMap again")
	}
}

// publish publishes a module as make catalogue does.
func publish(t *testing.T, binary, entries string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, module), content, 0o600))
	const repository = "crontab.stable.example.com"
	_, digest, _ := strings.Cut(push(t, binary, entries+"/"+repository+":v1.0.0", dir), "@")
	text, err := json.Marshal(map[string]any{"entries": []any{map[string]any{
		"operator": "CronTabs", "version": "v1.0.0", "kind": "CronTab", "group": "stable.example.com", "versions": []string{"v1", "v2"},
		"module": module, "repository": repository, "digest": digest, "verdict": "equal",
	}}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "index.json"), text, 0o600))
	push(t, binary, entries+"/index:latest", dir) // with the module, without which crosswalk push pushes nothing
}

// push pushes the files of a directory, and returns the reference with the digest.
func push(t *testing.T, binary, ref, dir string) string {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), binary, "push", ref, dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pushing %s: %v: %s", ref, err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
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
