package schemas

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// With several owners, a kind's definition comes from the owner whose modules serve the kind. Another
// owner could otherwise have conversions rejected with a schema that no object satisfies.

// matters returns a function that reports whether a definition can be used: without owners, always; else
// if its owner's directory has a module for its group, or the definition was read before. So each
// directory may have the definitions of all owners, as the chart mounts them, and an owner's share of
// memory and time serves its own. Schemas.mu is held.
func (t *table) matters(snapshot watch.Snapshot) func(file string) bool {
	type group struct{ owner, name string }
	groups := map[group]bool{}
	for _, f := range snapshot.Files {
		if name, err := artifact.ParseOwned(f.Name); err == nil {
			groups[group{name.Owner, name.Group}] = true
		}
	}
	return func(file string) bool {
		owner := ownerOf(file)
		return owner == "" || groups[group{owner, groupOf(file)}] || t.files[file] != nil
	}
}

// owners returns whose modules serve a kind: see Config.OwnerOf.
type owners func(group, kind string) string

// owns reports whether a definition may be used: its owner's modules serve its kind, or there are no
// owners.
func (of owners) owns(file string, crd *schema.CRD) bool {
	owner, _ := watch.SplitOwner(file)
	return owner == "" || of(crd.Group, crd.Kind) == owner
}

// mayOwn reports whether a file could have the definition of a kind that reviews ask for.
func (of owners) mayOwn(file, group, kind string) bool {
	owner, _ := watch.SplitOwner(file)
	return owner == "" || of(group, kind) == owner
}

// foreign says why a definition is not used because its kind belongs to another owner; empty if it
// does not.
func (of owners) foreign(file string, crd *schema.CRD) string {
	owner, _ := watch.SplitOwner(file)
	if owner == "" {
		return ""
	}
	by := of(crd.Group, crd.Kind)
	if by == "" || by == owner {
		return ""
	}
	return fmt.Sprintf("the kind %s.%s belongs to owner %s, whose modules serve it, so the definition of owner %s is not used: delete this file", crd.Kind, crd.Group, by, owner)
}

// Own chooses the definitions again. Call it when the owners of kinds have changed, before reviews
// are converted by the new ones.
func (s *Schemas) Own() {
	if s == nil || s.owners == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish()
}

// ofOwner names the owner of a file in a message.
func ofOwner(file string) string {
	if owner := ownerOf(file); owner != "" {
		return " of owner " + owner
	}
	return ""
}
