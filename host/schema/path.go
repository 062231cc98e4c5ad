package schema

import (
	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// step is one step from a value to a part of it.
type step struct {
	to stepTo
	at int // of an element its index; of a member where its name begins in the object
}

type stepTo uint8

const (
	toField   stepTo = iota // a member that the schema knows, or should: .name
	toEntry                 // a member whose name is data, such as [name]
	toElement               // an element: [3]
)

// appendName appends the step to a member. It quotes a name that could be misread.
func appendName(path []byte, name string, to stepTo) []byte {
	shown := foreign.Shorten(name, definition.MaxName)
	if to == toField && isPlain(shown, "-_$") {
		if len(path) > 0 {
			path = append(path, '.')
		}
		return append(path, shown...)
	}
	path = append(path, '[')
	if isPlain(shown, "-_$./:@+~…") {
		path = append(path, shown...)
	} else {
		path = rawjson.Quote(path, shown)
	}
	return append(path, ']')
}

// isPlain reports whether a name has only letters, digits and the others in it, and at least one of
// them.
func isPlain(name, others string) bool {
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			continue
		}
		found := false
		for _, other := range others {
			found = found || r == other
		}
		if !found {
			return false
		}
	}
	return name != ""
}
