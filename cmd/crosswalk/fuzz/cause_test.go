package fuzz

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// findingOf returns a finding from v1: its property, path, and both values, with - for an absent one.
func findingOf(text string) Finding {
	words := strings.Fields(text)
	value := func(word string) json.RawMessage {
		if word == "-" {
			return nil
		}
		return json.RawMessage(word)
	}
	f := Finding{Property: words[0], Class: ClassValue, From: "v1", To: "v2", Path: words[1], At: words[1], Was: value(words[2]), Is: value(words[3])}
	if f.Property == Rejected {
		f.Class, f.Detail, f.Object = "", strings.Join(words[4:], " "), json.RawMessage(`{"spec":{"`+strings.TrimPrefix(f.Path, "spec.")+`":`+words[2]+`}}`)
	}
	return f
}

// withCauses returns the findings of v1 with their causes.
func withCauses(texts ...string) *Report {
	s := classSchema()
	text := schema.Structural{Generic: schema.Generic{Type: "string"}}
	pair := schema.Structural{Generic: schema.Generic{Type: "object"}, Properties: map[string]schema.Structural{"a": text, "b": text}}
	s.Properties["spec"].Properties["rec"] = pair
	s.Properties["spec"].Properties["recs"] = schema.Structural{Items: &pair}
	r := &Report{}
	for _, text := range texts {
		r.Findings = append(r.Findings, findingOf(text))
	}
	r.explain([]*version{{Version: &apiserver.Version{Name: "v1", Schema: s}}})
	return r
}

func TestFindingsOfOneCauseAreOne(t *testing.T) {
	for _, c := range []struct {
		name     string
		findings []string
		want     string // first paths, with the number of fields
	}{
		{"rounded integers", []string{"changed spec.a 9007199254740993 9007199254740992", "changed spec.b 9223372036854775807 9223372036854776000", "changed status.c -9007199254740993 -9007199254740992"}, "spec.a 3"},
		{"an integer that is rounded and one that is another", []string{"changed spec.a 9007199254740993 9007199254740992", "changed spec.b 9007199254740993 5"}, "spec.a 1, spec.b 1"},
		{"small integers", []string{"changed spec.a 1 2", "changed spec.b 1 2", "changed spec.c 1 2"}, "spec.a 1, spec.b 1, spec.c 1"},
		{"flags", []string{"changed spec.a true false", "changed spec.b true false", "changed spec.c true false"}, "spec.a 1, spec.b 1, spec.c 1"},
		{"one change of three texts", []string{`changed spec.a "A" "a"`, `changed spec.b "A" "a"`, `changed spec.c "A" "a"`}, "spec.a 3"},
		{"one change of two texts", []string{`changed spec.a "A" "a"`, `changed spec.b "A" "a"`}, "spec.a 1, spec.b 1"},
		{"three changes", []string{`changed spec.a "A" "a"`, `changed spec.b "A" "b"`, `changed spec.c "A" "c"`}, "spec.a 1, spec.b 1, spec.c 1"},
		{"cleared texts", []string{`changed spec.a "A" ""`, `changed spec.b "A" ""`, `changed spec.c "A" ""`}, "spec.a 1, spec.b 1, spec.c 1"},
		{"integers that are none for the schema", []string{"rejected spec.a 9007199254740993 - in body must be of type int64", "rejected spec.b 9007199254740993 - in body must be of type integer"}, "spec.a 2"},
		{"required fields", []string{"rejected spec.a 1 - Required value", "rejected spec.b 1 - Required value"}, "spec.a 1, spec.b 1"},
		{"another type of a small integer", []string{"rejected spec.a 1 - in body must be of type string", "rejected spec.b 1 - in body must be of type string"}, "spec.a 1, spec.b 1"},
		{"a whole object", []string{`lost spec.rec.a "x" -`, `lost spec.rec.b "x" -`, `lost spec.text "x" -`}, "spec.rec.a 2, spec.text 1"},
		{"one field of an object, and one beside it", []string{`lost spec.rec.a "x" -`, `lost spec.text "x" -`}, "spec.rec.a 1, spec.text 1"},
		{"whole elements", []string{`lost spec.recs[].a "x" -`, `lost spec.recs[].b "x" -`}, "spec.recs[].a 2"},
		{"an object of one field", []string{`lost spec.object.name "x" -`, `lost spec.text "x" -`}, "spec.object.name 1, spec.text 1"},
		{"lost in one way and changed in another", []string{`lost spec.rec.a "x" -`, `changed spec.rec.b "x" "y"`}, "spec.rec.a 1, spec.rec.b 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			joined, _ := Fold(withCauses(c.findings...).Findings)
			var got []string
			for _, f := range joined {
				got = append(got, f.Path+" "+string(rune('1'+len(f.also))))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s, want %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestAcknowledgedFieldLeavesItsCause joins only the findings that no sidecar acknowledges, and shows
// the fields of the others.
func TestAcknowledgedFieldLeavesItsCause(t *testing.T) {
	r := withCauses(`lost spec.rec.a "x" -`, `lost spec.rec.b "x" -`)
	r.acknowledge([]artifact.Loss{{From: "v1", To: "v2", Path: "spec.rec.a", Reason: "meant"}})
	if len(r.Known) != 1 || len(r.Findings) != 1 || len(r.Unused) != 0 {
		t.Fatalf("%+v", r)
	}
	if all := Join(r.Findings); len(all) != 1 || all[0].Text() != `v1→v2→v1 spec.rec.b: lost: was "x", is absent` {
		t.Errorf("%+v", all)
	}
	r = withCauses(`lost spec.rec.a "x" -`, `lost spec.rec.b "x" -`)
	const want = `v1→v2→v1 spec.rec.a: lost: was "x", is absent; 1 more field alike, because all fields of spec.rec are lost: spec.rec.b`
	if text := Join(r.Findings)[0].Text(); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	r.acknowledge([]artifact.Loss{{From: "v1", To: "v2", Path: "spec.rec.*", Reason: "meant"}})
	if len(r.Known) != 2 || len(r.Findings) != 0 || len(r.Unused) != 0 {
		t.Errorf("%+v", r)
	}
}
