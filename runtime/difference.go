package runtime

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxPaths is how many differences a message lists: enough to see what they have in common.
const maxPaths = 6

// maxPath is the most bytes of a path that are shown; fields of Kubernetes' own types are at most half as deep.
const maxPath = 200

// difference says where two JSON values differ: the paths of the first few differing leaves, and what the first of them should
// be and is, in 80 bytes each. Both must be strictly valid.
func difference(want, got []byte) string {
	d := differences{}
	d.compare("", decoded(want), decoded(got))
	if len(d.paths) == 0 {
		return "nothing" // not reached: they were found to differ before
	}
	text := fmt.Sprintf("%s (want %s, got %s)", d.paths[0], d.want, d.got)
	if more := d.paths[1:]; len(more) > 0 {
		text += ", " + strings.Join(more, ", ")
	}
	if d.more > 0 {
		text += fmt.Sprintf(" and %d more", d.more)
	}
	return text
}

// differences gathers the paths of differing leaves, and the values of the first.
type differences struct {
	paths     []string // maxPaths at most
	more      int      // differences beside those
	want, got string
}

// absent stands for a value that is not there.
type absent struct{}

func (d *differences) compare(path string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			keys := maps.Clone(w)
			maps.Copy(keys, g)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				d.compare(memberPath(path, key), valueOf(w, key), valueOf(g, key))
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			for i := range max(len(w), len(g)) {
				d.compare(path+"["+strconv.Itoa(i)+"]", elementOf(w, i), elementOf(g, i))
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
	if len(d.paths) == 0 {
		d.want, d.got = leaf(want), leaf(got)
	}
	if len(d.paths) == maxPaths {
		d.more++
		return
	}
	if len(path) > maxPath {
		path = strings.ToValidUTF8(path[:maxPath], "") + "…"
	}
	d.paths = append(d.paths, path)
}

func valueOf(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func elementOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// leaf shows a value.
func leaf(v any) string {
	if v == (any)(absent{}) {
		return "nothing"
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return words([]byte(shortened(strings.TrimSpace(text.String()))))
}

// plainKey is a name that a path can show without quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9_]{0,79}$`)

func memberPath(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + strconv.Quote(shortened(key)) + "]"
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
