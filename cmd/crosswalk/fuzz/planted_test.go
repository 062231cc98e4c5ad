package fuzz

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
)

// plantedMistakes were used to improve fuzz: it finds each of them.
var plantedMistakes = []planted{
	// Lists and maps.
	{"more than three elements", onList("list", func(l []any) []any { return l[:min(len(l), 3)] })},
	{"more than sixteen elements", onList("list", func(l []any) []any { return l[:min(len(l), 16)] })},
	{"an empty list", func(_, p map[string]any) {
		if l, ok := p["list"].([]any); ok && len(l) == 0 {
			delete(p, "list")
		}
	}},
	{"a sorted list", onList("list", func(l []any) []any {
		return slices.SortedFunc(slices.Values(l), func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	})},
	{"an element twice", onList("list", func(l []any) (kept []any) {
		for i, e := range l {
			if slices.Index(l, e) == i {
				kept = append(kept, e)
			}
		}
		return kept
	})},
	{"the last element", onList("items", func(l []any) []any {
		if len(l) > 1 {
			return l[:len(l)-1]
		}
		return l
	})},
	{"elements without a name", onList("items", func(l []any) []any {
		return slices.DeleteFunc(l, func(e any) bool { return e.(map[string]any)["name"] == nil })
	})},
	{"elements by name", onList("items", func(l []any) (kept []any) {
		at := map[any]int{}
		for _, e := range l {
			name := e.(map[string]any)["name"]
			if i, twice := at[name]; twice {
				kept[i] = e
				continue
			}
			at[name] = len(kept)
			kept = append(kept, e)
		}
		return kept
	})},
	{"a member of each element but the first", onList("items", func(l []any) []any {
		for i, e := range l {
			if i > 0 {
				delete(e.(map[string]any), "value")
			}
		}
		return l
	})},
	{"a key of JavaScript", onMap("map", func(m map[string]any) { delete(m, "__proto__") })},
	{"an empty map", func(_, p map[string]any) {
		if m, ok := p["map"].(map[string]any); ok && len(m) == 0 {
			delete(p, "map")
		}
	}},
	{"an empty value in a map", onMap("map", func(m map[string]any) { maps.DeleteFunc(m, func(_ string, v any) bool { return v == "" }) })},
	{"a key with a dot", onMap("map", func(m map[string]any) {
		maps.DeleteFunc(m, func(key string, _ any) bool { return strings.Contains(key, ".") })
	})},
	{"keys in lower case", onMap("map", func(m map[string]any) {
		for key, value := range maps.Clone(m) {
			if lower := strings.ToLower(key); lower != key {
				delete(m, key)
				m[lower] = value
			}
		}
	})},
	// Texts.
	{"an empty text", dropText(func(s string) bool { return s == "" })},
	{"a length of 17", onText(func(s string) string {
		if units(s) == 17 {
			return string([]rune(s)[1:])
		}
		return s
	})},
	{"a length of 63", dropText(func(s string) bool { return units(s) == 63 })},
	{"cut at 253", onText(func(s string) string {
		if r := []rune(s); len(r) > 253 {
			return string(r[:253])
		}
		return s
	})},
	{"space around a text", onText(strings.TrimSpace)},
	{"ends of lines", onText(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") })},
	{"the last end of line", onText(func(s string) string { return strings.TrimSuffix(s, "\n") })},
	{"lower case", onText(strings.ToLower)},
	{"composed characters", onText(func(s string) string { return strings.ReplaceAll(s, "e\u0301", "\u00e9") })},
	{"characters beyond 16 bits", onText(func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > 0xffff {
				return -1
			}
			return r
		}, s)
	})},
	{"an invisible character", onText(func(s string) string { return strings.ReplaceAll(s, "\u200b", "") })},
	{"an escape character", onText(func(s string) string { return strings.ReplaceAll(s, "\x1b", "") })},
	{"from right to left", dropText(func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hebrew, r) })
	})},
	{"milliseconds", dropText(func(s string) bool { return strings.HasSuffix(s, "ms") })},
	{"all of a port's percent", func(_, p map[string]any) {
		if p["port"] == "100%" {
			p["port"] = int64(100)
		}
	}},
	{"main", dropText(func(s string) bool { return s == "main" })},
	{"default", dropText(func(s string) bool { return s == "default" })},
	{"a quantity", onText(func(s string) string {
		if s == "1024Ki" {
			return "1Mi"
		}
		return s
	})},
	{"a text that is a number", onText(func(s string) string {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return strconv.FormatFloat(n, 'g', -1, 64)
		}
		return s
	})},
	{"a text that is a boolean", dropText(func(s string) bool { return s == "true" || s == "false" })},
	{"the second colon", onText(func(s string) string {
		parts := strings.Split(s, ":")
		return strings.Join(parts[:min(len(parts), 2)], ":")
	})},
	{"a word of the enumeration", func(_, p map[string]any) {
		if p["mode"] == "Slow" {
			p["mode"] = "Fast"
		}
	}},
	{"a prefix", onText(func(s string) string { return strings.TrimPrefix(s, "kube-") })},
	// Numbers and booleans.
	{"zero", func(_, p map[string]any) {
		if p["count"] == int64(0) {
			delete(p, "count")
		}
	}},
	{"a negative number", onCount(func(n int64) int64 { return max(n, -n) })},
	{"beyond 32 bits", onCount(func(n int64) int64 { return min(n, math.MaxInt32) })},
	{"beyond 53 bits", onCount(func(n int64) int64 { return int64(float64(n)) })},
	{"a fraction", func(_, p map[string]any) {
		if n, ok := p["share"].(float64); ok {
			p["share"] = math.Round(n)
		}
	}},
	{"false", func(_, p map[string]any) {
		if p["flag"] == false {
			delete(p, "flag")
		}
	}},
	{"a port that is a name", func(_, p map[string]any) {
		if _, ok := p["port"].(string); ok {
			delete(p, "port")
		}
	}},
	// Objects and absence.
	{"an empty object", func(_, p map[string]any) {
		if i, ok := p["inner"].(map[string]any); ok && len(i) == 0 {
			delete(p, "inner")
		}
	}},
	{"one member without the other", func(_, p map[string]any) {
		if i, ok := p["inner"].(map[string]any); ok && i["a"] != nil && i["b"] == nil {
			delete(p, "inner")
		}
	}},
	{"both members", onMap("inner", func(i map[string]any) {
		if i["a"] != nil && i["a"] != "" && i["b"] != nil && i["b"] != "" {
			delete(i, "b")
		}
	})},
	{"a default", func(_, p map[string]any) {
		if p["mode"] == nil {
			p["mode"] = "Fast"
		}
	}},
	{"an unknown member", onMap("free", func(f map[string]any) {
		maps.DeleteFunc(f, func(_ string, v any) bool {
			switch v.(type) {
			case nil, map[string]any, []any:
				return true
			}
			return false
		})
	})},
	{"two fields at once", func(_, p map[string]any) {
		if n, _ := p["count"].(int64); p["flag"] == true && n > 0 {
			delete(p, "share")
		}
	}},
	// Values of which no schema says anything.
	{"an empty text in free data", onFree(func(m map[string]any, key string) {
		if m[key] == "" {
			m[key] = nil
		}
	})},
	{"a dash in a key of free data", onFree(func(m map[string]any, key string) {
		if strings.Contains(key, "-") {
			delete(m, key)
		}
	})},
	{"the end of a line in free data", onFree(func(m map[string]any, key string) {
		if s, ok := m[key].(string); ok {
			m[key] = strings.TrimSuffix(s, "\n")
		}
	})},
	{"the fifth level of free data", onMap("free", func(f map[string]any) {
		for level, m := 1, f; m != nil; level++ {
			var next map[string]any
			for _, key := range slices.Sorted(maps.Keys(m)) {
				if inner, ok := m[key].(map[string]any); ok {
					if next = inner; level == 4 {
						clear(inner)
					}
				}
			}
			m = next
		}
	})},
	// Metadata.
	{"a dot in the name", func(o, p map[string]any) {
		if name, _ := metadataOf(o)["name"].(string); strings.Contains(name, ".") {
			delete(p, "text")
		}
	}},
	{"a label", func(o, _ map[string]any) { delete(labelsOf(o), "app") }},
	{"the annotation of kubectl", func(o, _ map[string]any) {
		delete(annotationsOf(o), "kubectl.kubernetes.io/last-applied-configuration")
	}},
	{"the namespace kube-system", func(o, p map[string]any) {
		if metadataOf(o)["namespace"] == "kube-system" {
			delete(p, "text")
		}
	}},
}

