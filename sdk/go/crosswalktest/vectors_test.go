package crosswalktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

func TestMain(m *testing.M) {
	crosswalk.Register("g/v1", "g/v2", func(o *crosswalk.Object) error {
		if o.Kind() == "Bad" {
			return crosswalk.Errorf("%s is bad", o.Name())
		}
		o.Rename(crosswalk.Path{"a"}, "b")
		switch o.Kind() {
		case "Reads":
			if _, ok := o.Raw("c"); ok {
				o.SetBool(crosswalk.Path{"b"}, true)
			}
		case "Writes":
			o.SetBool(crosswalk.Path{"c"}, true)
		case "Refuses":
			if _, ok := o.Raw("c"); ok {
				return crosswalk.Errorf("there is a c")
			}
		case "Insists":
			if _, ok := o.Raw("c"); !ok {
				return crosswalk.Errorf("there is no c")
			}
		case "Asks":
			_, ok := o.Raw("c")
			return crosswalk.Errorf("there is a c: %t", ok)
		}
		return nil
	})
	crosswalk.Fields("g/v1", "a", "metadata.name")
	crosswalk.Fields("g/v2", "b")
	os.Exit(m.Run())
}

func TestRun(t *testing.T) { Run(t, "testdata/vectors.json") }

// TestUndeclared has a converter read and write a field that it does not declare.
func TestUndeclared(t *testing.T) {
	const why = "\na field is read or written that is not declared (crosswalk.Fields)"
	for kind, want := range map[string]string{
		"Renames": "",
		"Bad":     "",
		"Reads":   "became\n\t" + `{"apiVersion":"g/v2","kind":"Reads","c":1}` + "\nbut, shown as a whole,\n\t" + `{"apiVersion":"g/v2","kind":"Reads","c":1,"b":true}` + why,
		"Writes": "was refused with\n\tthe answer has .c, which is not among the fields that the module declares (crosswalk.Fields)\nbut, shown as a whole, became\n\t" +
			`{"apiVersion":"g/v2","kind":"Writes","c":true}` + why,
		"Refuses": "became\n\t" + `{"apiVersion":"g/v2","kind":"Refuses","c":1}` + "\nbut, shown as a whole, was refused with\n\tthere is a c" + why,
		"Insists": "was refused with\n\tthere is no c\nbut, shown as a whole, became\n\t" + `{"apiVersion":"g/v2","kind":"Insists","c":1}` + why,
		"Asks":    "was refused with\n\tthere is a c: false\nbut, shown as a whole, with\n\tthere is a c: true" + why,
	} {
		object := []byte(`{"apiVersion":"g/v1","kind":"` + kind + `","c":1}`)
		got, err := crosswalk.Convert(object, "g/v2")
		if differs := undeclared(object, "g/v2", got, err); differs != want {
			t.Errorf("%s: got  %s\nwant %s", kind, differs, want)
		}
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Read("build/vectors.json")
	const want = "open build/vectors.json: no such file or directory: make test writes it from the golden cases of the sidecar, with crosswalk test --vectors"
	if err = explain(err); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestCheck(t *testing.T) {
	raw := func(texts ...string) (out [][]byte) {
		for _, s := range texts {
			out = append(out, []byte(s))
		}
		return out
	}
	vector := Vector{Want: nil}
	vector.Objects = append(vector.Objects, []byte(`{}`), []byte(`{}`))
	wanting := vector
	wanting.Want = append(wanting.Want, []byte(`{"a":1,"b":[1.0]}`), []byte(`{}`))
	refusing := vector
	refusing.WantError = "no"
	tests := []struct {
		name      string
		vector    Vector
		converted [][]byte
		refusals  map[int]string
		want      string // a part of the error; "" = none
	}{
		{"equal", wanting, raw(`{ "b":[1.0],"a":1}`, ` {} `), nil, ""},
		{"another number", wanting, raw(`{"b":[1],"a":1}`, `{}`), nil, "they differ as JSON"},
		{"not JSON", wanting, raw(`{"b":[1.0],"a":1}`, `{`), nil, "the answer is not JSON: unexpected EOF"},
		{"two values", wanting, raw(`{"b":[1.0],"a":1}`, `{}{}`), nil, "there is text after the value, at byte 2"},
		{"refused", wanting, raw(``, `{}`), map[int]string{0: "no"}, "object 0 was refused: no"},
		{"refused as it should be", refusing, raw(`{}`, ``), map[int]string{1: "no"}, ""},
		{"refused in other words", refusing, raw(`{}`, ``), map[int]string{1: "nay"}, "object 1 was refused with\n\tnay\nbut should have been with\n\tno"},
		{"not refused", refusing, raw(`{}`, `{}`), nil, "no object was refused"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.vector.Check(test.converted, test.refusals)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestReadMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"misspelt", `[{"name":"a","desired":"g/v2"}]`, `json: unknown field "desired"`},
		{"no name", `[{"desiredAPIVersion":"g/v2","objects":[],"want":[]}]`, `vector 0 needs a name of its own, but has ""`},
		{"one name twice", `[{"name":"a","desiredAPIVersion":"g/v2","objects":[],"want":[]},{"name":"a"}]`, `vector 1 needs a name of its own, but has "a"`},
		{"no version", `[{"name":"a","objects":[],"want":[]}]`, `vector "a" has no desiredAPIVersion`},
		{"nothing wanted", `[{"name":"a","desiredAPIVersion":"g/v2","objects":[]}]`, `vector "a" needs either want or wantError`},
		{"too much wanted", `[{"name":"a","desiredAPIVersion":"g/v2","objects":[],"want":[],"wantError":"x"}]`, `vector "a" needs either want or wantError`},
		{"too many wanted", `[{"name":"a","desiredAPIVersion":"g/v2","objects":[],"want":[{}]}]`, `vector "a" has 0 objects, but wants 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "vectors.json")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(file); err == nil || err.Error() != file+": "+test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	if _, err := Read("testdata/none.json"); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
