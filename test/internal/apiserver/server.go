package apiserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	crds "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Config says how an API server is to run.
type Config struct {
	// NoWatchCache makes every LIST read from etcd and convert every object, where a warm watch
	// cache converts none.
	NoWatchCache bool
	// Binary is a program of test/kubernetes, the API server of another version. Empty: the one
	// in this process.
	Binary string
}

// Server is a running API server with everything in it. Its methods may be called from many
// goroutines at once.
type Server struct {
	Version string            // of the module that the server is from; empty if it is in this process
	Dynamic dynamic.Interface // clients without a rate limit
	CRDs    crds.Interface
	REST    *rest.Config // for further clients; copy it before changing it

	dir    string // everything it writes
	etcd   *etcd
	prefix string // of all keys in etcd
	stop   func()
}

// Start starts an API server, which takes about a second. If it fails, nothing is left running. See
// LogTo for its log.
func Start(cfg Config) (s *Server, err error) {
	s = &Server{prefix: "/registry"}
	started := s // not s, which an error makes nil
	defer func() {
		if err != nil {
			started.Stop()
		}
	}()
	if s.dir, err = os.MkdirTemp("", "crosswalk-apiserver-"); err != nil {
		return nil, err
	}
	if s.etcd, err = startEtcd(s.dir); err != nil {
		return nil, err
	}
	return s, s.launch(cfg, s.etcd.endpoint)
}

// launch starts the server itself, on an etcd.
func (s *Server) launch(cfg Config, etcd string) (err error) {
	kubeconfig := filepath.Join(s.dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(unusedKubeconfig), 0o600); err != nil {
		return err
	}
	if err := s.run(cfg.Binary, []string{
		"--etcd-prefix=" + s.prefix,
		"--etcd-servers=" + etcd,
		fmt.Sprintf("--watch-cache=%t", !cfg.NoWatchCache),
		"--authentication-skip-lookup",
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--kubeconfig=" + kubeconfig,
		"--enable-priority-and-fairness=false", // it would call the core API, which is absent
	}); err != nil {
		return fmt.Errorf("starting the API server: %w", err)
	}
	s.REST.QPS = -1 // no limit
	if s.Dynamic, err = dynamic.NewForConfig(s.REST); err != nil {
		return err
	}
	s.CRDs, err = crds.NewForConfig(s.REST)
	return err
}

// run starts the server itself, here or as a process.
func (s *Server) run(binary string, flags []string) error {
	if binary != "" {
		return s.runProcess(binary, flags)
	}
	// They would call the core API.
	flags = append(flags, "--disable-admission-plugins="+strings.Join(options.NewAdmissionOptions().Plugins.Registered(), ","))
	running, err := servertesting.StartTestServer(messages{}, nil, flags, nil)
	if err != nil {
		return err
	}
	s.stop, s.REST = running.TearDownFn, rest.CopyConfig(running.ClientConfig)
	return nil
}

// Stop stops the server and removes everything it wrote. It may be called once.
func (s *Server) Stop() {
	if s.stop != nil {
		s.stop()
	}
	if s.etcd != nil {
		s.etcd.stop()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// get returns the value of one key in etcd; nil if there is none.
func (s *Server) get(ctx context.Context, key string) ([]byte, error) {
	answer, err := s.etcd.client.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("reading %s from etcd: %w", key, err)
	}
	if len(answer.Kvs) == 0 {
		return nil, nil
	}
	return answer.Kvs[0].Value, nil
}

// unusedKubeconfig satisfies the options that want the address of a core API. Nothing is ever sent
// there.
const unusedKubeconfig = `apiVersion: v1
kind: Config
clusters:
- {name: none, cluster: {server: "http://127.0.0.1:1"}}
contexts:
- {name: none, context: {cluster: none, user: none}}
current-context: none
users:
- {name: none, user: {}}
`
