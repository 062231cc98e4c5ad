package scaffold

import (
	"fmt"
	"regexp"
	"strings"
)

// guide says in a project's README where the SDK of its language is described, and how a converter
// keeps all fields that the other version lacks.
type guide struct{ reference, lossless string }

var guides = map[string]guide{
	"assemblyscript": {"`sdk/assemblyscript/assembly`: begin with `value.ts` and `object.ts`", "`register(a, b, (o) => lossless(o, aToB, bToA))`"},
	"c":              {"`crosswalk.h`, `crosswalk_helpers.h` and `crosswalk_stash.h`", "`return cw_lossless(o, a_to_b, b_to_a);` as the whole body of a converter"},
	"cpp":            {"`crosswalk.hpp`", "`crosswalk::lossless<a_to_b, b_to_a>` in the table of conversions"},
	"go":             {"`go doc -all ./sdk/go`", "`crosswalk.Register(a, b, crosswalk.Lossless(aToB, bToA))`"},
	"javascript":     {"`types/crosswalk-javascript.d.ts`", "`register(a, b, lossless(aToB, bToA))`"},
	"rust":           {"`cargo doc --open --package crosswalk --target-dir build/rust`", "`crosswalk::lossless(o, a_to_b, b_to_a)` as the whole body of a converter"},
	"zig":            {"`sdk/zig/src`: begin with `Value.zig` and `edit.zig`", "`.convert = cw.lossless(aToB, bToA)`"},
}

// Reference says where the functions of the SDK are described.
func (p Project) Reference() string { return guides[p.language].reference }

// Lossless is the code of a converter that loses nothing.
func (p Project) Lossless() string { return guides[p.language].lossless }

// Page returns the address of a file of the repository. The project has no copy of it.
func (p Project) Page(file string) string { return Site + "/blob/main/" + file }

// List joins the versions as a sentence does: v1alpha1, v1beta1 and v1.
func (p Project) List() string {
	last := len(p.Versions) - 1
	return strings.Join(p.Versions[:last], ", ") + " and " + p.Versions[last]
}

// field is a field of Difference.Gone that a sample can have.
var field = regexp.MustCompile(`^\.spec\.([A-Za-z][A-Za-z0-9]*) \((a string|an integer|a number|a boolean)\)$`)

// Sample returns the spec of an object in the first version, as JSON: with a definition, it has
// some of the fields that the second version lacks.
func (p Project) Sample() string {
	if p.Definition == "" {
		return `{"example": "text", "number": 9007199254740993}`
	}
	const most = 5
	values := map[string]string{"a string": `"text"`, "an integer": "1", "a number": "1.5", "a boolean": "true"}
	var members []string
	if d := p.Directions()[0].Difference; d != nil {
		for _, gone := range d.Gone {
			if m := field.FindStringSubmatch(gone); m != nil && len(members) < most {
				members = append(members, fmt.Sprintf("%q: %s", m[1], values[m[2]]))
			}
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}
