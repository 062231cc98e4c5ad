// Package lifecycle takes definitions through their whole life on a full control plane:
// kube-apiserver with its admission, RBAC and aggregation, and kube-controller-manager.
package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crds "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/controlplane"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
)

// plane starts a control plane for a test. $CROSSWALK_KUBE names the multi-call binary of
// Kubernetes that make cluster builds.
func plane(t *testing.T, users controlplane.Users, controllers ...string) *controlplane.Plane {
	t.Helper()
	binary := os.Getenv("CROSSWALK_KUBE")
	if binary == "" {
		t.Skip("CROSSWALK_KUBE does not name a binary of Kubernetes: make cluster builds one")
	}
	p, err := controlplane.Start(deadline(t), t.TempDir(), binary, users, controllers...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("kube-controller-manager: %s", p.Log("kube-controller-manager"))
		}
		p.Stop()
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deadline returns a context that ends when nothing more is to be waited for. The machines that run
// these tests are busy.
func deadline(t *testing.T) context.Context {
	limit := 8 * time.Minute
	if os.Getenv(sizeVariable) != "" {
		limit = 24 * time.Hour // go test's own -timeout ends the test
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// build builds a program of the repository.
func build(t *testing.T, name string) string {
	t.Helper()
	file, err := artifacts.Program(context.Background(), name) // a test's context would end too early on a busy machine
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// startGateway starts a gateway with some modules, by file name.
func startGateway(t *testing.T, files map[string][]byte) *gateway.Process {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := startGatewayIn(t, dir)
	if err := p.WaitReady(deadline(t)); err != nil {
		t.Fatal(err)
	}
	return p
}

// startGatewayIn starts a gateway that serves a directory of modules. It may not be ready yet.
func startGatewayIn(t *testing.T, dir string) *gateway.Process {
	t.Helper()
	binary, err := artifacts.Gateway(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	authority, err := certs.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	p, err := gateway.Start(gateway.Config{Binary: binary, Modules: dir, Authority: authority})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("the gateway did not end well: %v", err)
		}
		p.Remove()
	})
	return p
}

// definitions is a client for definitions.
type definitions struct{ crds.Interface }

func newDefinitions(t *testing.T, p *controlplane.Plane) definitions {
	t.Helper()
	client, err := crds.NewForConfig(p.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return definitions{client}
}

func (d definitions) get(t *testing.T, name string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd, err := d.ApiextensionsV1().CustomResourceDefinitions().Get(deadline(t), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// change changes a definition as another manager does, with an update of the whole.
func (d definitions) change(t *testing.T, name string, change func(*apiextensions.CustomResourceDefinition)) error {
	t.Helper()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		crd := d.get(t, name)
		change(crd)
		_, err := d.ApiextensionsV1().CustomResourceDefinitions().Update(deadline(t), crd, metav1.UpdateOptions{FieldManager: "olm"})
		return err
	})
}

// tool runs the command crosswalk and returns its output.
func tool(t *testing.T, binary, kubeconfig string, args ...string) string {
	t.Helper()
	code, output := run(t, binary, kubeconfig, args...)
	if code != 0 {
		t.Fatalf("crosswalk %s ended with %d", args[0], code)
	}
	return output
}

// toolFails runs the command crosswalk, which finds a fault.
func toolFails(t *testing.T, binary, kubeconfig string, args ...string) string {
	t.Helper()
	code, output := run(t, binary, kubeconfig, args...)
	if code != 1 {
		t.Fatalf("crosswalk %s ended with %d, want 1", args[0], code)
	}
	return output
}

func run(t *testing.T, binary, kubeconfig string, args ...string) (code int, text string) {
	t.Helper()
	return runWith(t, binary, kubeconfig, "", args...)
}

// runWith runs the command crosswalk with an input, such as answers to questions.
func runWith(t *testing.T, binary, kubeconfig, input string, args ...string) (code int, text string) {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), binary, append(args, "--kubeconfig", kubeconfig)...)
	cmd.Stdin = strings.NewReader(input)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	t.Logf("$ crosswalk %s\n%s", strings.Join(args, " "), output.String())
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), output.String()
}

func errorf(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
