package crosswalk

import (
	"strings"
	"testing"
)

// declaring returns a registry with one conversion and the same fields for both versions.
func declaring(paths string, convert Converter) *registry {
	r := &registry{}
	r.register("g/v1", "g/v2", convert)
	r.declare("g/v1", strings.Fields(paths))
	r.declare("g/v2", nil)
	return r
}

// projected converts an object as Convert does.
func (r *registry) projected(object string) (string, error) {
	f, err := r.projection("g/v1", "g/v2")
	if err != nil {
		return "", err
	}
	answer, err := r.convert(nil, f.view(nil, Parse([]byte(object)).Value), "g/v2")
	if err != nil {
		return "", err
	}
	out, err := f.spliceAnswer([]byte(object), answer, "g/v2")
	return string(out), err
}

func TestProjectedConversion(t *testing.T) {
	const head = `{"apiVersion":"g/v1","kind":"K",`
	set := func(text string, path ...string) Converter {
		return func(o *Object) error { o.SetRaw(path, []byte(text)); return nil }
	}
	drop := func(path ...string) Converter { return func(o *Object) error { o.Remove(path...); return nil } }
	tests := []struct {
		name, paths, object string
		convert             Converter
		want                string // the rest of the object, or the refusal
	}{
		{"what was shown", "spec.a", `"spec":{"a":1,"b":1.50}}`, func(o *Object) error {
			if out, _ := o.AppendJSON(nil); string(out) != head+`"spec":{"a":1}}` {
				return Errorf("saw %s", out)
			}
			return nil
		}, `"spec":{"a":1,"b":1.50}}`},
		{"changed", "spec.a", `"spec":{"a":1,"b":1.50}}`, set(`"x"`, "spec", "a"), `"spec":{"a":"x","b":1.50}}`},
		{"removed", "spec.a", `"spec":{"a":1,"b":1.50}}`, drop("spec", "a"), `"spec":{"b":1.50}}`},
		{"the object removed", "spec.a", `"spec":{"a":1,"b":1.50}}`, drop("spec"), `"spec":{"b":1.50}}`},
		{"the object removed with all that was in it", "spec.a", `"spec":{"a":1},"x":1}`, drop("spec"), `"x":1}`},
		{"added", "spec.a more.b", `"spec":{"x":1}}`, set(`{"b":2}`, "more"), `"spec":{"x":1},"more":{"b":2}}`},
		{"elements", "spec.list[].a", `"spec":{"list":[{"a":1,"b":2},3,{"b":4}]}}`, set(`[{"a":5},0,{"a":6}]`, "spec", "list"), `"spec":{"list":[{"a":5,"b":2},3,{"b":4,"a":6}]}}`},
		{"members of a map", "spec.*.a", `"spec":{"x":{"a":1,"b":2},"y":{"b":3}}}`, set(`{"y":{"a":4},"z":{"a":5}}`, "spec"), `"spec":{"x":{"b":2},"y":{"b":3,"a":4},"z":{"a":5}}}`},
		{"an annotation of several", "metadata.annotations['a.b/c']", `"metadata":{"name":"n","annotations":{"x":"y","a.b/c":"z"}}}`, func(o *Object) error { o.RemoveAnnotation("a.b/c"); return nil },
			`"metadata":{"name":"n","annotations":{"x":"y"}}}`},
		{"the last annotation", "metadata.annotations['a.b/c']", `"metadata":{"name":"n","annotations":{"a.b/c":"z"}}}`, func(o *Object) error { o.RemoveAnnotation("a.b/c"); return nil }, `"metadata":{"name":"n"}}`},
		{"metadata made", "metadata.annotations.a", `"spec":{}}`, func(o *Object) error { o.SetAnnotation("a", "b"); return nil }, `"spec":{},"metadata":{"annotations":{"a":"b"}}}`},
		{"what only the gateway writes", "metadata.name", `"metadata":{"name":"n"}}`, set(`"other"`, "metadata", "name"), `"metadata":{"name":"n"}}`},

		{"undeclared", "spec.a", `"spec":{"b":1}}`, set(`2`, "spec", "b"), "the answer has .spec.b, which is not among the fields that the module declares (crosswalk.Fields)"},
		{"undeclared in a list", "spec.list[].a", `"spec":{"list":[{}]}}`, set(`[{"b":1}]`, "spec", "list"), "the answer has .spec.list[0].b, which is not among the fields that the module declares (crosswalk.Fields)"},
		{"something else", "spec.a.b", `"spec":{"a":["secret"]}}`, func(o *Object) error { _, _, err := o.String("spec", "a", "b"); return err }, ".spec.a must be an object, but is an array"},
		{"something else left out", "spec.a.b", `"spec":{"a":["secret"]}}`, drop("spec"), `"spec":{"a":["secret"]}}`},
		{"a part of what is new", "spec.new[].a", `"spec":{}}`, set(`[5]`, "spec", "new"), "the answer has .spec.new[0] that is a number, not an object: the module declares only parts of it"},
		{"annotations null", "metadata.annotations.a", `"metadata":{"annotations":null}}`, func(*Object) error { return nil }, `"metadata":{"annotations":null}}`},
		{"no object", "spec.a.b", `"spec":{}}`, set(`2`, "spec", "a"), "the answer has .spec.a that is a number, not an object: the module declares only parts of it"},
		{"an element too many", "spec.list[].a", `"spec":{"list":[{}]}}`, set(`[{},{}]`, "spec", "list"), "the answer has 2 elements in .spec.list, where the object has 1: only parts of them are declared, so that none can be added or removed"},
		{"in the place of what was not shown", "spec.a.b", `"spec":{"a":"text"}}`, set(`{"b":1}`, "spec", "a"), "the answer has .spec.a, which in the object is a string, so that nothing of it is declared"},
		{"an object with a uid", "metadata.uid spec.a", `"metadata":{"uid":"u"},"spec":{}}`, func(o *Object) error { o.DefaultInt(Path{"spec", "a"}, 1); return nil }, `"metadata":{"uid":"u"},"spec":{"a":1}}`},
		{"a fragment", "metadata.uid spec.a", `"spec":{}}`, func(o *Object) error { o.DefaultInt(Path{"spec", "a"}, 1); return nil }, `"spec":{}}`},
		{"metadata.uid is not declared", "metadata.name spec.a", `"metadata":{"uid":"u"},"spec":{}}`, func(o *Object) error { o.DefaultInt(Path{"spec", "a"}, 1); return nil },
			"the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (crosswalk.Fields)"},
		{"a stash", "spec.a metadata.annotations['conversion.g/stash']", `"metadata":{"name":"n"},"spec":{"a":1,"b":2}}`, func(o *Object) error { o.Stash("spec", "a"); return nil },
			`"metadata":{"name":"n","annotations":{"conversion.g/stash":"{\"v1\":{\"in\":\"v2\",\"kept\":[{\"hash\":\"a9f1e845f5078221\",\"set\":{\"/spec/a\":1}}]}}"}},"spec":{"b":2}}`},
		{"a stash without a place", "spec.a", `"metadata":{"name":"n"},"spec":{"a":1}}`, func(o *Object) error { o.Stash("spec", "a"); return nil },
			"the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.g/stash'] too (crosswalk.Fields)"},
		{"a stash that cannot be seen", "spec.a metadata.annotations.x", `"metadata":{"name":"n"},"spec":{"a":1}}`, func(o *Object) error { o.Restore(); return nil },
			"the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.g/stash'] too (crosswalk.Fields)"},
		{"a list for an object", "spec.a.b spec.a[].b", `"spec":{"a":{"c":1}}}`, set(`[]`, "spec", "a"), "the answer has .spec.a that is an array, where the object has an object with more in it than is declared"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := declaring(test.paths, test.convert).projected(head + test.object)
			if err != nil {
				got = err.Error()
			} else {
				got = strings.TrimPrefix(got, strings.Replace(head, "v1", "v2", 1))
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestDescribeFields(t *testing.T) {
	r := &registry{}
	if got := string(r.describe()); got != string(description) {
		t.Errorf("without fields: %s", got)
	}
	r.declare("g/v1", []string{"spec.a", `metadata.annotations["x"]`})
	r.declare("g/v2", nil)
	want := strings.TrimSuffix(string(description), "}") + `,"fields":{"v1":["spec.a","metadata.annotations[\"x\"]"],"v2":[]}}`
	if got := string(r.describe()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFieldMistakes(t *testing.T) {
	const declared = "crosswalk: the declared fields of g/v1 and g/v2: "
	whole := ": the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels"
	for path, want := range map[string]string{
		"spec":                               "",
		"spec.list[].a.*['b.c']":             "",
		"metadata.labels.app":                "",
		"":                                   `path "": it is empty`,
		"spec.":                              `path "spec.": a name is missing at byte 5, or is one that must be in quotes: ['…']`,
		".spec":                              `path ".spec": a name is missing at byte 0, or is one that must be in quotes: ['…']`,
		"spec.a/b":                           `path "spec.a/b": a dot or a bracket is missing at byte 6`,
		"spec['a":                            `path "spec['a": the name in quotes at byte 5 does not end in ']`,
		"spec.list[]":                        `path "spec.list[]": it must end with a name; a list or a map is declared as a whole by its own path`,
		"kind":                               `path "kind": apiVersion and kind are always there: leave it out`,
		"metadata":                           `path "metadata"` + whole,
		"metadata.*.a":                       `path "metadata.*.a"` + whole,
		"metadata.managedFields":             `path "metadata.managedFields": no module sees metadata.managedFields: leave it out`,
		"metadata.annotations.example.com/x": `path "metadata.annotations.example.com/x": a dot or a bracket is missing at byte 32`,
		"metadata.annotations.example.com":   `path "metadata.annotations.example.com": it goes deeper than annotations do: a key with dots in it is written metadata.annotations['example.com/key']`,
	} {
		_, err := declaring("", func(*Object) error { return nil }).withPath(path).projection("g/v1", "g/v2")
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != declared+want) {
			t.Errorf("%s: got  %v\nwant %s", path, err, want)
		}
	}
	r := declaring("spec.m.*.a spec.m.k", nil2)
	if _, err := r.projection("g/v1", "g/v2"); err == nil || err.Error() != declared+`"k" and .* are both declared of one object: name its members, or none` {
		t.Errorf("overlap: %v", err)
	}
	if _, err := r.projection("g/v1", "g/v3"); err == nil || err.Error() != `crosswalk: the module declares fields, but none for g/v3: call crosswalk.Fields("g/v3"), without paths if it reads and writes none` {
		t.Errorf("a version missing: %v", err)
	}
	for version, want := range map[string]string{
		"v1":   `crosswalk: fields are declared for an apiVersion such as example.com/v1, not for "v1"`,
		"g/v1": "crosswalk: the fields of g/v1 are declared twice",
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%s: panic %v, want %s", version, got, want)
				}
			}()
			r.declare(version, nil)
		}()
	}
}

func nil2(*Object) error { return nil }

func (r *registry) withPath(path string) *registry {
	r.declared[0].paths = []string{path}
	return r
}
