// Package cluster finds the API server for a command as kubectl does.
package cluster

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
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

// DeclareSeveral declares flags that may name several contexts of a kubeconfig.
func DeclareSeveral(flags *pflag.FlagSet) *Flags {
	f := &Flags{}
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "`FILE` with clusters and users (default: kubectl's)")
	flags.StringArrayVar(&f.contexts, "context", nil, "`NAME` of the kubeconfig's context")
	flags.StringVar(&f.pattern, "contexts", "", "`PATTERN` of contexts, such as 'prod-*' or '*'; --context is repeatable, too")
	return f
}

// Selection is one of the clusters that flags name.
type Selection struct {
	Name  string // of the context; empty if the flags name no more than one cluster
	Flags *Flags // for this cluster alone
}

// Selected returns the clusters that flags name.
func (f *Flags) Selected() (list []Selection, err error) {
	var names []string
	for _, name := range f.contexts {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if f.pattern != "" {
		all, err := contexts(f.kubeconfig)
		if err != nil {
			return nil, err
		}
		found := false
		for _, name := range all {
			is, err := path.Match(f.pattern, name)
			if err != nil {
				return nil, fmt.Errorf("--contexts: %q is not a pattern: %w", f.pattern, err)
			}
			if found = found || is; is && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if !found {
			return nil, fmt.Errorf("--contexts: the kubeconfig has no context that %q matches", f.pattern)
		}
	}
	if len(names) < 2 && f.pattern == "" {
		return []Selection{{Flags: &Flags{kubeconfig: f.kubeconfig, contexts: names}}}, nil
	}
	for _, name := range names {
		if name == "" {
			return nil, errors.New("--context must be the name of a context")
		}
		list = append(list, Selection{Name: name, Flags: &Flags{kubeconfig: f.kubeconfig, contexts: []string{name}}})
	}
	return list, nil
}

// Each calls do for each cluster. An error at one does not stop the others; the result joins the
// errors, with their contexts.
func (f *Flags) Each(do func(s Selection) error) error {
	list, err := f.Selected()
	if err != nil {
		return err
	}
	for _, s := range list {
		one := do(s)
		if one != nil && s.Name != "" {
			one = fmt.Errorf("context %s: %w", s.Name, one)
		}
		err = errors.Join(err, one)
	}
	return err
}
