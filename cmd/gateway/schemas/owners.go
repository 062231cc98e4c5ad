package schemas

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// With several owners, a kind's definition comes from the owner whose modules serve the kind. Another
// owner could otherwise have conversions rejected with a schema that no object satisfies.

// owns reports whether a definition may be used: its owner's modules serve its kind, or there are no
// owners.
func (s *Schemas) owns(file string, crd *schema.CRD) bool {
	owner, _ := watch.SplitOwner(file)
	return owner == "" || s.config.OwnerOf(crd.Group, crd.Kind) == owner
}

// mayOwn reports whether a file could have the definition of a kind that reviews ask for.
func (s *Schemas) mayOwn(file, group, kind string) bool {
	owner, _ := watch.SplitOwner(file)
	return owner == "" || s.config.OwnerOf(group, kind) == owner
}

// foreign says why a definition is not used because its kind belongs to another owner; empty if it
// does not.
func (s *Schemas) foreign(file string, crd *schema.CRD) string {
	owner, _ := watch.SplitOwner(file)
	if owner == "" {
		return ""
	}
	by := s.config.OwnerOf(crd.Group, crd.Kind)
	if by == "" || by == owner {
		return ""
	}
	return fmt.Sprintf("the kind %s.%s belongs to owner %s, whose modules serve it, so the definition of owner %s is not used: delete this file", crd.Kind, crd.Group, by, owner)
}

// Own chooses the definitions again. Call it when the owners of kinds have changed, before reviews
// are converted by the new ones.
func (s *Schemas) Own() {
	if s == nil || s.config.OwnerOf == nil {
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
