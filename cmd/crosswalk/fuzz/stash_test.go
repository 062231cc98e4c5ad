package fuzz

import "testing"

func TestStash(t *testing.T) {
	annotated := func(pairs ...string) map[string]any {
		annotations := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			annotations[pairs[i]] = pairs[i+1]
		}
		return map[string]any{"metadata": map[string]any{"annotations": annotations}}
	}
	const own = "conversion.example.com/v1"
	s := stash("example.com")
	for name, tc := range map[string]struct {
		before, after map[string]any
		filled        bool
	}{
		"nothing":            {annotated(), annotated(), false},
		"its own":            {annotated(), annotated(own, "x"), true},
		"its own, unchanged": {annotated(own, "x"), annotated(own, "x"), false},
		"an object":          {annotated(), annotated("a", `{"b":1}`), true},
		"a text":             {annotated(), annotated("a", "b"), false},
		"another group":      {annotated(), annotated("conversion.example.org/v1", "x"), false},
		"no metadata":        {map[string]any{}, map[string]any{}, false},
	} {
		if got := s.filled(tc.before, tc.after); got != tc.filled {
			t.Errorf("%s: filled %v", name, got)
		}
	}
	if !s.has(annotated(own, "x")) || s.has(annotated("a", `{"b":1}`)) {
		t.Error("has does not tell the group's annotations from others")
	}
	kept := annotated(own, "x", "a", `{"b":1}`, "c", "d")
	if left := annotationsOf(s.without(kept)); len(left) != 1 || left["c"] != "d" || len(annotationsOf(kept)) != 3 {
		t.Errorf("%v is left, of %v", left, annotationsOf(kept))
	}
}
