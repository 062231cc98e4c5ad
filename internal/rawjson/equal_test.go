package rawjson_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"same bytes", `{"a":1}`, `{"a":1}`, true},
		{"space", `{"a":[1,2]}`, " { \"a\" : [ 1 , 2 ] } \n", true},
		{"order", `{"a":1,"b":2,"c":3}`, `{"c":3,"a":1,"b":2}`, true},
		{"order below", `{"x":{"a":1,"b":[{"p":1,"q":2}]}}`, `{"x":{"b":[{"q":2,"p":1}],"a":1}}`, true},
		{"order, one differs", `{"a":1,"b":2,"c":3}`, `{"c":3,"a":1,"b":4}`, false},
		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"escapes", `{"a\n":"\u00e9\/"}`, `{"\u0061\u000a":"é/"}`, true},
		{"value", `{"a":1}`, `{"a":2}`, false},
		{"key", `{"a":1}`, `{"b":1}`, false},
		{"case of key", `{"a":1}`, `{"A":1}`, false},
		{"one member more", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"one element more", `[1,1]`, `[1]`, false},
		{"null member or none", `{"a":null}`, `{}`, false},
		{"empty containers", `{}`, `[]`, false},
		{"kinds", `"1"`, `1`, false},
		{"literal and string", `"null"`, `null`, false},
		{"booleans", `true`, `false`, false},
		{"booleans alike", ` true`, `true`, true},
		{"numbers by text", `1`, `1.0`, false},
		{"large numbers", `[9007199254740993]`, `[9007199254740992]`, false},
		{"nesting", `[[1],[2]]`, `[[1,2]]`, false},
		{"nesting moved", `{"a":{"b":1}}`, `{"a":{},"b":1}`, false},
		{"one inside the other", `{"b":{"a":1}}`, `{"a":1}`, false},
		{"invalid first", `{`, `{}`, false},
		{"invalid second", `{}`, `{"a":1,"a":1}`, false},
		{"trailing data", `{}`, `{} {}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rawjson.Equal([]byte(c.a), []byte(c.b)); got != c.want {
				t.Errorf("got %v", got)
			}
			if got := rawjson.Equal([]byte(c.b), []byte(c.a)); got != c.want {
				t.Errorf("the other way round: got %v", got)
			}
		})
	}
}

// TestEqualTakesWhatTheShorterDoes: comparing a large document with a small one takes no more
// memory than the small one needs.
func TestEqualTakesWhatTheShorterDoes(t *testing.T) {
	for _, large := range []string{
		"[" + strings.Repeat("0,", 1<<20) + "0]",
		`{"x":[` + strings.Repeat("{},", 1<<20) + `{}]}`,
		strings.Repeat("[", 900) + strings.Repeat(`"",`, 1<<20) + "0" + strings.Repeat("]", 900),
	} {
		for _, pair := range [][2]string{{`"name"`, large}, {large, `{"x":[{"a":1},{}]}`}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if rawjson.Equal([]byte(pair[0]), []byte(pair[1])) {
				t.Error("equal")
			}
			runtime.ReadMemStats(&after)
			copies := uint64(len(pair[0]) + len(pair[1])) // by this test
			if took := after.TotalAlloc - before.TotalAlloc - copies; took > 1<<20 {
				t.Errorf("comparing %.20s with %.20s takes %d bytes", pair[0], pair[1], took)
			}
		}
	}
}

// TestEqualReordered: decoding and encoding again sorts the keys of the documents and rewrites
// their escapes.
func TestEqualReordered(t *testing.T) {
	for _, d := range documents(t) {
		var v any
		decoder := json.NewDecoder(strings.NewReader(string(d.doc)))
		decoder.UseNumber()
		if err := decoder.Decode(&v); err != nil {
			t.Fatal(err)
		}
		again, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if !rawjson.Equal(d.doc, again) {
			t.Errorf("%s: not equal after decoding and encoding", d.name)
		}
		changed := strings.Replace(string(again), `": "`, `": "x`, 1)
		if rawjson.Equal(d.doc, []byte(changed)) {
			t.Errorf("%s: equal though a value was changed", d.name)
		}
	}
}

// TestEqualOfReversedObjects: nested objects in reverse order, as deep as possible, are compared
// only once.
func TestEqualOfReversedObjects(t *testing.T) {
	const depth, width = 900, 50
	build := func(reverse bool) []byte {
		before, after := "{", ""
		for i := range width {
			if reverse {
				i = width - 1 - i
			}
			switch member := fmt.Sprintf(`"k%d":`, i); {
			case i == width/2:
				before += after + member
				after = ""
			default:
				after += member + "0,"
			}
		}
		after = "," + strings.TrimSuffix(after, ",") + "}"
		return []byte(strings.Repeat(before, depth) + "0" + strings.Repeat(after, depth))
	}
	if !rawjson.Equal(build(false), build(true)) {
		t.Error("not equal")
	}
}
