package cluster

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/pflag"
)

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
