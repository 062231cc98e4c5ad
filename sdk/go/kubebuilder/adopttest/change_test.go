package adopttest

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
)

// TestChangeInside changes raw JSON: at each depth, and never around it.
func TestChangeInside(t *testing.T) {
	const inner, middle = `{"a":[1,{"b":`, `{"a":[1,`
	f := filler{r: rand.New(rand.NewSource(1))}
	seen := map[string]bool{}
	for range 200 {
		v := reflect.New(reflect.TypeFor[json.RawMessage]()).Elem()
		v.SetBytes([]byte(`{"a":[1,{"b":2}]}`))
		if !f.changeInside(v) {
			t.Fatal("nothing was changed")
		}
		switch text := string(v.Bytes()); {
		case text == `{"a":[1,{"b":2}]}`:
			t.Error("the text is the same")
		case len(text) > len(inner) && text[:len(inner)] == inner:
			seen["the value of b"] = true
		case len(text) > len(middle) && text[:len(middle)] == middle:
			seen["the second element"] = true
		default:
			seen["the rest"] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v changed", seen)
	}
	number := reflect.New(reflect.TypeFor[json.RawMessage]()).Elem()
	number.SetBytes([]byte(`1`))
	if f.changeInside(number) {
		t.Error("a number has nothing inside")
	}
}
