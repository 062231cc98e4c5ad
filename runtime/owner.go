package runtime

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Owner is somebody whose modules are in a directory of their own. Each owner has the same share of
// what a Registry may take: files, bytes, loading time and the memory of loaded modules.
type Owner struct {
	Name string // satisfies watch.IsOwner; empty for the only owner
	Dir  string
	// Groups and Kinds, as "Kind.group", are reserved for the owner. With several owners, a module of
	// a kind that is not reserved for its owner is refused.
	Groups, Kinds []string
}

// reservations know the owner of each kind. They come from the configuration alone, so that each
// replica refuses the same files, whichever were found or loaded first.
type reservations struct {
	several       bool              // without several owners, all kinds belong to the only one
	groups, kinds map[string]string // owners
}

func newReservations(owners []Owner) reservations {
	r := reservations{several: len(owners) > 1, groups: map[string]string{}, kinds: map[string]string{}}
	for _, o := range owners {
		for _, group := range o.Groups {
			r.groups[group] = o.Name
		}
		for _, kind := range o.Kinds {
			r.kinds[kind] = o.Name
		}
	}
	return r
}

// ownerFiles is the least number of files that are read of each owner's directory: with many owners,
// an equal part of scanFiles would be too few for an operator with ten kinds.
const ownerFiles = 64

// check returns an error if the kind of a module is not reserved for its owner.
func (r reservations) check(name artifact.Name) error {
	if !r.several {
		return nil
	}
	kind := kindOf(name)
	by, reserved := r.kinds[kind]
	if !reserved {
		by, reserved = r.groups[name.Group]
	}
	switch {
	case !reserved:
		return fmt.Errorf("the kind %s is reserved for nobody, so owner %s cannot serve it: reserve its group with --groups %s=%s, or delete this file", kind, name.Owner, name.Owner, name.Group)
	case by != name.Owner:
		return fmt.Errorf("the kind %s is reserved for owner %s, so owner %s cannot serve it: delete this file", kind, by, name.Owner)
	}
	return nil
}