// plantedSchema is the schema of both versions.
const plantedSchema = `{type: object, properties: {spec: {type: object, properties: {
    text: {type: string}, mode: {type: string, enum: [Fast, Slow, Paused]}, list: {type: array, items: {type: string}},
    items: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}},
    map: {type: object, additionalProperties: {type: string}}, inner: {type: object, properties: {a: {type: string}, b: {type: string}}},
    free: {type: object, x-kubernetes-preserve-unknown-fields: true}, count: {type: integer, format: int64}, share: {type: number},
    flag: {type: boolean}, port: {x-kubernetes-int-or-string: true}}}}}`

// TestFindsPlantedMistakes tests converters of which each is wrong for rare values only: the mistake is
// found within 4,000 objects, and none in a converter without a mistake.
func TestFindsPlantedMistakes(t *testing.T) {
	d := kindOf(t, "Thing", plantedSchema, plantedSchema)
	for _, m := range append([]planted{{name: "none"}}, plantedMistakes...) {
		t.Run(m.name, func(t *testing.T) {
			if found, text := foundIn(t, d, 4000, nil, m.mistake); found != (m.mistake != nil) {
				t.Errorf("found: %v\n%s", found, text)
			}
		})
	}
}

// TestFindsMistakesWithWordsOfTheModule tests mistakes that only a literal of the converter shows. Of the
// words, fuzz tries the first ones more often: 8,000 objects are enough.
func TestFindsMistakesWithWordsOfTheModule(t *testing.T) {
	d := kindOf(t, "Thing", plantedSchema, plantedSchema)
	words := []string{"qx-rare-7", "legacy-mode"}
	for i := range 60 {
		words = append(words, "word-"+strconv.Itoa(i))
	}
	for _, word := range words[:2] {
		if found, text := foundIn(t, d, 8000, words, dropText(func(s string) bool { return s == word })); !found {
			t.Errorf("%s: not found\n%s", word, text)
		}
	}
}

