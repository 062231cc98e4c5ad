package crosswalk

import (
	"errors"
	"regexp"
	"testing"
)

// testRegistry has conversions of every temper from g/v1.
func testRegistry() *registry {
	r := &registry{}
	r.register("g/v1", "g/v2", func(o *Object) error { o.Rename("b", "a"); return nil })
	r.register("g/v2", "g/v1", func(o *Object) error { o.Rename("a", "b"); return nil })
	r.register("g/v1", "g/refuse", func(o *Object) error { return errors.New("no, because of \"a\"\n") })
	r.register("g/v1", "g/wrong", func(o *Object) error { o.SetString("v", "kind", "x"); return nil })
	r.register("g/v1", "g/panic", func(o *Object) error { panic(errors.New("the words")) })
	r.register("g/v1", "g/index", func(o *Object) error { var a []int; _ = a[len(o.Kind())]; return nil })
	r.register("g/v1", "g/nil", func(o *Object) error { var v Value; v.SetString("x"); return nil })
	return r
}

const registered = "it has: g/v1 to g/v2, g/v2 to g/v1, g/v1 to g/refuse, g/v1 to g/wrong, g/v1 to g/panic, g/v1 to g/index, g/v1 to g/nil"

func TestConvert(t *testing.T) {
	tests := []struct{ name, in, desired, want, refusal string }{
		{"a conversion", `{"apiVersion":"g/v1","kind":"K","a":1}`, "g/v2", `{"apiVersion":"g/v2","kind":"K","b":1}`, ""},
		{"back", `{"b":1,"kind":"K","apiVersion":"g\/v2"}`, "g/v1", `{"a":1,"kind":"K","apiVersion":"g/v1"}`, ""},
		{"nothing to do", ` {"apiVersion":"g/v2" }`, "g/v2", ` {"apiVersion":"g/v2" }`, ""},
		{"a refusal", `{"apiVersion":"g/v1"}`, "g/refuse", "", "no, because of \"a\"\n"},
		{"an edit that cannot be done", `{"apiVersion":"g/v1","kind":"K"}`, "g/wrong", "", ".kind.x cannot be set: .kind is a string, not an object"},
		{"a panic", `{"apiVersion":"g/v1"}`, "g/panic", "", "the converter panicked: the words"},
		{"a panic of the runtime", `{"apiVersion":"g/v1","kind":"K"}`, "g/index", "", "the converter panicked: runtime error: index out of range [1] with length 0"},
		{"a nil pointer", `{"apiVersion":"g/v1"}`, "g/nil", "", "the converter panicked: runtime error: invalid memory address or nil pointer dereference"},
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

// TestPanicked: where a panic was is found, whoever caused it.
func TestPanicked(t *testing.T) {
	for name, cause := range map[string]func(){
		"own":        func() { panic("x") },
		"Go's":       func() { var a []int; _ = a[len(t.Name())] },
		"within SDK": func() { var v Value; v.SetString("x") },
	} {
		t.Run(name, func(t *testing.T) {
			want := regexp.MustCompile(`/register_test\.go:\d+$`)
			if name == "within SDK" { // of which this test is a part, so that the innermost is told
				want = regexp.MustCompile(`/[a-z]+\.go:\d+$`)
			}
			_ = call(func(*Object) error {
				defer func() {
					if r, at := recover(), panicked(); r == nil || !want.MatchString(at) {
						t.Errorf("%v at %q", r, at)
					}
				}()
				cause()
				return nil
			}, nil)
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
