package artifact

import "github.com/crosswalk-gateway/crosswalk/runtime/watch"

// ParseOwned is ParseName for the name of a file with or without an owner.
func ParseOwned(file string) (Name, error) {
	owner, plain := watch.SplitOwner(file)
	name, err := ParseName(plain)
	if err == nil {
		name.Owner, name.File, name.Base = owner, file, watch.JoinOwner(owner, name.Base)
	}
	return name, err
}