// onText returns a mistake in the text of a spec.
func onText(change func(string) string) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if s, ok := p["text"].(string); ok {
			p["text"] = change(s)
		}
	}
}

// dropText returns a mistake that drops some texts.
func dropText(drops func(string) bool) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if s, ok := p["text"].(string); ok && drops(s) {
			delete(p, "text")
		}
	}
}

func onCount(change func(int64) int64) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if n, ok := p["count"].(int64); ok {
			p["count"] = change(n)
		}
	}
}

func onList(name string, change func([]any) []any) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if l, ok := p[name].([]any); ok {
			p[name] = append([]any{}, change(l)...)
		}
	}
}

func onMap(name string, change func(map[string]any)) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if m, ok := p[name].(map[string]any); ok {
			change(m)
		}
	}
}

// onFree returns a mistake in each member of objects within the free data of a spec.
func onFree(change func(m map[string]any, key string)) func(_, p map[string]any) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key])
				change(v, key)
			}
		}
	}
	return func(_, p map[string]any) { walk(p["free"]) }
}

func metadataOf(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata
}

func labelsOf(object map[string]any) map[string]any {
	labels, _ := metadataOf(object)["labels"].(map[string]any)
	return labels
}

// units returns the length of a text as JavaScript and Java count it.
func units(s string) int { return len(utf16.Encode([]rune(s))) }
