package codec

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// compareValue compares Marshal and Unmarshal with encoding/json, for values that are new and that
// have something in them.
func compareValue(t *testing.T, s *Set, v reflect.Value, texts ...string) {
	t.Helper()
	for _, v := range []any{v.Interface(), v.Elem().Interface()} {
		want, wantErr := json.Marshal(v)
		got, err := s.Marshal(v)
		if (err != nil) != (wantErr != nil) || string(got) != string(want) {
			t.Fatalf("%T:\ngot  %s, %v\nwant %s, %v", v, got, err, want, wantErr)
		}
	}
	want, got := reflect.New(v.Type().Elem()), reflect.New(v.Type().Elem())
	for _, text := range texts {
		wantErr := json.Unmarshal([]byte(text), want.Interface())
		err := s.Unmarshal([]byte(text), got.Interface(), Matching{})
		if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Fatalf("%s of %s:\ngot  %+v, %v\nwant %+v, %v", v.Type(), text, got, err, want, wantErr)
		}
		if err != nil {
			want, got = reflect.New(v.Type().Elem()), reflect.New(v.Type().Elem())
		}
	}
}

func TestValuesEqualEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	types := fixed()
	for range 60 {
		types = append(types, generated(r, 2))
	}
	for _, of := range types {
		set := NewSet(standard())
		for range 20 {
			v := reflect.New(of)
			fill(r, v.Elem(), 6)
			var texts []string
			if text, err := json.Marshal(v.Interface()); err == nil {
				texts = append(texts, string(text))
				for range 8 {
					texts = append(texts, mutate(r, string(text)))
				}
			}
			compareValue(t, set, v, texts...)
		}
	}
}

// TestValid compares with encoding/json which texts are JSON.
func TestValid(t *testing.T) {
	const whole = `{"a\u0041\n" : [ true, false ,null, -1.5e+3, 0, "é\\", {}, [ ] ], "b":{"c":10E-2}} `
	r := rand.New(rand.NewSource(3))
	set := NewSet(Fallback{})
	for range 20000 {
		at := r.Intn(len(whole))
		text := whole[:at]
		switch r.Intn(4) {
		case 0:
			text += whole[at+1:]
		case 1:
			text += string("{}[]\":,\\'t0-.eux\x01\xff \n"[r.Intn(20)]) + whole[at+1:]
		case 2:
			text += string("{}[]\":,\\'t0-.eux\x01\xff \n"[r.Intn(20)]) + whole[at:]
		}
		var v any
		want, got := json.Unmarshal([]byte(text), &v), set.Valid([]byte(text))
		if (want == nil) != (got == nil) {
			t.Fatalf("%s:\ngot  %v\nwant %v", text, got, want)
		}
	}
	deep := strings.Repeat("[", maxDepth+1)
	if got := set.Valid([]byte(deep)); got == nil {
		t.Error("a text that is too deep is valid")
	}
}

func TestUnmarshalRefusesTargets(t *testing.T) {
	set := NewSet(Fallback{})
	for _, v := range []any{nil, 1, (*int)(nil), map[string]any{}} {
		if got, want := set.Unmarshal([]byte("1"), v, Matching{}), json.Unmarshal([]byte("1"), v); got == nil || got.Error() != want.Error() {
			t.Errorf("%T: got %v, want %v", v, got, want)
		}
	}
}

func TestMatching(t *testing.T) {
	type T struct {
		A string `json:"a"`
		B any    `json:"b"`
	}
	set := NewSet(Fallback{})
	for text, want := range map[string]T{
		`{"A":"x","b":1}`:               {"", int64(1)},
		`{"\u0061":"x","b":-0}`:         {"x", int64(0)},
		`{"a":"x","b":1.0}`:             {"x", 1.0},
		`{"a":"x","b":1e2}`:             {"x", 100.0},
		`{"b":9223372036854775808}`:     {"", 9223372036854775808.0},
		`{"B":1,"b":{"c":[1,2.5,"3"]}}`: {"", map[string]any{"c": []any{int64(1), 2.5, "3"}}},
	} {
		var got T
		if err := set.Unmarshal([]byte(text), &got, Matching{ExactNames: true, Integers: true}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}
