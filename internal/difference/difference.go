// Package difference says where two JSON values differ.
package difference

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	maxPath = 200 // bytes of a path in a message; the paths of Kubernetes' own types are at most half as long
	maxKey  = 80  // bytes of a key that a path quotes
)

// Absent stands for a value that is not there.
type Absent struct{}

// Each compares two JSON values and calls found for every place where they differ, the members of
// objects in the order of their names: where one of the two has a leaf, or is absent. It compares
// numbers by their text and passes them as json.Number, other values as encoding/json decodes them.
// Paths are like spec.ports[0].name and metadata.labels["app.kubernetes.io/name"], "" for the whole
// value; long paths are cut.
//
// Both values must be strictly valid.
func Each(want, got []byte, found func(path string, want, got any)) {
	compare("", decoded(want), decoded(got), found)
}

// Shown returns a value as JSON for a message of so many bytes; "nothing" if it is absent.
func Shown(v any, most int) string {
	if v == (any)(Absent{}) {
		return "nothing"
	}
	var encoded strings.Builder
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return foreign.Clean(foreign.Fit(strings.TrimSpace(encoded.String()), most), most)
}

func compare(path string, want, got any, found func(path string, want, got any)) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			keys := maps.Clone(w)
			maps.Copy(keys, g)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				compare(memberPath(path, key), valueOf(w, key), valueOf(g, key), found)
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			for i := range max(len(w), len(g)) {
				compare(path+"["+strconv.Itoa(i)+"]", elementOf(w, i), elementOf(g, i), found)
			}
			return
		}
	default:
		if _, ok := got.(map[string]any); ok {
			break
		}
		if _, ok := got.([]any); ok {
			break
		}
		if want == got { // numbers are their text
			return
		}
	}
	found(foreign.Shorten(path, maxPath), want, got)
}

func valueOf(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return Absent{}
}

func elementOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return Absent{}
}

// plainKey is a name that a path can show without quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9_]{0,79}$`)

func memberPath(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + foreign.Quote(key, maxKey) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// decoded returns a value with its numbers as text.
func decoded(doc []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	_ = d.Decode(&v) // was checked before, by a stricter reader
	return v
}
