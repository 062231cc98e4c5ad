// Package controlplane runs kube-apiserver and kube-controller-manager as processes, on an embedded
// etcd. It has no nodes: Services and pods exist as objects only.
package controlplane

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
)

// Plane is a running control plane.
type Plane struct {
	Admin *rest.Config // may do everything

	dir       string
	binary    string
	etcd      string
	port      int
	stopEtcd  func()
	processes []*exec.Cmd
}

// Users are the users besides the administrator, by the token that they show.
type Users map[string]string

// Start starts a control plane with the programs of a multi-call binary of Kubernetes, such as
// test/cluster builds, and waits until it is ready. controllers names those that the controller
// manager runs; none = it does not run. Call Stop when done, also after an error.
func Start(ctx context.Context, dir, binary string, users Users, controllers ...string) (*Plane, error) {
	p := &Plane{dir: dir}
	endpoint, stop, err := apiserver.Etcd(dir)
	if err != nil {
		return p, err
	}
	p.stopEtcd = stop
	if p.port, err = freePort(); err != nil {
		return p, err
	}
	tokens := "admin-token,admin,1,system:masters\n"
	for token, user := range users {
		tokens += fmt.Sprintf("%s,%s,%s\n", token, user, token)
	}
	key, err := accountKey()
	if err != nil {
		return p, err
	}
	for name, content := range map[string][]byte{"tokens.csv": []byte(tokens), "sa.key": key} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return p, err
		}
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	p.binary, p.etcd = binary, endpoint
	if err := p.serve("kube-apiserver", p.port); err != nil {
		return p, err
	}
	p.Admin = p.User("admin-token")
	if err := await(ctx, p.Admin); err != nil {
		return p, fmt.Errorf("waiting for kube-apiserver: %w\n%s", err, p.Log("kube-apiserver"))
	}
	if len(controllers) > 0 {
		kubeconfig := file("manager.kubeconfig")
		if err := p.WriteKubeconfig(kubeconfig, "admin-token"); err != nil {
			return p, err
		}
		return p, p.run(binary, "kube-controller-manager", "kube-controller-manager", "--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0",
			"--v=2", // why a migration waits
			"--controllers="+strings.Join(controllers, ","))
	}
	return p, nil
}

// serve starts an API server on a port.
func (p *Plane) serve(name string, port int, args ...string) error {
	file := func(name string) string { return filepath.Join(p.dir, name) }
	return p.run(p.binary, "kube-apiserver", name, append([]string{
		"--etcd-servers=" + p.etcd, "--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port), "--cert-dir=" + file("certs-"+name),
		"--authorization-mode=RBAC", "--token-auth-file=" + file("tokens.csv"), "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://test.invalid", "--service-account-key-file=" + file("sa.key"), "--service-account-signing-key-file=" + file("sa.key"),
		"--service-cluster-ip-range=10.96.0.0/24", "--disable-admission-plugins=ServiceAccount", "--profiling=false",
	}, args...)...)
}

// Second starts another API server on the same etcd, with more arguments, and returns the
// administrator's configuration for it.
func (p *Plane) Second(ctx context.Context, args ...string) (*rest.Config, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	const name = "kube-apiserver-2"
	if err := p.serve(name, port, args...); err != nil {
		return nil, err
	}
	config := rest.CopyConfig(p.Admin)
	config.Host = "https://127.0.0.1:" + strconv.Itoa(port)
	if err := await(ctx, config); err != nil {
		return nil, fmt.Errorf("waiting for the second kube-apiserver: %w\n%s", err, p.Log(name))
	}
	return config, nil
}

// User returns the configuration of the user with a token. The server makes its own certificate,
// which nothing verifies.
func (p *Plane) User(token string) *rest.Config {
	return &rest.Config{
		Host: "https://127.0.0.1:" + strconv.Itoa(p.port), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: -1,
	}
}

// WriteKubeconfig writes a kubeconfig for the user with a token.
func (p *Plane) WriteKubeconfig(file, token string) error {
	return clientcmd.WriteToFile(api.Config{
		Clusters:       map[string]*api.Cluster{"test": {Server: p.User("").Host, InsecureSkipTLSVerify: true}},
		AuthInfos:      map[string]*api.AuthInfo{"test": {Token: token}},
		Contexts:       map[string]*api.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}, file)
}

// Log returns the end of a program's log.
func (p *Plane) Log(program string) string { return tail(filepath.Join(p.dir, program+".log")) }

// Stop ends everything.
func (p *Plane) Stop() {
	for i := len(p.processes) - 1; i >= 0; i-- {
		_ = p.processes[i].Process.Kill()
		_ = p.processes[i].Wait()
	}
	if p.stopEtcd != nil {
		p.stopEtcd()
	}
}

// run starts a program of the multi-call binary, which decides by the name that it is called by. Its
// log has a name of its own.
func (p *Plane) run(binary, program, name string, args ...string) error {
	log, err := os.Create(filepath.Join(p.dir, name+".log"))
	if err != nil {
		return err
	}
	defer log.Close() // the child has it too
	cmd := exec.Command(binary, args...)
	cmd.Args[0] = program
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	p.processes = append(p.processes, cmd)
	return nil
}

// await waits until an API server is ready.
func await(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var last error
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		if _, last = client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); last == nil {
			return nil
		}
	}
	return last
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func accountKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}

func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text[max(0, len(text)-4096):]))
}
