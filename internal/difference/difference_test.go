package difference

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEach has the places where two values differ.
func TestEach(t *testing.T) {
	long := strings.Repeat("x", maxPath)
	for _, test := range []struct {
		name, want, got string
		found           []string // path: want → got
	}{
		{"equal", `{"a":[1,{"b":null}],"c":"x"}`, `{"c":"\u0078","a":[1,{"b":null}]}`, nil},
		{"leaves", `{"b":1,"a":"x"}`, `{"b":2,"a":true}`, []string{"a: x → true", "b: 1 → 2"}},
		{"numbers by their text", `[1,10000000000000000001]`, `[1.0,10000000000000000002]`, []string{"[0]: 1 → 1.0", "[1]: 10000000000000000001 → 10000000000000000002"}},
		{"a number and its text", `1`, `"1"`, []string{": 1 → 1"}},
		{"absent members", `{"a":1}`, `{"b":null}`, []string{"a: 1 → {}", "b: {} → <nil>"}},
		{"absent elements", `{"a":[1,2]}`, `{"a":[1,2,3]}`, []string{"a[2]: {} → 3"}},
		{"elements beyond the others", `[[1],[2,3]]`, `[[1],[2]]`, []string{"[1][1]: 3 → {}"}},
		{"an object and a list", `{"a":{"b":1}}`, `{"a":[1]}`, []string{"a: map[b:1] → [1]"}},
		{"a leaf and an object", `{"a":null}`, `{"a":{}}`, []string{"a: <nil> → map[]"}},
		{"a leaf and a list", `{"a":0}`, `{"a":[]}`, []string{"a: 0 → []"}},
		{"a list and a leaf", `{"a":[]}`, `{"a":0}`, []string{"a: [] → 0"}},
		{"keys in quotes", `{"a":{"app.kubernetes.io/name":1,"":1}}`, `{"a":{}}`, []string{`a[""]: 1 → {}`, `a["app.kubernetes.io/name"]: 1 → {}`}},
		{"a key in quotes at the top", `{"a b":[{"c":1}]}`, `{"a b":[{"c":2}]}`, []string{`["a b"][0].c: 1 → 2`}},
		{"a long path", `{"a":{"` + long + `":1}}`, `{"a":{}}`, []string{`a["` + long[:maxKey] + `"…]: 1 → {}`}},
	} {
		var found []string
		Each([]byte(test.want), []byte(test.got), func(path string, want, got any) {
			found = append(found, fmt.Sprintf("%s: %v → %v", path, want, got))
		})
		if !slices.Equal(found, test.found) {
			t.Errorf("%s: found %q, want %q", test.name, found, test.found)
		}
	}
}

// TestEachCutsPaths: a path of many names is cut.
func TestEachCutsPaths(t *testing.T) {
	nested := func(leaf string) []byte {
		return []byte(strings.Repeat(`{"abcdefghi":`, 100) + leaf + strings.Repeat("}", 100))
	}
	Each(nested("1"), nested("2"), func(path string, _, _ any) {
		if len(path) < maxPath || len(path) > maxPath+len("…") || !strings.HasPrefix(path, "abcdefghi.abcdefghi.") {
			t.Errorf("a path of %d bytes: %.40s", len(path), path)
		}
	})
}

// TestShown: a value is cut and cleaned.
func TestShown(t *testing.T) {
	if got := Shown("y\u0080", 20); got != `"y"` {
		t.Errorf("%q", got)
	}
	if got := Shown(strings.Repeat("x", 30), 20); got != `"`+strings.Repeat("x", 16)+"…" {
		t.Errorf("%q", got)
	}
}
