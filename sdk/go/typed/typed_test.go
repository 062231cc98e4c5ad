package typed

import (
	"errors"
	"reflect"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

type inSpec struct {
	Replicas *int64 `json:"replicas,omitempty"`
	Colour   string `json:"colour,omitempty"`
	Extra    any    `json:"extra,omitempty"`
}

type in struct {
	Spec *inSpec `json:"spec,omitempty"`
	Old  string  `json:"old,omitempty"`
}

type outSpec struct {
	Count *int64 `json:"count,omitempty"`
	Color string `json:"color,omitempty"`
	Extra any    `json:"extra,omitempty"`
}

type out struct {
	Metadata Metadata `json:"metadata"`
	Spec     *outSpec `json:"spec,omitempty"`
	New      string   `json:"new,omitempty"`
}

func convert(in *in, out *out) error {
	if in.Old == "bad" {
		return errors.New(".old is bad")
	}
	if in.Spec != nil {
		out.Spec = &outSpec{Count: in.Spec.Replicas, Color: in.Spec.Colour, Extra: in.Spec.Extra}
	}
	out.New = in.Old
	delete(out.Metadata.Labels, "gone")
	if out.Metadata.Labels["add"] != "" {
		out.Metadata.Annotations = map[string]string{"added": out.Metadata.Name}
	}
	return nil
}

func TestConverter(t *testing.T) {
	tests := []struct {
		name    string
		convert crosswalk.Converter
		in      string
		want    string
		refusal string
	}{
		{"all of it", Converter(convert),
			`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n", "uid":"u","labels":{"add":"1","gone":"2"}},"spec":{"replicas":9007199254740993,"colour":"é","extra":[1.50,{}]},"old":"x","status":{ "kept" : 1.0 }}`,
			`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n", "uid":"u","labels":{"add":"1"},"annotations":{"added":"n"}},"spec":{"count":9007199254740993,"color":"é","extra":[1.50,{}]},"status":{ "kept" : 1.0 },"new":"x"}`, ""},
		{"absent in, absent out", Converter(convert), `{"apiVersion":"g/v1"}`, `{"apiVersion":"g/v1"}`, ""},
		{"labels all gone", Converter(convert), `{"metadata":{"labels":{"gone":"2"},"name":"n"}}`, `{"metadata":{"name":"n"}}`, ""},
		{"a zero that is there", Converter(convert), `{"spec":{"replicas":0}}`, `{"spec":{"count":0}}`, ""},
		{"refused", Converter(convert), `{"old":"bad"}`, "", ".old is bad"},
		{"of another type", Converter(convert), `{"spec":{"replicas":"3"}}`, "", ".spec.replicas must be an int64, but is a string"},
		{"a fraction", Converter(convert), `{"spec":{"replicas":1.5}}`, "", ".spec.replicas must be an int64, but is a number 1.5"},
		{"labels of another type", Converter(convert), `{"metadata":{"labels":{"a":1}}}`, "", ".metadata.labels must be a string, but is a number"},
		{"output without metadata", Converter(func(in *out, out *in) error { out.Old = in.New; return nil }),
			`{"metadata":{"labels":{"a":"b"}},"spec":{},"new":"x"}`, `{"metadata":{"labels":{"a":"b"}},"old":"x"}`, ""},
		{"maps", Converter(func(in, out *map[string]any) error { *out = map[string]any{"spec": (*in)["status"]}; return nil }),
			`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"spec":1,"status":2.0}`, `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"spec":2.0}`, ""},
		{"what cannot be encoded", Converter(func(in, out *map[string]any) error { *out = map[string]any{"spec": func() {}}; return nil }),
			`{}`, "", "the converted object cannot be encoded: json: unsupported type: func()"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := crosswalk.Parse([]byte(test.in))
			err := test.convert(o)
			if test.refusal != "" {
				if err == nil || err.Error() != test.refusal {
					t.Errorf("got %v, want %s", err, test.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := o.AppendJSON(nil); err != nil || string(got) != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

type embedded struct {
	A string `json:"a"`
	B string
}

func TestMembersOf(t *testing.T) {
	type object struct {
		embedded
		Tagged  embedded `json:"tagged,omitempty"`
		Hidden  string   `json:"-"`
		private string
	}
	_ = object{}.private
	got := membersOf(reflect.TypeFor[*object]())
	if want := map[string]bool{"a": true, "B": true, "tagged": true}; got.all || !reflect.DeepEqual(got.names, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
