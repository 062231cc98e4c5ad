package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// parseOwners reads the values of --modules: one directory, or OWNER=DIRECTORY for each owner.
func parseOwners(values []string) (owners []runtime.Owner, err error) {
	if len(values) == 0 || values[0] == "" {
		return nil, errors.New("--modules is required: the directory of modules to serve")
	}
	for _, v := range values {
		name, dir, named := strings.Cut(v, "=")
		switch {
		case len(values) == 1 && (!named || !watch.IsOwner(name)):
			return []runtime.Owner{{Dir: v}}, nil // an only directory may have any name
		case !named:
			return nil, fmt.Errorf("--modules %s must be OWNER=DIRECTORY, such as payments=/modules/payments: --modules is repeated, so each directory has an owner", v)
		case !watch.IsOwner(name):
			return nil, fmt.Errorf("--modules %s: the owner %q must be a name of at most 63 lower-case letters, digits and hyphens, like a namespace's", v, name)
		case dir == "":
			return nil, fmt.Errorf("--modules %s must name a directory after the owner", v)
		}
		for _, other := range owners {
			switch {
			case other.Name == name:
				return nil, fmt.Errorf("--modules names the owner %s twice: an owner has one directory", name)
			case filepath.Clean(other.Dir) == filepath.Clean(dir):
				return nil, fmt.Errorf("--modules gives the owners %s and %s the same directory %s: each owner needs its own", other.Name, name, dir)
			}
		}
		owners = append(owners, runtime.Owner{Name: name, Dir: dir})
	}
	return owners, nil
}

// parseGroups reads the values of --groups into the owners, and checks that each of several owners has a
// group or a kind: without one, none of its modules could serve.
func parseGroups(values []string, owners []runtime.Owner) error {
	reserved := map[string]string{}
	for _, v := range values {
		name, group, _ := strings.Cut(v, "=")
		i := slices.IndexFunc(owners, func(o runtime.Owner) bool { return o.Name != "" && o.Name == name })
		if as, err := artifact.ParseName("Kind." + group + "_v1_v2.wasm"); err != nil || as.Group != group || i < 0 {
			return fmt.Errorf("--groups %s must be an owner of --modules and its API group, such as payments=payments.example.com", v)
		}
		if other, there := reserved[group]; there && other != name {
			return fmt.Errorf("--groups reserves the group %s for the owners %s and %s: a group has one owner; reserve kinds of a shared group with --require", group, other, name)
		}
		reserved[group] = name
		owners[i].Groups = append(owners[i].Groups, group)
	}
	for _, o := range owners {
		if len(owners) > 1 && len(o.Groups) == 0 && len(o.Kinds) == 0 {
			return fmt.Errorf("neither --groups nor --require reserves a kind for the owner %s, so no module of it could serve: name its API groups, such as --groups %s=example.com", o.Name, o.Name)
		}
		for _, kind := range o.Kinds {
			_, group, _ := strings.Cut(kind, ".")
			if by, there := reserved[group]; there && by != o.Name {
				return fmt.Errorf("--require reserves the kind %s for the owner %s, and --groups its group for the owner %s: a kind has one owner", kind, o.Name, by)
			}
		}
	}
	return nil
}

// hasOwners reports whether the directories of --modules have owners.
func (o *options) hasOwners() bool { return o.owners[0].Name != "" }

// kindOwners knows whose modules serve each kind. It is safe for concurrent use.
type kindOwners struct {
	byKind atomic.Pointer[map[string]string] // by <Kind>.<group>; never changed once stored
}

// follow takes the owners of a set.
func (k *kindOwners) follow(set *runtime.Set) {
	next := map[string]string{}
	for _, b := range set.Bindings() {
		next[b.Kind+"."+b.Group] = b.Module.FileName().Owner
	}
	k.byKind.Store(&next)
}

// of returns the owner of a kind; empty if no module serves it.
func (k *kindOwners) of(group, kind string) string { return k.ofAccount(kind + "." + group) }

// ofAccount is of for <Kind>.<group>.
func (k *kindOwners) ofAccount(kind string) string {
	if owners := k.byKind.Load(); owners != nil {
		return (*owners)[kind]
	}
	return ""
}
