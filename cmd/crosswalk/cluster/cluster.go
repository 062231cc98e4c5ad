// Package cluster finds the API server for a command as kubectl does.
package cluster

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crosswalk-gateway/crosswalk/internal/attach"
)

// Flags are the flags that name an API server.
type Flags struct {
	kubeconfig string
	contexts   []string
	pattern    string // of more contexts
}

// Declare declares the flags, which have the names that they have in kubectl.
func Declare(flags *pflag.FlagSet) *Flags {
	f := &Flags{contexts: []string{""}}
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "`FILE` with clusters and users (default: kubectl's)")
	flags.StringVar(&f.contexts[0], "context", "", "`NAME` of the kubeconfig's context")
	return f
}

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
