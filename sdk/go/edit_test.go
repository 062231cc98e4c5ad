package crosswalk

import "testing"

// object is the text that edits are tested on; its white space and its member x must survive them
// all.
const object = `{"apiVersion":"g/v1", "spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`

func TestEdit(t *testing.T) {
	tests := []struct {
		name string
		edit func(o *Object)
		want string
	}{
		{"nothing", func(o *Object) {}, object},
		{"reading", func(o *Object) { o.String("x", "y"); o.Get("spec", "list"); o.Raw("spec") }, object},
		{"set in place", func(o *Object) { o.SetString(Path{"spec", "a"}, "2") },
			`{"apiVersion":"g/v1","spec":{"a":"2","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"set the first member", func(o *Object) { o.SetString(Path{"apiVersion"}, "g/v2") },
			`{"apiVersion":"g/v2", "spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"set a new member", func(o *Object) { o.SetInt(Path{"spec", "n"}, -3) },
			`{"apiVersion":"g/v1","spec":{"a":"1","list":[{"name":"n"}, 2],"empty":{},"n":-3},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"set beneath what is absent, empty, null", func(o *Object) {
			o.SetBool(Path{"status", "ready"}, true)
			o.SetString(Path{"spec", "empty", "k"}, "v")
			o.SetRaw(Path{"null", "k"}, []byte(" [1 , 2] "))
		}, `{"apiVersion":"g/v1","spec":{"a":"1","list":[{"name":"n"}, 2],"empty":{"k":"v"}},"null":{"k":[1 , 2]},"x": {"big":9007199254740993 , "e":1.50E+2},"status":{"ready":true}}`},
		{"set the whole", func(o *Object) { o.SetRaw(nil, []byte(`{"a":{}}`)); o.SetString(Path{"a", "b"}, "v") }, `{"a":{"b":"v"}}`},
		{"set a copy", func(o *Object) { v, _ := o.Get("x"); o.SetValue(Path{"spec"}, v) },
			`{"apiVersion":"g/v1","spec":{"big":9007199254740993 , "e":1.50E+2},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"set a copy of what is absent", func(o *Object) { v, _ := o.Get("y"); o.SetValue(Path{"spec"}, v) }, object},
		{"delete the first member", func(o *Object) { o.Remove("apiVersion") },
			`{"spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"delete the middle, the last, the absent", func(o *Object) { o.Remove("spec"); o.Remove("x"); o.Remove("y"); o.Remove("y", "z") },
			`{"apiVersion":"g/v1","null":null}`},
		{"delete all", func(o *Object) { o.Remove("spec"); o.Remove("x"); o.Remove("apiVersion"); o.Remove("null") }, `{}`},
		{"delete and set again", func(o *Object) { o.Remove("spec"); o.SetString(Path{"spec"}, "v") },
			`{"apiVersion":"g/v1","null":null,"x": {"big":9007199254740993 , "e":1.50E+2},"spec":"v"}`},
		{"rename", func(o *Object) { o.Rename(Path{"spec", "a"}, "b"); o.Rename(Path{"spec"}, "spec\"2") },
			`{"apiVersion":"g/v1","spec\"2":{"b":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"rename to itself, and the absent", func(o *Object) {
			o.Rename(Path{"spec"}, "spec")
			o.Rename(Path{"spec", "c"}, "b")
			o.Rename(Path{"c", "d"}, "b")
		}, object},
		{"move", func(o *Object) { o.Move(Path{"x"}, Path{"spec", "empty", "deep", "x"}) },
			`{"apiVersion":"g/v1","spec":{"a":"1","list":[{"name":"n"}, 2],"empty":{"deep":{"x":{"big":9007199254740993 , "e":1.50E+2}}}},"null":null}`},
		{"move into itself", func(o *Object) { o.Move(Path{"x"}, Path{"x", "y"}) },
			`{"apiVersion":"g/v1", "spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x":{"y":{"big":9007199254740993 , "e":1.50E+2}}}`},
		{"move out, over null", func(o *Object) { o.Move(Path{"x", "big"}, Path{"null"}) },
			`{"apiVersion":"g/v1", "spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"x":{"e":1.50E+2},"null":9007199254740993}`},
		{"move what was edited, and edit it", func(o *Object) {
			o.SetString(Path{"spec", "a"}, "2")
			o.Move(Path{"spec"}, Path{"template", "spec"})
			o.SetString(Path{"template", "spec", "empty", "k"}, "v")
		}, `{"apiVersion":"g/v1","null":null,"x": {"big":9007199254740993 , "e":1.50E+2},"template":{"spec":{"a":"2","list":[{"name":"n"}, 2],"empty":{"k":"v"}}}}`},
		{"elements", func(o *Object) {
			for i, e := range o.Elements("spec", "list") {
				if e.Type() == TypeObject {
					e.Rename(Path{"name"}, "title")
				} else {
					e.SetInt(nil, int64(i))
				}
			}
			o.AppendString(Path{"spec", "list"}, "s")
			o.AppendRaw(Path{"spec", "new"}, []byte(`{}`))
		}, `{"apiVersion":"g/v1","spec":{"a":"1","list":[{"title":"n"},1,"s"],"empty":{},"new":[{}]},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"delete elements", func(o *Object) {
			for _, e := range o.Elements("spec", "list") {
				e.Remove()
			}
		}, `{"apiVersion":"g/v1","spec":{"a":"1","list":[],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"members", func(o *Object) {
			for key, v := range o.Members("spec") {
				if v.Type() != TypeString {
					v.Remove()
				} else {
					v.Rename(nil, key+key)
				}
			}
		}, `{"apiVersion":"g/v1","spec":{"aa":"1"},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2}}`},
		{"edits of what is gone", func(o *Object) {
			deleted, _ := o.Get("x")
			replaced, _ := o.Get("spec", "empty")
			o.Remove("x")
			o.SetRaw(Path{"spec"}, []byte(`{"b":1}`))
			deleted.SetString(Path{"k"}, "v")
			replaced.SetString(Path{"k"}, "v")
			replaced.Remove()
		}, `{"apiVersion":"g/v1","spec":{"b":1},"null":null}`},
		{"labels and annotations", func(o *Object) {
			o.SetLabel("a", "b")
			o.SetAnnotation("example.com/kept", "{\"k\":1}")
			o.RemoveLabel("a")
		}, `{"apiVersion":"g/v1", "spec": {"a":"1","list":[{"name":"n"}, 2],"empty":{}},"null":null,"x": {"big":9007199254740993 , "e":1.50E+2},"metadata":{"annotations":{"example.com/kept":"{\"k\":1}"}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Parse([]byte(object))
			test.edit(o)
			got, err := o.AppendJSON(nil)
			if err != nil || string(got) != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestEditErrors(t *testing.T) {
	tests := []struct {
		name string
		edit func(o *Object)
		want string
	}{
		{"set beneath a string", func(o *Object) { o.SetString(Path{"spec", "a", "b"}, "v") }, ".spec.a.b cannot be set: .spec.a is a string, not an object"},
		{"set beneath an array", func(o *Object) { o.SetString(Path{"spec", "list", "b", "c"}, "v") }, ".spec.list.b.c cannot be set: .spec.list is an array, not an object"},
		{"set raw nonsense", func(o *Object) { o.SetRaw(Path{"spec"}, []byte(`{"a":01}`)) }, ".spec cannot be set: the new value is not valid JSON"},
		{"set raw nothing", func(o *Object) { o.SetRaw(Path{"spec"}, nil) }, ".spec cannot be set: the new value is not valid JSON"},
		{"set in the absent", func(o *Object) { v, _ := o.Get("y"); v.SetString(Path{"z"}, "v") }, ".z cannot be set in a value that is absent"},
		{"set the absent", func(o *Object) { v, _ := o.Get("y"); v.SetString(nil, "v") }, "a value that is absent cannot be set"},
		{"delete beneath a string", func(o *Object) { o.Remove("spec", "a", "b") }, ".spec.a must be an object, but is a string"},
		{"delete the whole", func(o *Object) { o.Remove() }, "the object as a whole cannot be deleted"},
		{"rename over another", func(o *Object) { o.Rename(Path{"spec", "a"}, "list") }, ".spec.a cannot be renamed: .spec.list is there already"},
		{"rename the whole", func(o *Object) { o.Rename(nil, "x") }, "the object cannot be renamed: it is not a member of an object"},
		{"rename an element", func(o *Object) {
			for _, e := range o.Elements("spec", "list") {
				e.Rename(nil, "x")
			}
		}, ".spec.list[0] cannot be renamed: it is not a member of an object"},
		{"move over another", func(o *Object) { o.Move(Path{"x"}, Path{"spec", "a"}) }, ".x cannot be moved: .spec.a is there already"},
		{"move beneath a string", func(o *Object) { o.Move(Path{"x"}, Path{"spec", "a", "b"}) }, ".spec.a.b cannot be set: .spec.a is a string, not an object"},
		{"move to nowhere", func(o *Object) { o.Move(Path{"x"}, nil) }, ".x cannot be moved to the object"},
		{"append to an object", func(o *Object) { o.AppendString(Path{"spec"}, "v") }, ".spec must be an array, but is an object"},
		{"members of an array", func(o *Object) {
			for range o.Members("spec", "list") {
				panic("not reached")
			}
		}, ".spec.list must be an object, but is an array"},
		{"elements of a string", func(o *Object) {
			for range o.Elements("spec", "a") {
				panic("not reached")
			}
		}, ".spec.a must be an array, but is a string"},
		{"the first error counts", func(o *Object) { o.Remove(); o.Rename(nil, "x") }, "the object as a whole cannot be deleted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Parse([]byte(object))
			test.edit(o)
			if _, err := o.AppendJSON(nil); err == nil || err.Error() != test.want || o.Err() != err {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
