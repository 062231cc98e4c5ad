package kubebuilder

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// bare is a version without apiVersion and kind.
type bare struct {
	Metadata metadata `json:"metadata"`
	Spec     any      `json:"spec,omitempty"`
}

// TestTextEqualsObject compares the converter of texts with that of parsed objects: for objects in
// usual and unusual spellings.
func TestTextEqualsObject(t *testing.T) {
	k := kindOf("text")
	set := newSet()
	pairs := map[string]*conversionOf{
		"hub to spoke":   k.between(set, k.Hub, k.Spokes[1]),
		"spoke to hub":   k.between(set, k.Spokes[1], k.Hub),
		"spoke to spoke": k.between(set, k.Spokes[0], k.Spokes[1]),
		"without apiVersion and kind": newConversion(set, nil, reflect.TypeFor[bare](), reflect.TypeFor[bare](), func(in, out any) error {
			*out.(*bare) = *in.(*bare)
			return nil
		}),
	}
	tests := []struct {
		name, object string
		text         bool // the converter of texts converts it
	}{
		{"usual", `{"apiVersion":"text/v1","kind":"K","metadata":{"labels":{"a":"b"},"name":"n","uid":"u"},"spec":{"count":1,"replicas":2},"count":3}`, true},
		{"labels change", `{"apiVersion":"text/v1","kind":"K","metadata":{"name":"n","labels":{"colour":"red","b":"c"},"uid":"u"},"count":3}`, true},
		{"labels appear", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":"u"},"spec":{"colour":"red"}}`, true},
		{"both change", `{"apiVersion":"text/v1","kind":"K","metadata":{"labels":{"z":"y","a":"b"},"uid":"u","annotations":{"z":"y","a":"b"}}}`, true},
		{"both change in the other order", `{"apiVersion":"text/v1","kind":"K","metadata":{ "annotations" : {"z":"y","a":"b"} , "uid":"u", "labels":{"z":"y","a":"b"} }}`, true},
		{"labels go", `{"apiVersion":"text/v1","kind":"K","metadata":{"labels":{"colour":"red"},"uid":"u"}}`, true},
		{"labels are null", `{"apiVersion":"text/v1","kind":"K","metadata":{"labels":null,"annotations":{},"uid":"u"}}`, true},
		{"blanks", "{\"apiVersion\":\"text/v1\" , \"kind\" :\t\"K\", \"metadata\" : { \"uid\" : \"u\" , \"labels\" : { \"z\" : \"y\" , \"a\":\"b\" } } }", true},
		{"unknown members", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":"u","generation":3,"extra":[{}]},"more":{"kind":"x","uid":1}}`, true},
		{"no kind", `{"apiVersion":"text/v1","metadata":{"uid":"u"}}`, true},
		{"envelope's names elsewhere", `{"apiVersion":"text/v1","kind":"K","spec":{"labels":{"x":"y"},"uid":"v","extra":{"metadata":{"uid":"w","labels":{}}}},"metadata":{"uid":"u"}}`, true},
		{"members behind the metadata", `{"apiVersion":"text/v1","metadata":{"uid":"u","labels":{"a":"b"}},"status":{"labels":{"x":"y"}},"labels":{"x":"z"},"kind":"K"}`, true},
		{"fragment", `{"apiVersion":"text/v1","kind":"K","metadata":{"name":"n"},"spec":{"count":1,"replicas":2}}`, false},
		{"no metadata", `{"apiVersion":"text/v1","kind":"K","spec":{"labels":{},"uid":"u"}}`, false},
		{"uid of another type", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":null}}`, false},
		{"kind twice", `{"apiVersion":"text/v1","kind":"K","kind":"L","metadata":{"uid":"u"}}`, false},
		{"metadata twice", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":"u"},"metadata":{"labels":{"x":"y"}}}`, false},
		{"labels twice", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":"u","labels":{"x":"y"},"labels":{"z":"y"}}}`, false},
		{"other case", `{"apiVersion":"text/v1","Kind":"K","metadata":{"uid":"u"}}`, false},
		{"metadata in other case", `{"apiVersion":"text/v1","kind":"K","metadata":{"uid":"u"},"Metadata":{"labels":{"x":"y"}}}`, false},
		{"an escape in kind", `{"apiVersion":"text/v1","k\u0069nd":"K","metadata":{"uid":"u"}}`, false},
		{"escapes in names", `{"apiVersion":"text/v1","k\u0069nd":"K","metadata":{"uid":"u","l\u0061bels":{"x":"y"}}}`, false},
	}
	for pair, c := range pairs {
		c.head = `{"apiVersion":"text/v1"`
		for _, test := range tests {
			t.Run(pair+"/"+test.name, func(t *testing.T) {
				got, done, err := c.text([]byte("before"), []byte(test.object))
				if err != nil {
					t.Fatal(err)
				}
				// Without these fields, only their names tell.
				if unknown := pair == "without apiVersion and kind" && test.name == "other case"; done != test.text && !unknown {
					t.Fatalf("converted from its text: %v, want %v", done, test.text)
				}
				if !done {
					return
				}
				o := crosswalk.Parse([]byte(test.object))
				if err := c.object(o); err != nil {
					t.Fatal(err)
				}
				want, err := o.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				got, ok := bytes.CutPrefix(got, []byte("before"))
				if !ok || !bytes.Equal(compact(t, got), compact(t, want)) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
	}
}

func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return b.Bytes()
}

// TestMetadataIsReadInPart registers a conversion that reads the name only of the metadata: the
// other members are not decoded, and stay in the object.
func TestMetadataIsReadInPart(t *testing.T) {
	var seen metadata
	k := Kind{
		Hub: HubType[hub]("part/v1"),
		Spokes: []Version{SpokeFunc("part/v2",
			func(*beta, *hub) error { return nil },
			func(h *hub, b *beta) error {
				seen, b.Metadata = h.Metadata, h.Metadata
				return nil
			})},
		Metadata: []string{"name"},
	}
	Register(k)
	for _, metadata := range []string{
		`"name":"n","labels":{"a":"b"},"creationTimestamp":{"not":["a text"]},"uid":"u"`,
		`"name":"n","labels":{"a":"b"},"creationTimestamp":"t","\u0075id":"u"`, // not by its text
	} {
		in := `{"apiVersion":"part/v1","kind":"K","metadata":{` + metadata + `},"spec":{}}`
		got, err := crosswalk.Convert([]byte(in), "part/v2")
		if err != nil {
			t.Fatal(err)
		}
		want := `{"apiVersion":"part/v2","kind":"K","metadata":{` + metadata + `},"spec":{"count":0},"status":{}}`
		if string(got) != want {
			t.Errorf("%s became\n%s, want\n%s", in, got, want)
		}
		if seen.Name != "n" || seen.Labels["a"] != "b" || seen.UID != "" || seen.CreationTimestamp != nil {
			t.Errorf("the conversion saw %+v, want the name and the labels only", seen)
		}
	}
}
