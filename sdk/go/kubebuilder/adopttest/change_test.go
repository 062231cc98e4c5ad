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

// TestChangedAnnotation changes the JSON that an annotation keeps: a member is gone, or has another
// value, or the text is cut.
func TestChangedAnnotation(t *testing.T) {
	c := comparison{r: rand.New(rand.NewSource(1))}
	if _, ok := c.changedAnnotation([]byte(`{"metadata":{"annotations":{"a":"b","c":"[1]"}}}`)); ok {
		t.Error("there is no object in an annotation")
	}
	seen := map[string]bool{}
	for range 200 {
		o, ok := c.changedAnnotation([]byte(`{"metadata":{"annotations":{"a":"b","kept":"{\"x\":{\"y\":1}}"}},"spec":{"size":2}}`))
		if !ok {
			t.Fatal("nothing was changed")
		}
		switch text := o["metadata"].(map[string]any)["annotations"].(map[string]any)["kept"].(string); {
		case text == `{"x":{"y":1}}`:
			t.Error("the text is the same")
		case text == "{}" || text == `{"x":{}}`:
			seen["a member is gone"] = true
		case json.Valid([]byte(text)):
			seen["another value"] = true
		default:
			seen["cut"] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v", seen)
	}
}

// TestRepeat appends elements that differ from another one in one member.
func TestRepeat(t *testing.T) {
	type element struct {
		Name  string
		Value *int
	}
	shared := 0
	for seed := range int64(50) {
		f := filler{r: rand.New(rand.NewSource(seed)), density: 0.5, wide: true}
		list := []element{{Name: "one", Value: new(int)}}
		f.repeat(reflect.ValueOf(&list).Elem(), 2)
		if len(list) != 2 || list[0].Value != nil && list[0].Value == list[1].Value {
			t.Fatalf("got %v", list)
		}
		if list[0].Name == list[1].Name && (list[0].Value == nil || list[1].Value == nil) {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no two elements have one name and another value")
	}
}

// TestCompareRefusal compares texts of refusals but for the words of encoding/json.
func TestCompareRefusal(t *testing.T) {
	for _, test := range []struct {
		native, module string
		alike          bool
	}{
		{"not for us", "not for us", true},
		{"not for us", "not for them", false},
		{"not for us", "we say: not for us", true}, // the gateway has words in front of a refusal, too
		{"invalid character 'a' looking for beginning of value", "json: the text is not valid at byte 0 of 3", true},
		{"reading the annotation: unexpected end of JSON input", "reading the annotation: json: the text is not valid at byte 3 of 3", true},
		{"reading the annotation: unexpected end of JSON input", "json: the text is not valid at byte 3 of 3", false},
		{"json: cannot unmarshal bool into Go struct field T.a of type string", "not for us", false},
		{"not for us", "json: .a must be a Go string, but is a JSON bool", false},
	} {
		want := compareRefusal(object{refusal: test.native}, "cannot convert object 0 of T.g from v1 to v2: "+test.module+" [refused by module T.g_v1_v2.wasm (sha256:0)]")
		if (want == "") != test.alike {
			t.Errorf("%q and %q: got %q", test.native, test.module, want)
		}
	}
}
