// Package cluster finds the API server for a command as kubectl does.
package cluster

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// Flags are the flags that name an API server.
type Flags struct {
	kubeconfig string
	contexts   []string
	pattern    string // of more contexts
}

// Declare declares the flags, which have the names that they have in kubectl.
func Declare(flags *pflag.FlagSet) *Flags {
	f := &Flags{}
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "`FILE` with clusters and users (default: kubectl's)")
	flags.Var((*oneContext)(f), "context", "`NAME` of the kubeconfig's context")
	return f
}

// oneContext is the value of a flag that may be given once. Other commands take it several times, so a
// person may expect that of this one, and the last value alone would change one cluster of several.
type oneContext Flags

func (f *oneContext) Set(name string) error {
	if len(f.contexts) > 0 {
		return errors.New("the command works on one cluster: name one context")
	}
	f.contexts = []string{name}
	return nil
}

func (f *oneContext) String() string { return strings.Join(f.contexts, "") }

func (f *oneContext) Type() string { return "string" }

// Config reads the kubeconfig. Without one, in a pod, it returns the configuration of the pod's
// service account.
func (f *Flags) Config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	current := ""
	if len(f.contexts) > 0 {
		current = f.contexts[0]
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: current}).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("there is no kubeconfig: name one with --kubeconfig or in KUBECONFIG")
	}
	if err != nil && f.kubeconfig != "" {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	if err != nil {
		return nil, err
	}
	config.UserAgent = "crosswalk"
	config.WarningHandler = attach.Warnings(os.Stderr) // as kubectl prints them
	return config, nil
}

// contexts returns the names of the contexts in a kubeconfig, or in kubectl's if it is empty.
func contexts(kubeconfig string) ([]string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := rules.Load()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(config.Contexts)), nil
}

// Open returns the cluster that the flags name.
func (f *Flags) Open() (*attach.Cluster, error) {
	config, err := f.Config()
	if err != nil {
		return nil, err
	}
	return attach.NewCluster(config)
}
