package fuzz

import (
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// heldOutMistakes were written before fuzz was tried on them, and fuzz is never changed for one of them.
var heldOutMistakes = []planted{
	{"a list of one", func(_, p map[string]any) {
		if l, _ := p["list"].([]any); len(l) == 1 {
			delete(p, "list")
		}
	}},
	{"the tenth element", onList("items", func(l []any) []any {
		if len(l) > 9 {
			return slices.Delete(l, 9, 10)
		}
		return l
	})},
	{"two elements of one name", onList("items", func(l []any) []any {
		if len(l) == 2 && l[0].(map[string]any)["name"] == l[1].(map[string]any)["name"] {
			return l[:1]
		}
		return l
	})},
	{"a text of 64", onText(func(s string) string {
		if r := []rune(s); len(r) > 63 {
			return string(r[:63])
		}
		return s
	})},
	{"a text of 1,024", dropText(func(s string) bool { return units(s) > 1024 })},
	{"a tab", onText(func(s string) string { return strings.ReplaceAll(s, "\t", " ") })},
	{"a quotation mark", onText(func(s string) string { return strings.ReplaceAll(s, `"`, "") })},
	{"a backslash", onText(func(s string) string { return strings.ReplaceAll(s, `\`, "/") })},
	{"a percent escape", onText(func(s string) string {
		plain := regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllStringFunc(s, func(escape string) string {
			if text, err := url.PathUnescape(escape); err == nil {
				return text
			}
			return escape
		})
		return strings.ToValidUTF8(plain, "?")
	})},
	{"a duration in seconds", onText(func(s string) string {
		if s == "60s" {
			return "1m"
		}
		return s
	})},
	{"a URL", onText(func(s string) string {
		if rest, ok := strings.CutPrefix(s, "https://"); ok {
			return "http://" + rest
		}
		return s
	})},
	{"a version", onText(func(s string) string {
		if s == "v1beta1" {
			return "v1"
		}
		return s
	})},
	{"a large port", func(_, p map[string]any) {
		if p["port"] == int64(65535) {
			delete(p, "port")
		}
	}},
	{"minus one", func(_, p map[string]any) {
		if p["count"] == int64(-1) {
			delete(p, "count")
		}
	}},
	{"a small fraction", func(_, p map[string]any) {
		if n, _ := p["share"].(float64); n > 0 && n < 1 {
			p["share"] = int64(0)
		}
	}},
	{"three conditions", func(_, p map[string]any) {
		if p["flag"] == true && p["mode"] == "Slow" && p["inner"] != nil {
			delete(p, "inner")
		}
	}},
	{"a null in free data", onMap("free", func(f map[string]any) { maps.DeleteFunc(f, func(_ string, v any) bool { return v == nil }) })},
	{"a label of 63 characters", func(o, _ map[string]any) {
		maps.DeleteFunc(labelsOf(o), func(_ string, v any) bool { return len(v.(string)) == 63 })
	}},
	{"an annotation of two lines", func(o, _ map[string]any) {
		maps.DeleteFunc(annotationsOf(o), func(_ string, v any) bool { return strings.Contains(v.(string), "\n") })
	}},
	{"a map of eleven", onMap("map", func(m map[string]any) {
		if keys := slices.Sorted(maps.Keys(m)); len(keys) > 10 {
			delete(m, keys[10])
		}
	})},
	{"a slash in a key", onMap("map", func(m map[string]any) {
		maps.DeleteFunc(m, func(key string, _ any) bool { return strings.Contains(key, "/") })
	})},
}

// leastHeldOut is how many of heldOutMistakes fuzz finds.
const leastHeldOut = 17

// TestFindsHeldOutMistakes counts how many mistakes fuzz finds for which it was not made.
func TestFindsHeldOutMistakes(t *testing.T) {
	d := kindOf(t, "Thing", plantedSchema, plantedSchema)
	count := 0
	for _, m := range heldOutMistakes {
		if found, _ := foundIn(t, d, 4000, nil, m.mistake); found {
			count++
		} else {
			t.Logf("not found: %s", m.name)
		}
	}
	if count < leastHeldOut {
		t.Errorf("fuzz finds %d of %d mistakes, and found %d before", count, len(heldOutMistakes), leastHeldOut)
	}
}

// heldOutServices are mistakes with a kind that has more than a spec. They were written before fuzz was
// tried on them, and fuzz is never changed for one of them.
var heldOutServices = []struct {
	planted
	found bool
}{
	{planted{"32 bits", on("replicas", func(n int64) any { return int64(int32(n)) })}, true},
	{planted{"zero is unset", func(_, p map[string]any) {
		if p["replicas"] == int64(0) {
			delete(p, "replicas")
		}
	}}, true},
	{planted{"an empty mode is the default", func(_, p map[string]any) {
		if p["mode"] == "" {
			delete(p, "mode")
		}
	}}, true},
	{planted{"a canonical duration", on("timeout", func(s string) any { // 60s becomes 1m0s
		if d, err := time.ParseDuration(s); err == nil {
			return d.String()
		}
		return s
	})}, true},
	{planted{"a canonical quantity", on("memory", func(s string) any {
		if s == "1024Mi" {
			return "1Gi"
		}
		return s
	})}, true},
	{planted{"a time in UTC", on("startTime", func(s string) any {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return at.UTC().Format(time.RFC3339)
		}
		return s
	})}, true},
	{planted{"a slash at the end", on("endpoint", func(s string) any { return strings.TrimRight(s, "/") })}, false}, // no text ends so
	{planted{"a percentage is a number", on("maxUnavailable", func(s string) any {
		if strings.HasSuffix(s, "%") {
			return int64(0)
		}
		return s
	})}, true},
	{planted{"three digits of a fraction", on("ratio", func(n float64) any { return math.Round(n*1000) / 1000 })}, true},
	{planted{"hosts after an empty one", onList("hosts", func(l []any) []any {
		if i := slices.Index(l, ""); i >= 0 {
			return l[:i+1]
		}
		return l
	})}, true},
	{planted{"ports of one protocol first", onList("ports", func(l []any) []any {
		udp := func(e any) int {
			if e.(map[string]any)["protocol"] == "UDP" {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(l, func(a, b any) int { return udp(a) - udp(b) })
		return l
	})}, true},
	{planted{"one port for a number", onList("ports", func(l []any) []any {
		seen := map[any]bool{}
		return slices.DeleteFunc(l, func(e any) bool {
			port := e.(map[string]any)["port"]
			twice := port != nil && seen[port]
			seen[port] = true
			return twice
		})
	})}, true},
	{planted{"a variable without a value", onList("env", func(l []any) []any {
		for _, e := range l {
			if e := e.(map[string]any); e["value"] == nil {
				e["value"] = ""
			}
		}
		return l
	})}, true},
	{planted{"values of the operator Exists", onMap("selector", func(s map[string]any) {
		if s["operator"] == "Exists" {
			delete(s, "values")
		}
	})}, true},
	{planted{"a label of another tool", onMap("labels", func(l map[string]any) { delete(l, "app.kubernetes.io/managed-by") })}, false}, // no map has this key
	{planted{"labels with empty values", onMap("labels", func(l map[string]any) { maps.DeleteFunc(l, func(_ string, v any) bool { return v == "" }) })}, true},
	{planted{"paused has one replica", func(_, p map[string]any) {
		if n, _ := p["replicas"].(int64); p["paused"] == true && n > 1 {
			p["replicas"] = int64(1)
		}
	}}, true},
	{planted{"one condition of a type", func(o, _ map[string]any) {
		status, _ := o["status"].(map[string]any)
		onList("conditions", func(l []any) []any {
			seen := map[any]bool{}
			return slices.DeleteFunc(l, func(e any) bool {
				kind := e.(map[string]any)["type"]
				twice := kind != nil && seen[kind]
				seen[kind] = true
				return twice
			})
		})(o, status)
	}}, true},
}

// TestFindsHeldOutMistakesInServices demands each of the mistakes that fuzz found at its first try, within
// 4,000 objects, and none in a converter without a mistake.
func TestFindsHeldOutMistakesInServices(t *testing.T) {
	d := kindOf(t, "Service", heldOutSchema, heldOutSchema)
	if found, text := foundIn(t, d, 4000, nil, nil); found {
		t.Fatalf("without a mistake: %s", text)
	}
	for _, m := range heldOutServices {
		if found, text := foundIn(t, d, 4000, nil, m.mistake); found != m.found {
			t.Errorf("%s: found: %v\n%s", m.name, found, text)
		}
	}
}

// on returns a mistake in a field of a spec whose value is of one type.
func on[T any](field string, change func(T) any) func(_, p map[string]any) {
	return func(_, p map[string]any) {
		if value, ok := p[field].(T); ok {
			p[field] = change(value)
		}
	}
}

const heldOutSchema = `{type: object, properties: {
    spec: {type: object, properties: {
      replicas: {type: integer, format: int64}, ratio: {type: number}, paused: {type: boolean}, mode: {type: string}, timeout: {type: string}, memory: {type: string},
      endpoint: {type: string}, startTime: {type: string, format: date-time}, maxUnavailable: {x-kubernetes-int-or-string: true}, hosts: {type: array, items: {type: string}},
      ports: {type: array, items: {type: object, properties: {name: {type: string}, port: {type: integer, format: int64}, protocol: {type: string, enum: [TCP, UDP, SCTP]}}}},
      env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}, labels: {type: object, additionalProperties: {type: string}},
      selector: {type: object, properties: {key: {type: string}, operator: {type: string, enum: [In, NotIn, Exists]}, values: {type: array, items: {type: string}}}}}},
    status: {type: object, properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}}}}}`
