package crosswalk

import (
	"bytes"
	"errors"
	"regexp"
	"testing"
)

// testRegistry has conversions of every temper from g/v1.
func testRegistry() *registry {
	r := &registry{}
	r.register("g/v1", "g/v2", func(o *Object) error { o.Rename(Path{"a"}, "b"); return nil })
	r.register("g/v2", "g/v1", func(o *Object) error { o.Rename(Path{"b"}, "a"); return nil })
	r.register("g/v1", "g/refuse", func(o *Object) error { return errors.New("no, because of \"a\"\n") })
	r.register("g/v1", "g/wrong", func(o *Object) error { o.SetString(Path{"kind", "x"}, "v"); return nil })
	r.register("g/v1", "g/panic", func(o *Object) error { panic(errors.New("the words")) })
	r.register("g/v1", "g/index", func(o *Object) error { var a []int; _ = a[len(o.Kind())]; return nil })
	r.register("g/v1", "g/nil", func(o *Object) error { var v Value; v.SetString(nil, "x"); return nil })
	r.register("g/v1", "g/silent", func(o *Object) error { return errors.New("") })
	return r
}

const registered = "it has: g/v1 to g/v2, g/v2 to g/v1, g/v1 to g/refuse, g/v1 to g/wrong, g/v1 to g/panic, g/v1 to g/index, g/v1 to g/nil, g/v1 to g/silent"

func TestConvert(t *testing.T) {
	tests := []struct{ name, in, desired, want, refusal string }{
		{"a conversion", `{"apiVersion":"g/v1","kind":"K","a":1}`, "g/v2", `{"apiVersion":"g/v2","kind":"K","b":1}`, ""},
		{"back", `{"b":1,"kind":"K","apiVersion":"g\/v2"}`, "g/v1", `{"a":1,"kind":"K","apiVersion":"g/v1"}`, ""},
		{"nothing to do", ` {"apiVersion":"g/v2" }`, "g/v2", ` {"apiVersion":"g/v2" }`, ""},
		{"a refusal", `{"apiVersion":"g/v1"}`, "g/refuse", "", "no, because of \"a\"\n"},
		{"an edit that cannot be done", `{"apiVersion":"g/v1","kind":"K"}`, "g/wrong", "", ".kind.x cannot be set: .kind is a string, not an object"},
		{"an unknown pair", `{"apiVersion":"g/v3"}`, "g/v1", "", "this module has no conversion from g/v3 to g/v1; " + registered},
		{"no apiVersion", `{"kind":"K"}`, "g/v1", "", ".apiVersion must say which version the object is in, but is absent"},
		{"apiVersion of another type", `{"apiVersion":1}`, "g/v1", "", ".apiVersion must be a string, but is a number"},
		{"no object", `[]`, "g/v1", "", "the object must be an object, but is an array"},
		{"no JSON", `{"a`, "g/v1", "", "the object is not valid JSON at byte 1"},
		{"nothing", ``, "g/v1", "", "the object must be an object, but is nothing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := testRegistry().convert(nil, []byte(test.in), test.desired)
			if test.refusal != "" {
				if err == nil || err.Error() != test.refusal {
					t.Errorf("got %s, %v; want refusal %q", got, err, test.refusal)
				}
				return
			}
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
	if _, err := new(registry).convert(nil, []byte(`{"apiVersion":"a"}`), "b"); err == nil || err.Error() != "this module has no conversion from a to b; it has: nothing" {
		t.Errorf("an empty module says %v", err)
	}
}

// TestCrash: a panic of a converter is a crash, not a refusal, and says where it was. The tests are
// a part of the SDK, of which the innermost place is told.
func TestCrash(t *testing.T) {
	for desired, want := range map[string]string{
		"g/panic": `^panic: the words at \S+/register_test\.go:\d+$`,
		"g/index": `^panic: runtime error: index out of range \[1\] with length 0 at \S+/register_test\.go:\d+$`,
		"g/nil":   `^panic: runtime error: invalid memory address or nil pointer dereference at \S+/[a-z]+\.go:\d+$`,
	} {
		t.Run(desired, func(t *testing.T) {
			r, object := testRegistry(), []byte(`{"apiVersion":"g/v1","kind":"K"}`)
			_, crash, refusal := r.attempt(nil, object, desired)
			if refusal != nil || !regexp.MustCompile(want).Match(crash) {
				t.Errorf("refusal %v, crash %q, want %s", refusal, crash, want)
			}
			response, ok := r.answer(nil, requestFrame(desired, `{"apiVersion":"`+desired+`"}`, string(object), string(object)))
			if want := responseFrame(`{"apiVersion":"`+desired+`"}`, "?"+string(crash)); !ok || !bytes.Equal(response, want) {
				t.Errorf("a batch is answered with\n\t%q, %v, want\n\t%q", response, ok, want)
			}
			defer func() {
				if p := recover(); p == nil {
					t.Error("the author's own tests do not see the panic")
				}
			}()
			_, _ = r.convert(nil, object, desired)
		})
	}
}

func TestRegisterMistakes(t *testing.T) {
	none := func(*Object) error { return nil }
	tests := []struct {
		name     string
		from, to string
		convert  Converter
		want     string
	}{
		{"twice", "g/v1", "g/v2", none, "crosswalk: the conversion from g/v1 to g/v2 is registered twice"},
		{"to itself", "g/v1", "g/v1", none, `crosswalk: a conversion needs two different versions, not "g/v1" and "g/v1"`},
		{"from nothing", "", "g/v1", none, `crosswalk: a conversion needs two different versions, not "" and "g/v1"`},
		{"no function", "g/v1", "g/v4", nil, "crosswalk: the conversion from g/v1 to g/v4 has no function"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != test.want {
					t.Errorf("panic %v, want %s", r, test.want)
				}
			}()
			testRegistry().register(test.from, test.to, test.convert)
		})
	}
}
