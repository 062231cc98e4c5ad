package shrink

import (
	"encoding/json"
	"slices"
	"testing"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func text(t *testing.T, o map[string]any) string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const large = `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"list":[{"a":"xxxx"},{"a":"needle in hay","b":true},{"c":[]}],"other":{"x":{"y":"z"}}}}`

func TestObject(t *testing.T) {
	o := object(t, large)
	needle := func(candidate map[string]any) map[string]any {
		list, _ := candidate["spec"].(map[string]any)
		elements, _ := list["list"].([]any)
		for _, e := range elements {
			if m, ok := e.(map[string]any); ok && m["b"] == true {
				return candidate
			}
		}
		return nil
	}
	if got, want := text(t, Object(o, 1000, true, needle)), `{"apiVersion":"g/v1","kind":"K","spec":{"list":[{"b":true}]}}`; got != want {
		t.Errorf("shrunk to %s, want %s", got, want)
	}
	if text(t, o) != text(t, object(t, large)) {
		t.Error("Object changed its argument")
	}
}

// TestObjectEmptiesLists tests that a list without elements stays a list: null is another value.
func TestObjectEmptiesLists(t *testing.T) {
	got := Object(object(t, `{"metadata":{"name":"n"},"spec":{"list":[1]}}`), 100, true, func(candidate map[string]any) map[string]any {
		if spec, ok := candidate["spec"].(map[string]any); ok && spec["list"] != nil {
			return candidate
		}
		return nil
	})
	if want := `{"spec":{"list":[]}}`; text(t, got) != want {
		t.Errorf("shrunk to %s, want %s", text(t, got), want)
	}
}

func TestObjectShortensScalars(t *testing.T) {
	keeps := func(candidate map[string]any) map[string]any {
		value, _ := At(candidate, Path{"spec", "s"})
		if s, _ := value.(string); len(s) > 2 {
			return candidate
		}
		return nil
	}
	o := map[string]any{"spec": map[string]any{"s": "a long text", "n": int64(7)}}
	if got := text(t, Object(o, 100, true, keeps)); len(got) != len(`{"spec":{"s":"abc"}}`) {
		t.Errorf("shrunk to %v", got)
	}
	if got := text(t, Object(o, 100, false, keeps)); got != `{"spec":{"s":"a long text"}}` {
		t.Errorf("without scalars shrunk to %v", got)
	}
}

func TestObjectEndsAfterItsTests(t *testing.T) {
	tests := 0
	Object(object(t, large), 5, true, func(map[string]any) map[string]any { tests++; return nil })
	if tests != 5 {
		t.Errorf("%d tests, want 5", tests)
	}
}

func TestLeaves(t *testing.T) {
	o := object(t, `{"a":{"b":[1,{}]},"c":null}`)
	leaves := Leaves(o)
	if len(leaves) != 3 {
		t.Fatalf("leaves: %v", leaves)
	}
	Remove(o, Path{"a", "b", 0})
	Set(o, Path{"c"}, "x")
	if got, want := text(t, o), `{"a":{"b":[{}]},"c":"x"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestObjectHalvesLongLists: an object with 60,000 elements shrinks to the one that matters, and one
// whose elements all matter is left alone after a few tests.
func TestObjectHalvesLongLists(t *testing.T) {
	list := make([]any, 60_000)
	for i := range list {
		list[i] = int64(0)
	}
	list[41_234] = int64(7)
	elements := func(object map[string]any) []any {
		spec, _ := object["spec"].(map[string]any)
		list, _ := spec["list"].([]any)
		return list
	}
	o := map[string]any{"kind": "K", "spec": map[string]any{"list": list}}
	got := Object(o, 400, true, func(candidate map[string]any) map[string]any {
		if slices.Contains(elements(candidate), any(int64(7))) {
			return candidate
		}
		return nil
	})
	if n := len(elements(got)); n != 1 {
		t.Errorf("%d elements are left", n)
	}
	tests := 0
	Object(o, 400, true, func(candidate map[string]any) map[string]any {
		tests++
		if len(elements(candidate)) == len(list) {
			return candidate
		}
		return nil
	})
	if tests == 0 || tests > 20 {
		t.Errorf("%d tests of a large object", tests)
	}
}
