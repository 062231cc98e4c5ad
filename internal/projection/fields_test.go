package projection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestParseErrors has paths that a module may not declare.
func TestParseErrors(t *testing.T) {
	many := make([]string, maxPaths+1)
	for i := range many {
		many[i] = fmt.Sprintf("spec.f%d", i)
	}
	if _, err := Parse(many[:maxPaths], many[:maxPaths], []string{"metadata.labels", "metadata.annotations['a.b/c']", "metadata.ownerReferences[].uid", "kinds", "status.*.a", strings.Repeat("a.", maxSteps-1) + "a"}); err != nil {
		t.Errorf("paths that may be declared: %v", err)
	}
	for _, test := range []struct {
		paths []string
		want  string
	}{
		{many, "there are 1001 paths; a version may have 1000"},
		{[]string{""}, `path "": it is empty`},
		{[]string{"[].a"}, `path "[].a": it must begin with the name of a field`},
		{[]string{"*"}, `path "*": it must begin with the name of a field`},
		{[]string{"apiVersion"}, `path "apiVersion": apiVersion is always there: leave it out`},
		{[]string{"kind"}, `path "kind": kind is always there: leave it out`},
		{[]string{"Metadata.name"}, `path "Metadata.name": Metadata differs from metadata only by case, and no object may have both`},
		{[]string{"['ſ']", "['\u212Aind']"}, "path \"['\u212Aind']\": \u212Aind differs from kind only by case, and no object may have both"},
		{[]string{"spec[]"}, `path "spec[]": it declares all of spec: write that`},
		{[]string{"spec.a.*"}, `path "spec.a.*": it declares all of spec.a: write that`},
		{[]string{"metadata"}, `path "metadata": the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels`},
		{[]string{"metadata.*.a"}, `path "metadata.*.a": the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels`},
		{[]string{"metadata.managedFields"}, `path "metadata.managedFields": no module sees metadata.managedFields: leave it out`},
		{[]string{"metadata.resourceVersion"}, `path "metadata.resourceVersion": no module sees metadata.resourceVersion: leave it out`},
		{[]string{"metadata.labels.a.b"}, `path "metadata.labels.a.b": it goes deeper than labels do: a key with dots in it is written metadata.labels['example.com/key']`},
		{[]string{"metadata.annotations.a.b"}, `path "metadata.annotations.a.b": it goes deeper than annotations do: a key with dots in it is written metadata.annotations['example.com/key']`},
		{[]string{"spec.a.b", "spec.*.c"}, `spec.a and .* are both declared of one object: name its members, or none`},
		{[]string{"spec." + strings.Repeat("a", maxPath)}, `path "spec.` + strings.Repeat("a", maxShown-len("spec.")) + `"…: it has 1029 bytes; a path may have 1024`},
		{[]string{strings.Repeat("a.", maxSteps) + "a"}, `path "` + strings.Repeat("a.", maxSteps) + `a": it has more than 32 steps`},
		{[]string{"spec.\xff"}, "path \"spec.\\xff\": it is not valid UTF-8"},
	} {
		if _, err := Parse(test.paths); err == nil || err.Error() != test.want {
			t.Errorf("%.60q:\n got %v\nwant %s", test.paths, err, test.want)
		}
	}
}

// TestEmptyValues: of a value that cannot have the declared fields, a module sees the empty one of its
// type.
func TestEmptyValues(t *testing.T) {
	f, err := Parse([]string{"spec.a"})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{`[1]`: `[]`, `"x"`: `""`, `true`: `false`, `false`: `false`, `-1.5`: `0`, `null`: `null`, `{"b":1}`: `{}`} {
		doc := filled(`{¶,"spec":`+value+`}`, "v1")
		if got := view(t, f, doc); got != filled(`{¶,"spec":`+want+`}`, "v1") {
			t.Errorf("%s is shown as %s", doc, got)
		}
	}
}

// TestUndeclaredMembers: an answer may have members beside the declared ones if they say nothing, as
// typed languages write them, and metadata only as an object.
func TestUndeclaredMembers(t *testing.T) {
	f, err := Parse([]string{"spec.a", "metadata.labels"})
	if err != nil {
		t.Fatal(err)
	}
	const undeclared = ", which is not among the fields that the module declares"
	for member, want := range map[string]string{
		`"status":null`: "", `"status":{}`: "", `"status":{"a":{"b":null},"c":{}}`: "", `"metadata":{"creationTimestamp":null}`: "",
		`"status":0`:             "has status" + undeclared,
		`"status":false`:         "has status" + undeclared,
		`"status":""`:            "has status" + undeclared,
		`"status":[]`:            "has status" + undeclared,
		`"status":{"a":{"b":0}}`: "has status" + undeclared,
		`"metadata":{"a":1}`:     "has metadata.a" + undeclared,
		`"metadata":null`:        "has metadata that is null, not an object",
		`"metadata":[]`:          "has metadata that is an array, not an object",
	} {
		answer := []byte(`{"spec":{"a":1},` + member + `}`)
		var s rawjson.Scanner
		s.Reset(answer, 0)
		if _, broken := f.Check(&s, nil, answer); string(broken) != want || s.Err() != nil {
			t.Errorf("%s: %q, %v, want %q", answer, broken, s.Err(), want)
		}
	}
}
