package crosswalk

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzObject edits JSON texts as a program of random bytes says, and compares the outcome with the
// model's. Texts that the gateway would not send must not make anything panic or hang.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"a":1,"b":[1,{"a":"x"}],"c":null},"status":{}}`,
		"{ \"spec\" : { \"a\" : \"\\\"}\\\\\" , \"b\" : [ ] } ,\n\t\"c\" : null }",
		`{"a":{"a":{"a":{"b":[[],{},"{[","\\",1e9,-0.5,true]}}},"b":"\u00e9\ud83d\ude00é😀"}`,
		`{"\u0061":1,"spec":"text","c":[{"a":1},{"a":2}]}`,
		`[{"a":1}]`, `{}`, `"a"`, `{"a":`, `{"a" 1}`, `{"a":1,,}`, ``, `{"a":[}`, `nul`, `{"a":"\`,
	} {
		for _, program := range []string{"", "\x05\x01\x00\x01\x02", "\x03\x01\x00", "\x03\x02\x03\x00\x07\x01\x01", "\x08\x01\x00\x05\x01\x00\x02\x02\x01", "\x04\x01\x00\x03\x00\x01\x01\x03", "\x09\x01\x03\x06\x02\x03\x01\x02\x02\x01\x02", "\x00\x01\x02\x03\x04\x05\x06\x07", "\x10\x21\x32\x43\x54\x65\x76\x87\x98\xa9\xba", "zyxwvutsrqponmlkjihgfedcba"} {
			f.Add([]byte(text), []byte(program))
		}
	}
	f.Fuzz(func(t *testing.T, text, program []byte) {
		o := Parse(text)
		m, err := parseModel(text)
		if err != nil || !utf8.Valid(text) {
			run(t, o, nil, program)
			o.AppendJSON(nil)
			return
		}
		failed := run(t, o, m, program)
		got, err := o.AppendJSON(nil)
		if (err != nil) != failed {
			t.Fatalf("%s after %x: error %v, but the model failed: %v", text, program, err, failed)
		}
		if failed {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s after %x: not JSON: %s", text, program, got)
		}
		if diff := m.diff(got); diff != "" {
			t.Fatalf("%s after %x:\n%s", text, program, diff)
		}
	})
}

// run applies the program to o and, if there is one, to m. It stops at the first edit that cannot
// be done in m.
func run(t *testing.T, o *Object, m *model, program []byte) (failed bool) {
	keys := []string{"a", "b", "c", "spec", "metadata", "labels", "x\"y", "é"}
	next := func() byte {
		if len(program) == 0 {
			return 0
		}
		c := program[0]
		program = program[1:]
		return c
	}
	path := func() (p Path) {
		c := next()
		for range c & 3 {
			p = append(p, keys[next()&7])
		}
		return p
	}
	for len(program) > 0 {
		op, p := next(), path()
		var err error
		model := m
		if model == nil {
			model = &empty
			*model = *emptyModel()
		}
		switch op % 10 {
		case 0:
			o.SetString(p, "x\"\n<é")
			err = model.set(scalar(`"x\"\n<é"`), p)
		case 1:
			o.SetInt(p, -9007199254740993)
			err = model.set(scalar(`-9007199254740993`), p)
		case 2:
			raw := []byte(` {"a": [1, {"b":"]"}] , "spec":null}`)
			o.SetRaw(p, raw)
			value, _ := parseModel(raw)
			err = model.set(value, p)
		case 3:
			o.Remove(p...)
			if value, _ := model.get(p); len(p) > 0 || value == nil {
				_, err = model.take(p)
			} else {
				err = errModel
			}
		case 4:
			key := keys[next()&7]
			o.Rename(p, key)
			err = model.rename(key, p)
		case 5:
			to := path()
			o.Move(p, to)
			err = model.move(p, to)
		case 6:
			o.AppendString(p, "e")
			err = model.appendTo(scalar(`"e"`), p)
		case 7:
			// Reading must not change anything, and must see the edits.
			raw, ok := o.Raw(p...)
			want, _ := model.get(p)
			if m != nil && ok != (want != nil) {
				t.Fatalf("Raw(%q) = %s, %v; want %v", p, raw, ok, want)
			}
			if m != nil && ok {
				if diff := want.diff(raw); diff != "" {
					t.Fatalf("Raw(%q): %s", p, diff)
				}
			}
		case 8:
			at, ok := o.Get(p...)
			if ok && at.Type() == TypeArray {
				for _, e := range at.Elements() {
					e.Get("a")
				}
			}
			if ok && at.Type() == TypeObject {
				for key, c := range at.Members() {
					if next()&1 == 0 {
						break
					}
					if m != nil && c.Location() != at.Location(key) {
						t.Fatalf("Location() = %s, want %s", c.Location(), at.Location(key))
					}
				}
			}
		case 9:
			// An edit through a handle is an edit by path.
			if at, ok := o.Get(p...); ok && at.Type() == TypeObject {
				at.SetBool(Path{"a"}, true)
				err = model.set(scalar(`true`), append(p, "a"))
			}
		}
		if m != nil && err != nil {
			return true
		}
	}
	return false
}

// empty is the model for programs on malformed texts; its outcome does not matter.
var empty model

func emptyModel() *model { return &model{kind: '{'} }

func scalar(raw string) *model { return &model{raw: []byte(raw), kind: raw[0]} }

// FuzzRestore puts any text into the stash: it must neither refuse the object nor make it something
// else than JSON.
func FuzzRestore(f *testing.F) {
	for _, text := range []string{
		`{"new":{"in":"old","kept":[{"for":[],"hash":"82a2a958a9bece5b","set":{"/spec/a":{"b":1},"/list/0/x":null,"/a~1b~0":[]},"gone":["/spec/c","/list/1"]}]}}`,
		`{"new":{"in":"old","kept":[{"hash":"6a5f0cf1bfb73738","set":{"/spec":[]}},{"for":["/spec/a"],"hash":"7f6747ccbda50007"}]},"x":{}}`,
		`{"new":{"in":"old","kept":[{"for":[],"hash":"82a2a958a9bece5b","set":{"/":1,"":2,"/metadata":3,"/list/-":4,"/spec/a/0/b":5,"/~":6}}]}}`,
		`{"new":`, `[]`, ``, `{"new":{"in":"old","kept":[[],1,{"for":[1]}]}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r registry
		r.register("e.g/old", "e.g/new", func(o *Object) error { o.Restore(); return nil })
		if !utf8.ValidString(text) {
			t.Skip("no text of an annotation")
		}
		object := append(Quote([]byte(`{"apiVersion":"e.g/old","metadata":{"name":"n","annotations":{"conversion.e.g/stash":`), text), `}},"spec":{"c":{}},"list":[{},1]}`...)
		got, err := r.convert(nil, object, "e.g/new")
		if err != nil || !json.Valid(got) {
			t.Fatalf("%s became %s, %v", text, got, err)
		}
		if o := Parse(got); o.Name() != "n" || o.APIVersion() != "e.g/new" {
			t.Errorf("%s: the metadata changed: %s", text, got)
		}
	})
}
