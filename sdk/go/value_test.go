package crosswalk

import (
	"strconv"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const text = `{"s":"a\n\u00e9\ud83d\ude00\ud83d\/","plain":"é","i":-9007199254740993,"f":1.0,"e":1e3,"huge":9223372036854775808,` +
		`"b":true,"c":false,"n":null,"o":{"k.x/y":[{"a":1}],"it's":2},"\u0061b":"escaped key","l":[1,"x"]}`
	str := func(path ...string) func(*Object) (string, bool, error) {
		return func(o *Object) (string, bool, error) { return o.String(path...) }
	}
	integer := func(path ...string) func(*Object) (string, bool, error) {
		return func(o *Object) (string, bool, error) {
			i, ok, err := o.Int(path...)
			return strconv.FormatInt(i, 10), ok, err
		}
	}
	boolean := func(path ...string) func(*Object) (string, bool, error) {
		return func(o *Object) (string, bool, error) {
			b, ok, err := o.Bool(path...)
			return strconv.FormatBool(b), ok, err
		}
	}
	tests := []struct {
		name string
		read func(*Object) (string, bool, error)
		want string
		ok   bool
		err  string
	}{
		{"string", str("s"), "a\né😀\uFFFD/", true, ""},
		{"plain string", str("plain"), "é", true, ""},
		{"key with escapes", str("ab"), "escaped key", true, ""},
		{"absent string", str("x"), "", false, ""},
		{"absent object", str("x", "y"), "", false, ""},
		{"null", str("n"), "", false, ""},
		{"beneath null", str("n", "x"), "", false, ""},
		{"number as string", str("i"), "", false, ".i must be a string, but is a number"},
		{"object as string", str(), "", false, "the object must be a string, but is an object"},
		{"beneath a string", str("s", "x"), "", false, ".s must be an object, but is a string"},
		{"beneath an array", str("l", "x"), "", false, ".l must be an object, but is an array"},
		{"odd key", str("o", "k.x/y"), "", false, ".o['k.x/y'] must be a string, but is an array"},
		{"integer", integer("i"), "-9007199254740993", true, ""},
		{"absent integer", integer("x"), "0", false, ""},
		{"null integer", integer("n"), "0", false, ""},
		{"fraction", integer("f"), "0", false, ".f must be an integer of 64 bits, but is 1.0"},
		{"exponent", integer("e"), "0", false, ".e must be an integer of 64 bits, but is 1e3"},
		{"too large", integer("huge"), "0", false, ".huge must be an integer of 64 bits, but is 9223372036854775808"},
		{"boolean as integer", integer("b"), "0", false, ".b must be an integer, but is a boolean"},
		{"true", boolean("b"), "true", true, ""},
		{"false", boolean("c"), "false", true, ""},
		{"null boolean", boolean("n"), "false", false, ""},
		{"string as boolean", boolean("s"), "false", false, ".s must be a boolean, but is a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, warm := range []bool{false, true} {
				o := Parse([]byte(text))
				if warm {
					o.Get("none") // lists all members before
				}
				got, ok, err := test.read(o)
				words := ""
				if err != nil {
					words = err.Error()
				}
				if got != test.want || ok != test.ok || words != test.err {
					t.Errorf("got %q, %v, %q; want %q, %v, %q", got, ok, words, test.want, test.ok, test.err)
				}
				if out, err := o.AppendJSON(nil); err != nil || string(out) != text {
					t.Errorf("reading changed the text: %s, %v", out, err)
				}
			}
		})
	}
}

func TestIterators(t *testing.T) {
	o := Parse([]byte(`{"m":{"a":1,"\"b":[1,{"c":"x"}]},"n":null}`))
	var got []string
	for key, v := range o.Members("m") {
		raw, _ := v.Raw()
		got = append(got, key+"="+string(raw))
		for i, e := range v.Elements() {
			got = append(got, strconv.Itoa(i)+e.Location())
		}
		break
	}
	for key, v := range o.Members("m") {
		got = append(got, key, v.Location(), v.Type().String())
	}
	for i, v := range o.Elements("m", "\"b") {
		got = append(got, strconv.Itoa(i), v.Location("x"), v.Type().String())
	}
	for range o.Members("n") {
		got = append(got, "members of null")
	}
	for range o.Elements("none") {
		got = append(got, "elements of nothing")
	}
	const want = `a=1|a|.m.a|a number|"b|.m['"b']|an array|0|.m['"b'][0].x|a number|1|.m['"b'][1].x|an object`
	// The number under "a" has no elements: that is wrong, and remembered.
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if err := o.Err(); err == nil || err.Error() != ".m.a must be an array, but is a number" {
		t.Errorf("got error %v", err)
	}
}

func TestObject(t *testing.T) {
	o := Parse([]byte(`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","namespace":"ns","labels":{"a":"b"},"annotations":{"c":"d","e":"f"}}}`))
	if o.APIVersion() != "g/v1" || o.Kind() != "K" || o.Name() != "n" || o.Namespace() != "ns" {
		t.Errorf("got %q %q %q %q", o.APIVersion(), o.Kind(), o.Name(), o.Namespace())
	}
	if v, ok := o.Label("a"); v != "b" || !ok {
		t.Errorf("Label(a) = %q, %v", v, ok)
	}
	if v, ok := o.Annotation("x"); v != "" || ok {
		t.Errorf("Annotation(x) = %q, %v", v, ok)
	}
	if !o.RemoveLabel("a") || o.RemoveLabel("a") || !o.RemoveAnnotation("c") {
		t.Error("Remove reports a wrong result")
	}
	const want = `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","namespace":"ns","annotations":{"e":"f"}}}`
	if got, err := o.AppendJSON(nil); err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	empty := Parse([]byte(`{}`))
	if s := empty.APIVersion() + empty.Kind() + empty.Name() + empty.Namespace(); s != "" {
		t.Errorf("the empty object has %q", s)
	}
	var none Value
	if _, ok := none.Get("a"); ok || none.Type() != TypeInvalid || none.Location() != "nothing" {
		t.Error("the zero Value is something")
	}
}

func TestMalformed(t *testing.T) {
	for text, want := range map[string]string{
		``:              "the object is not valid JSON at byte 0",
		`{`:             "the object is not valid JSON at byte 1",
		`{"a"`:          "the object is not valid JSON at byte 4",
		`{"a":`:         "the object is not valid JSON at byte 4",
		`{"a":{"b":[1,`: "the object is not valid JSON at byte 5",
		`{a:1}`:         "the object is not valid JSON at byte 1",
		`{"a":"b`:       "the object is not valid JSON at byte 5",
	} {
		o := Parse([]byte(text))
		o.Get("z")
		o.SetString(Path{"x"}, "v")
		if _, err := o.AppendJSON(nil); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
