package kubebuilder

import (
	"errors"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// podSet is an element of a list, with members that are always written.
type podSet struct {
	Name     string            `json:"name"`
	Count    int               `json:"count"`
	Template struct{}          `json:"template"`
	Labels   map[string]string `json:"labels"`
}

type listedV1 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		PodSets []podSet `json:"podSets"`
		Queue   string   `json:"queue,omitempty"`
		Extra   *podSet  `json:"extra,omitempty"`
	} `json:"spec"`
}

// groupSet is podSet with other names.
type groupSet struct {
	Title string            `json:"title"`
	Size  int               `json:"size"`
	Marks map[string]string `json:"marks"`
	Shape struct{}          `json:"shape"`
}

type listedV2 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Groups []groupSet `json:"groups"`
		Queue  string     `json:"queue"`
		Extra  *groupSet  `json:"extra"`
	} `json:"spec"`
}

func toListedV2(in *listedV1, out *listedV2) error {
	if len(in.Spec.PodSets) == 0 && in.Spec.Extra == nil && in.Spec.Queue == "" {
		panic("an object without a spec is not expected")
	}
	if in.Spec.Queue == "empty refusal" {
		return errors.New("")
	}
	out.Metadata, out.Spec.Queue = in.Metadata, in.Spec.Queue
	for _, p := range in.Spec.PodSets {
		out.Spec.Groups = append(out.Spec.Groups, groupSet{Title: p.Name, Size: p.Count, Marks: p.Labels})
	}
	if p := in.Spec.Extra; p != nil {
		out.Spec.Extra = &groupSet{Title: p.Name, Size: p.Count, Marks: p.Labels}
	}
	return nil
}

func toListedV1(in *listedV2, out *listedV1) error {
	if in.Spec.Queue == "x" {
		panic("this is what a probe puts in place of an empty text")
	}
	out.Metadata, out.Spec.Queue = in.Metadata, in.Spec.Queue
	for _, g := range in.Spec.Groups {
		out.Spec.PodSets = append(out.Spec.PodSets, podSet{Name: g.Title, Count: g.Size, Labels: g.Marks})
	}
	if g := in.Spec.Extra; g != nil {
		out.Spec.Extra = &podSet{Name: g.Title, Count: g.Size, Labels: g.Marks}
	}
	return nil
}

// TestFragmentGainsNothing says that a fragment's result has no null, and no zero within lists and
// optional objects, that the fragment does not have.
func TestFragmentGainsNothing(t *testing.T) {
	Register(Kind{
		Hub:    HubType[listedV2]("listed/v2"),
		Spokes: []Version{SpokeFunc("listed/v1", toListedV2, toListedV1)},
	})
	tests := []struct{ name, to, in, want string }{
		{"the types panic without a spec, and for a probe", "listed/v1", `{"apiVersion":"listed/v2","kind":"K","spec":{"groups":[{"size":0}],"queue":""}}`,
			`{"apiVersion":"listed/v1","kind":"K","spec":{"podSets":[{"count":0}]}}`},
		{"no null beside a member", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","spec":{"queue":"q"}}`,
			`{"apiVersion":"listed/v2","kind":"K","spec":{"queue":"q"}}`},
		{"no zero in a list", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","spec":{"podSets":[{"name":"a"},{"name":"b","count":2}]}}`,
			`{"apiVersion":"listed/v2","kind":"K","spec":{"groups":[{"title":"a"},{"title":"b","size":2}]}}`},
		{"a zero in a list, which has another name", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","spec":{"podSets":[{"name":"a","count":0},{"name":"b"}]}}`,
			`{"apiVersion":"listed/v2","kind":"K","spec":{"groups":[{"title":"a","size":0},{"title":"b"}]}}`},
		{"no zero in an optional object", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","spec":{"extra":{"name":"a"}}}`,
			`{"apiVersion":"listed/v2","kind":"K","spec":{"extra":{"title":"a"}}}`},
		{"an empty optional object", "listed/v1", `{"apiVersion":"listed/v2","kind":"K","spec":{"extra":{}}}`,
			`{"apiVersion":"listed/v1","kind":"K","spec":{"extra":{}}}`},
		{"an empty text in an optional object", "listed/v1", `{"apiVersion":"listed/v2","kind":"K","spec":{"extra":{"title":""}}}`,
			`{"apiVersion":"listed/v1","kind":"K","spec":{"extra":{"name":""}}}`},
		{"a whole object has all that the types write", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","metadata":{"uid":"u"},"spec":{"podSets":[{"name":"a"}]}}`,
			`{"apiVersion":"listed/v2","kind":"K","metadata":{"uid":"u"},"spec":{"groups":[{"title":"a","size":0,"marks":null,"shape":{}}],"queue":"","extra":null}}`},
		{"a place within a list", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","metadata":{"uid":"u"},"spec":{"podSets":[{},{"labels":{"a":1}}]}}`,
			`.spec.podSets[1].labels["a"] must be a Go string, but is a JSON number`},
		{"an error without a text", "listed/v2", `{"apiVersion":"listed/v1","kind":"K","metadata":{"uid":"u"},"spec":{"queue":"empty refusal"}}`,
			`the conversion failed with an error without a text, a *errors.errorString`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := crosswalk.Convert([]byte(test.in), test.to)
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
