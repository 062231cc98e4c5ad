package projection

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

func parse(t *testing.T, paths string) *Fields {
	t.Helper()
	f, err := Parse(strings.Fields(paths))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// filled writes an object: ¶ stands for its apiVersion and kind.
func filled(text, version string) string {
	return strings.Replace(text, "¶", `"apiVersion":"g/`+version+`","kind":"K"`, 1)
}

// view returns the object that a module sees.
func view(t *testing.T, f *Fields, doc string) string {
	t.Helper()
	var s rawjson.Scanner
	s.Reset([]byte(doc), 0)
	if !s.End() {
		t.Fatalf("%s: %v", doc, s.Err())
	}
	out, version := View(nil, []byte(doc), f.Read(nil, []byte(doc)))
	if got := string(version.Of(out)); got != `"g/v1"` {
		t.Fatalf("apiVersion of %s is said to be %s", out, got)
	}
	return string(out)
}

// result is an object with an answer in it, put together.
type result struct {
	Spliced
	Doc []byte
}

// splice puts an answer into an object.
func splice(t *testing.T, f *Fields, doc, answer string) (result, Breach) {
	t.Helper()
	var s rawjson.Scanner
	s.Reset([]byte(answer), 0)
	answered, broken := f.Check(&s, nil, []byte(answer))
	if s.Err() != nil {
		return result{}, Breachf("is not strictly valid JSON: %v", s.Err())
	}
	if broken != "" {
		return result{}, broken
	}
	parts := f.Read(nil, []byte(doc))
	out, broken := f.Splice(Room{Added: []byte("before")}, []byte(doc), parts, []byte(answer), answered, []byte(`"g/v2"`))
	pieces, added := RoomFor(len(parts), len(answered), len(answer), len(`"g/v2"`))
	if used := out.Used(); len(used.Pieces) > pieces || len(used.Added) > added {
		t.Fatalf("%s with %s took %d pieces and %d bytes; there should be room for %d and %d", doc, answer, len(used.Pieces), len(used.Added), pieces, added)
	}
	if broken != "" {
		return result{}, broken
	}
	return put(t, out, doc), ""
}

// put puts the pieces of an object together.
func put(t *testing.T, out Spliced, doc string) result {
	t.Helper()
	whole := out.Doc([]byte("x"), []byte(doc))[1:]
	var s rawjson.Scanner
	s.Reset(whole, 0)
	if !s.End() || len(whole) != out.Size {
		t.Fatalf("%s became %s of %d bytes: %v", doc, whole, out.Size, s.Err())
	}
	for _, span := range []rawjson.Span{out.Metadata, out.Labels, out.Annotations} {
		if one, ok := out.One([]byte(doc), span); ok && string(one) != string(span.Of(whole)) {
			t.Fatalf("%s at %v is said to have %s", whole, span, one)
		}
		if part := out.Append(nil, []byte(doc), span.Start, span.End); string(part) != string(span.Of(whole)) {
			t.Fatalf("%s at %v has %s", whole, span, part)
		}
	}
	return result{out, whole}
}

func TestView(t *testing.T) {
	tests := []struct{ name, paths, object, want string }{
		{"nothing declared", "", `{¶,"spec":{"a":1},"metadata":{"name":"n"}}`, `{¶}`},
		{"absent", "spec.a status", `{¶}`, `{¶}`},
		{"a member", "spec.a", `{¶,"spec":{"x":1,"a":1.50,"y":2},"status":{}}`, `{¶,"spec":{"a":1.50}}`},
		{"an object without it", "spec.a", `{¶,"spec":{"x":1}}`, `{¶,"spec":{}}`},
		{"a whole object", "spec.a", `{¶,"spec":{"a":{"b":[1, 2]},"x":1}}`, `{¶,"spec":{"a":{"b":[1, 2]}}}`},
		{"in the order of the object", "spec.a spec.b status", `{"status":1,"spec":{"b":1,"a":2},¶}`, `{"status":1,"spec":{"b":1,"a":2},¶}`},
		{"a shorter path covers longer ones", "spec.a.b spec spec.c[].d", `{¶,"spec":{"x":1}}`, `{¶,"spec":{"x":1}}`},
		{"elements", "spec.list[].a", `{¶,"spec":{"list":[{"a":1,"b":2},{"b":3},{"c":[{"a":1}],"a":4}]}}`, `{¶,"spec":{"list":[{"a":1},{},{"a":4}]}}`},
		{"elements of elements", "spec.list[][].a", `{¶,"spec":{"list":[[{"a":1,"b":2}],[]]}}`, `{¶,"spec":{"list":[[{"a":1}],[]]}}`},
		{"elements that are none", "spec.list[].a", `{¶,"spec":{"list":[1,"a",null,[{"a":1}],{"a":2}]}}`, `{¶,"spec":{"list":[0,"",null,[],{"a":2}]}}`},
		{"members of a map", "spec.map.*.a", `{¶,"spec":{"map":{"k":{"a":1,"b":2},"é":{"c":[]},"s":"text"}}}`, `{¶,"spec":{"map":{"k":{"a":1},"é":{},"s":""}}}`},
		{"an object or a list", "spec.x.a spec.x[].a", `{¶,"spec":{"x":[{"a":1,"b":2}]},"more":{"x":{}}}`, `{¶,"spec":{"x":[{"a":1}]}}`},
		{"null on the way", "spec.a.b", `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":null}}`},
		{"something else on the way", "spec.a.b", `{¶,"spec":{"a":"secret"}}`, `{¶,"spec":{"a":""}}`},
		{"other types on the way", "spec.a.x spec.b.x spec.c.x spec.d[].x", `{¶,"spec":{"a":true,"b":-1.5e3,"c":["secret"],"d":{"s":"ecret"}}}`, `{¶,"spec":{"a":false,"b":0,"c":[],"d":{}}}`},
		{"spec is something else", "spec.a.b", `{¶,"spec":["secret"]}`, `{¶,"spec":[]}`},
		{"keys in quotes", `spec['a.b/c']["d'\"e"].f`, `{¶,"spec":{"a.b/c":{"d'\"e":{"f":1,"g":2},"d":1}}}`, `{¶,"spec":{"a.b/c":{"d'\"e":{"f":1}}}}`},
		{"keys with escapes", "spec.a", `{"apiVers\u0069on":"g/v1","k\u0069nd":"K","sp\u0065c":{"\u0061":1,"\u0062":2}}`, `{"apiVers\u0069on":"g/v1","k\u0069nd":"K","sp\u0065c":{"\u0061":1}}`},
		{"white space", "spec.a spec.b", "{ ¶ , \"spec\" : { \"a\" : [ 1 ] , \"x\" : 2 , \"b\" : 3 } }\n", `{¶,"spec" : {"a" : [ 1 ],"b" : 3}}`},
		{"an annotation", "metadata.annotations['a.b/c']", `{¶,"metadata":{"name":"n","annotations":{"a.b/c":"x","d":"y"},"managedFields":[{"a":1}]}}`, `{¶,"metadata":{"annotations":{"a.b/c":"x"}}}`},
		{"labels, and what can be read", "metadata.labels metadata.name metadata.ownerReferences[].kind", `{¶,"metadata":{"name":"n","namespace":"s","labels":{"a":"b"},"ownerReferences":[{"kind":"K","name":"o"}]}}`,
			`{¶,"metadata":{"name":"n","labels":{"a":"b"},"ownerReferences":[{"kind":"K"}]}}`},
		{"many names", "spec.a1 spec.a2 spec.a3 spec.a4 spec.a5 spec.a6 spec.a7 spec.a8 spec.a9 spec.a10 spec.a11 spec.a12 spec.a13", `{¶,"spec":{"a0":0,"a13":13,"a1":1}}`, `{¶,"spec":{"a13":13,"a1":1}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := view(t, parse(t, test.paths), filled(test.object, "v1"))
			if want := filled(test.want, "v1"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestSplice(t *testing.T) {
	const object = `{ ¶, "metadata" : {"name":"n","labels":{"a":"b"},"annotations":{"x":"1", "y":"2"},"managedFields":[]} , "spec" : { "a":1.50 , "x":9007199254740993, "b":{"c":"\u00e9"} } ,"status":{} }`
	tests := []struct{ name, paths, object, answer, want string }{
		{"unchanged", "spec.a", object, `{¶,"metadata":{},"spec":{"a":1.50}}`, object},
		{"apiVersion and kind left out", "spec.a", object, `{"spec":{"a":1.50}}`, object},
		{"changed", "spec.a", object, `{¶,"spec":{"a":[1]}}`, strings.Replace(object, "1.50", "[1]", 1)},
		{"the first removed", "spec.a", object, `{¶,"spec":{}}`, strings.Replace(object, `"a":1.50 , `, ``, 1)},
		{"the last removed", "spec.b", object, `{¶,"spec":{}}`, strings.Replace(object, `, "b":{"c":"\u00e9"}`, ``, 1)},
		{"the middle removed", "spec.x", object, `{¶,"spec":{}}`, strings.Replace(object, ` , "x":9007199254740993`, ` `, 1)},
		{"the first two removed", "spec.a spec.x", object, `{¶,"spec":{}}`, strings.Replace(object, `"a":1.50 , "x":9007199254740993, `, ``, 1)},
		{"the object left out", "spec.a", object, `{¶}`, strings.Replace(object, `"a":1.50 , `, ``, 1)},
		{"all removed", "spec.a spec.x spec.b", object, `{¶,"spec":{}}`, strings.Replace(object, `"a":1.50 , "x":9007199254740993, "b":{"c":"\u00e9"}`, ``, 1)},
		{"all removed and one added", "spec.a spec.x spec.b spec.z", object, `{¶,"spec":{"z" : 1}}`, strings.Replace(object, `"a":1.50 , "x":9007199254740993, "b":{"c":"\u00e9"}`, `"z" : 1`, 1)},
		{"nothing left of the object", "spec.a spec.x spec.b", object, `{¶}`, strings.Replace(object, ` , "spec" : { "a":1.50 , "x":9007199254740993, "b":{"c":"\u00e9"} }`, ` `, 1)},
		{"added", "spec.z", object, `{¶,"spec":{"z":{"q" : [ ]}}}`, strings.Replace(object, `"\u00e9"} }`, `"\u00e9"},"z":{"q" : [ ]} }`, 1)},
		{"moved", "spec.a spec.z", object, `{¶,"spec":{"z":1.50}}`, strings.Replace(strings.Replace(object, `"a":1.50 , `, ``, 1), `"\u00e9"} }`, `"\u00e9"},"z":1.50 }`, 1)},
		{"an object added", "more.deep.z", object, `{¶,"more":{"deep":{"z":1}}}`, strings.Replace(object, `"status":{} }`, `"status":{},"more":{"deep":{"z":1}} }`, 1)},
		{"added to nothing", "spec.a", `{¶}`, `{¶,"spec":{"a":1}}`, `{¶,"spec":{"a":1}}`},
		{"added to what is empty", "spec.a", `{¶,"spec":{ }}`, `{¶,"spec":{"a":1}}`, `{¶,"spec":{"a":1 }}`},
		{"what is empty left out", "spec.a", `{¶,"spec":{ },"x":1}`, `{¶}`, `{¶,"x":1}`},
		{"null stays", "spec.a.b", `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":null}}`},
		{"null removed", "spec.a.b", `{¶,"spec":{"a":null}}`, `{¶,"spec":{}}`, `{¶,"spec":{}}`},
		{"null replaced", "spec.a.b", `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":{"b":1}}}`, `{¶,"spec":{"a":{"b":1}}}`},
		{"null for an object", "spec.a.b", `{¶,"spec":{"a":{"b":1,"x":2}}}`, `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":{"x":2}}}`},
		{"something else on the way", "spec.a.b", `{¶,"spec":{"a":"secret"}}`, `{¶,"spec":{"a":""}}`, `{¶,"spec":{"a":"secret"}}`},
		{"something else left out, or null", "spec.a.b spec.c.d spec.e[].f", `{¶,"spec":{"a":"secret","c":[1],"e":{"x":1}}}`, `{¶,"spec":{"a":null,"c":[ ]}}`, `{¶,"spec":{"a":"secret","c":[1],"e":{"x":1}}}`},
		{"a declared null", "spec.a", `{¶,"spec":{"a":1}}`, `{¶,"spec":{"a":null}}`, `{¶,"spec":{"a":null}}`},
		{"undeclared members that say nothing", "spec.a", `{¶,"spec":{"a":1}}`, `{¶,"spec":{"a":2,"x":null},"status":{"y":{},"z":null},"metadata":{"creationTimestamp":null}}`, `{¶,"spec":{"a":2}}`},
		{"the same in what is added", "spec.a.b", `{¶}`, `{¶,"spec":{"x":null,"a":{"b":1, "c":{}}}}`, `{¶,"spec":{"a":{"b":1}}}`},

		{"elements changed", "spec.list[].a", `{¶,"spec":{"list":[{"a":1,"b":2}, {"b":3},{"a":4}]}}`, `{¶,"spec":{"list":[{"a":9},{"a":8},{}]}}`, `{¶,"spec":{"list":[{"a":9,"b":2}, {"b":3,"a":8},{}]}}`},
		{"elements that are none", "spec.list[].a", `{¶,"spec":{"list":[1,null,null,{"a":1,"b":2}]}}`, `{¶,"spec":{"list":[0,null,{"a":5},null]}}`, `{¶,"spec":{"list":[1,null,{"a":5},{"b":2}]}}`},
		{"a list is made", "spec.list[].a", `{¶,"spec":{}}`, `{¶,"spec":{"list":[{"a":1},{}]}}`, `{¶,"spec":{"list":[{"a":1},{}]}}`},
		{"an empty list is filled", "spec.list[].a", `{¶,"spec":{"list":[ ]}}`, `{¶,"spec":{"list":[{"a":1}]}}`, `{¶,"spec":{"list":[{"a":1}]}}`},
		{"an empty list is left out", "spec.list[].a", `{¶,"spec":{"list":[],"x":1}}`, `{¶,"spec":{}}`, `{¶,"spec":{"x":1}}`},
		{"an empty list becomes an object", "spec.x.a spec.x[].a", `{¶,"spec":{"x":[]}}`, `{¶,"spec":{"x":{"a":1}}}`, `{¶,"spec":{"x":{"a":1}}}`},
		{"an object with declared fields only becomes a list", "spec.x.a spec.x[].a", `{¶,"spec":{"x":{"a":1}}}`, `{¶,"spec":{"x":[{"a":1}]}}`, `{¶,"spec":{"x":[{"a":1}]}}`},
		{"a map in another order", "spec.map.*.a", `{¶,"spec":{"map":{"k":{"a":1,"b":2},"\u006c":{"a":3},"m":{"b":4}}}}`, `{¶,"spec":{"map":{"n":{"a":7},"m":{},"l":{"a":5}}}}`, `{¶,"spec":{"map":{"k":{"b":2},"\u006c":{"a":5},"m":{"b":4},"n":{"a":7}}}}`},

		{"an annotation changed", "metadata.annotations.x", object, `{¶,"metadata":{"annotations":{"x":"9"}}}`, strings.Replace(object, `"x":"1"`, `"x":"9"`, 1)},
		{"an annotation removed", "metadata.annotations.x", object, `{¶,"metadata":{}}`, strings.Replace(object, `"x":"1", `, ``, 1)},
		{"metadata left out", "metadata.annotations.x", object, `{¶}`, object},
		{"all annotations removed", "metadata.annotations.x metadata.annotations.y", object, `{¶,"metadata":{}}`, strings.Replace(object, `,"annotations":{"x":"1", "y":"2"}`, ``, 1)},
		{"annotations null", "metadata.annotations", object, `{¶,"metadata":{"annotations":null}}`, strings.Replace(object, `,"annotations":{"x":"1", "y":"2"}`, ``, 1)},
		{"labels that are null stay", "metadata.labels", `{¶,"metadata":{"name":"n","labels":null}}`, `{¶,"metadata":{"labels":null}}`, `{¶,"metadata":{"name":"n","labels":null}}`},
		{"annotations replaced", "metadata.annotations", object, `{¶,"metadata":{"annotations":{}}}`, strings.Replace(object, `{"x":"1", "y":"2"}`, `{}`, 1)},
		{"what only the host writes", "metadata.name metadata.generation", object, `{¶,"metadata":{"name":"other","generation":1}}`, object},
		{"metadata made", "metadata.annotations.x metadata.name", `{¶,"a":1}`, `{"metadata":{"name":"n","annotations":{"x":"9"}}}`, `{¶,"a":1,"metadata":{"annotations":{"x":"9"}}}`},
		{"labels made", "metadata.labels", `{¶,"metadata":{"name":"n"}}`, `{"metadata":{"labels":{"a":"b"}}}`, `{¶,"metadata":{"name":"n","labels":{"a":"b"}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, broken := splice(t, parse(t, test.paths), filled(test.object, "v1"), filled(test.answer, "v2"))
			if want := filled(test.want, "v2"); string(got.Doc) != strings.TrimSpace(want) || broken != "" {
				t.Errorf("%s\ngot  %s\nwant %s", broken, got.Doc, want)
			}
		})
	}
}
