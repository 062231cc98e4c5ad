package schema

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// kinds is a set of the kinds that a value may have: bit k for kind k, and one bit more for numbers
// without a fraction.
type kinds uint8

const (
	integerKind kinds = 1 << 7
	anyKind     kinds = 1<<7 - 1<<1 // everything from rawjson.Object to rawjson.Null
)

func kindsOf(list ...rawjson.Kind) kinds {
	var k kinds
	for _, kind := range list {
		k |= 1 << kind
	}
	return k
}

// has says whether all values of the kind are in the set.
func (k kinds) has(kind rawjson.Kind) bool { return k>>kind&1 != 0 }

// accepted returns the set of values that the type, the nullability and the format of a schema let
// through.
func accepted(d *definition.Schema) kinds {
	var k kinds
	switch {
	case d.IntOrString:
		k = integerKind | kindsOf(rawjson.String)
	case d.Type == "integer":
		k = integerKind
	case d.Type == "number":
		k = kindsOf(rawjson.Number)
	case d.Type == "string":
		k = kindsOf(rawjson.String)
	case d.Type == "boolean":
		k = kindsOf(rawjson.Bool)
	case d.Type == "object":
		k = kindsOf(rawjson.Object)
	case d.Type == "array":
		k = kindsOf(rawjson.Array)
	case d.Check != nil:
		// Without a type, null is allowed, and a format implies the type that it applies to. Arrays
		// are allowed then, because the API server takes them for bytes.
		return kindsOf(rawjson.String, rawjson.Array, rawjson.Null)
	default:
		return anyKind
	}
	if d.Nullable {
		k |= kindsOf(rawjson.Null)
	}
	return k
}

// String lists the set: "an integer or a string". It omits null unless null is the only kind.
func (k kinds) String() string {
	var words []string
	for kind := rawjson.Object; kind < rawjson.Null; kind++ {
		if k.has(kind) {
			words = append(words, kind.String())
		}
	}
	if k&integerKind != 0 {
		words = append([]string{"an integer"}, words...)
	}
	if len(words) == 0 {
		return "null"
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return words[0]
}
