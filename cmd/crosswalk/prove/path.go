package prove

import "github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"

type path = fieldpath.Path

const (
	everyElement = fieldpath.Elements
	everyMember  = fieldpath.Members
)

func isEvery(name string) bool { return fieldpath.IsEvery(name) }

// isIndex reports whether a name may be that of an element in a pointer.
func isIndex(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
