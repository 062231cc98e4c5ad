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
	// Kinds are reserved for the owner, as "Kind.group". Other kinds belong to the first owner that
	// serves them, and where nothing is remembered, as in a new pod, that is a race.
	Kinds []string
}

// reserved returns the owner of each kind that is reserved.
func reserved(owners []Owner) map[string]string {
	all := map[string]string{}
	for _, o := range owners {
		for _, kind := range o.Kinds {
			all[kind] = o.Name
		}
	}
	return all
}

// ownerFiles is the least number of files that are read of each owner's directory: with many owners,
// an equal part of scanFiles would be too few for an operator with ten kinds.
const ownerFiles = 64

// checkOwner returns an error if the kind of a module belongs to another owner: the one it is reserved
// for, or the first whose module of the kind served. A file's name alone takes no kind. An owner keeps
// its kinds over a restart, and until each of its modules for the kind is taken out of service.
func checkOwner(reserved map[string]string, slots map[string]*slot, before map[string]artifact.Name, name artifact.Name) error {
	if name.Owner == "" {
		return nil
	}
	switch by := reserved[kindOf(name)]; by {
	case "":
	case name.Owner:
		return nil
	default:
		return fmt.Errorf("the kind %s is reserved for owner %s, so owner %s cannot serve it: delete this file", kindOf(name), by, name.Owner)
	}
	refuse := func(by artifact.Name) error {
		return fmt.Errorf("the kind %s belongs to owner %s, whose module %s serves it, so owner %s cannot serve it: delete this file, or let owner %s take its module out of service with %s%s",
			kindOf(name), by.Owner, by.File, name.Owner, by.Owner, by.Base, Tombstone)
	}
	var found error
	for _, s := range slots {
		if s.serving == nil {
			continue
		}
		switch by := s.serving.FileName(); {
		case by.Group != name.Group || by.Kind != name.Kind:
		case by.Owner == name.Owner:
			return nil
		case found == nil || refuse(by).Error() < found.Error():
			found = refuse(by)
		}
	}
	if found != nil {
		return found
	}
	for _, by := range before {
		switch {
		case by.Group != name.Group || by.Kind != name.Kind:
		case by.Owner == name.Owner:
			return nil
		case found == nil || refuse(by).Error() < found.Error():
			found = refuse(by)
		}
	}
	return found
}
