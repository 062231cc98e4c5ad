package kubebuilder

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// marker has the role of controller-runtime's conversion.Hub.
type marker interface{ Hub() }

type metadata struct {
	Name              string            `json:"name,omitempty"`
	UID               string            `json:"uid,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	CreationTimestamp *string           `json:"creationTimestamp"` // always written
}

type typeMeta struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

type hub struct {
	typeMeta
	Metadata metadata `json:"metadata,omitempty"`
	Spec     struct {
		Replicas int               `json:"replicas"`
		Colour   string            `json:"colour,omitempty"`
		Secret   string            `json:"secret,omitempty"` // no spoke has it
		Extra    any               `json:"extra,omitempty"`
		Selector map[string]string `json:"selector,omitempty"`
	} `json:"spec"`
	Status struct{} `json:"status"`
}

func (*hub) Hub() {}

type beta struct {
	typeMeta
	Metadata metadata `json:"metadata,omitempty"`
	Spec     struct {
		Count  int    `json:"count"`
		Colour string `json:"colour,omitempty"`
		Extra  any    `json:"extra,omitempty"`
	} `json:"spec"`
	Status struct{} `json:"status"`
}

func (b *beta) ConvertTo(dst marker) error {
	h := dst.(*hub)
	h.Metadata = b.Metadata
	h.Spec.Replicas, h.Spec.Colour, h.Spec.Extra = b.Spec.Count, b.Spec.Colour, b.Spec.Extra
	if b.Spec.Colour == "bad" {
		return errors.New("spec.colour is bad")
	}
	return nil
}

func (b *beta) ConvertFrom(src marker) error {
	h := src.(*hub)
	b.Metadata = h.Metadata
	b.Spec.Count, b.Spec.Colour, b.Spec.Extra = h.Spec.Replicas, h.Spec.Colour, h.Spec.Extra
	return nil
}

type alpha struct {
	typeMeta
	Metadata metadata `json:"metadata,omitempty"`
	Count    int      `json:"count,omitempty"`
}

func (a *alpha) ConvertTo(dst marker) error {
	h := dst.(*hub)
	h.Metadata, h.Spec.Replicas, h.Spec.Colour = a.Metadata, a.Count, a.Metadata.Labels["colour"]
	delete(h.Metadata.Labels, "colour")
	return nil
}

func (a *alpha) ConvertFrom(src marker) error {
	h := src.(*hub)
	a.Metadata, a.Count = h.Metadata, h.Spec.Replicas
	if h.Spec.Colour != "" {
		a.Metadata.Labels = map[string]string{"colour": h.Spec.Colour}
	}
	return nil
}

// kindOf returns the kind in a group of its own, as registrations are for the whole program.
func kindOf(group string) Kind {
	return Kind{Hub: Hub(group+"/v1", &hub{}), Spokes: []Version{Spoke(group+"/v1beta1", &beta{}), Spoke(group+"/v1alpha1", &alpha{})}}
}

// TypeMeta is apimachinery's.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type namedHub struct {
	TypeMeta `json:",inline"`
	Metadata metadata `json:"metadata,omitempty"`
	Names    string   `json:"names,omitempty"`
}

type namedSpoke struct {
	TypeMeta `json:",inline"`
	Metadata metadata `json:"metadata,omitempty"`
	Names    string   `json:"names,omitempty"`
}

// TestResultHasTypeMeta registers conversions that read the apiVersion and kind of both objects.
func TestResultHasTypeMeta(t *testing.T) {
	to := func(s *namedSpoke, h *namedHub) error {
		h.Names = s.Names + s.APIVersion + " " + s.Kind + " to " + h.APIVersion + " " + h.Kind
		return nil
	}
	from := func(h *namedHub, s *namedSpoke) error {
		s.Names = h.Names + "; " + h.APIVersion + " " + h.Kind + " to " + s.APIVersion + " " + s.Kind
		return nil
	}
	Register(Kind{Hub: HubType[namedHub]("named/v1"), Spokes: []Version{SpokeFunc("named/v1beta1", to, from), SpokeFunc("named/v1alpha1", to, from)}})
	for to, want := range map[string]string{
		"named/v1":       `{"apiVersion":"named/v1","kind":"K","metadata":{"uid":"u"},"names":"named/v1beta1 K to named/v1 K"}`,
		"named/v1alpha1": `{"apiVersion":"named/v1alpha1","kind":"K","metadata":{"uid":"u"},"names":"named/v1beta1 K to  ;   to named/v1alpha1 K"}`,
	} {
		got, err := crosswalk.Convert([]byte(`{"apiVersion":"named/v1beta1","kind":"K","metadata":{"uid":"u"}}`), to)
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}

type attribute struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type listed struct {
	TypeMeta   `json:",inline"`
	Metadata   metadata    `json:"metadata,omitempty"`
	Attributes []attribute `json:"attributes,omitempty"`
}

type unlisted struct {
	TypeMeta `json:",inline"`
	Metadata metadata `json:"metadata,omitempty"`
	Type     string   `json:"type,omitempty"`
}

// TestFragmentKeepsElements converts a fragment to a list of which an object without members has
// a part: the elements stay whole.
func TestFragmentKeepsElements(t *testing.T) {
	to := func(s *unlisted, h *listed) error {
		h.Attributes = []attribute{{Name: "version", Value: "1"}}
		if s.Type != "" {
			h.Attributes = append(h.Attributes, attribute{Name: "type", Value: s.Type})
		}
		return nil
	}
	from := func(h *listed, s *unlisted) error { return nil }
	Register(Kind{Hub: HubType[listed]("listed/v1"), Spokes: []Version{SpokeFunc("listed/v1beta1", to, from)}})
	for in, want := range map[string]string{
		`{"apiVersion":"listed/v1beta1","kind":"K","type":"a"}`: `{"apiVersion":"listed/v1","kind":"K","attributes":[{"name":"version","value":"1"},{"name":"type","value":"a"}]}`,
		`{"apiVersion":"listed/v1beta1","kind":"K"}`:            `{"apiVersion":"listed/v1","kind":"K"}`,
	} {
		got, err := crosswalk.Convert([]byte(in), "listed/v1")
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestRegister(t *testing.T) {
	Register(kindOf("plain"))
	lossless := kindOf("lossless")
	lossless.Lossless = true
	Register(lossless)
	numbers := kindOf("numbers")
	numbers.Unmarshal = func(data []byte, v any) error {
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.UseNumber()
		return d.Decode(v)
	}
	Register(numbers)
	exact := kindOf("exact")
	exact.Exact, exact.Metadata = true, []string{}
	Register(exact)
	completed := kindOf("completed")
	completed.Hub = WithDefaults(completed.Hub, func(h *hub) { h.Spec.Replicas += 10 })
	completed.Spokes[0] = WithDefaults(completed.Spokes[0], func(b *beta) { b.Spec.Count += 100 })
	Register(completed)

	tests := []struct{ name, to, in, want string }{
		{"spoke to hub", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"name":"n","uid":"u","creationTimestamp":"t"},"spec":{"count":2,"colour":"red"}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"name":"n","uid":"u","creationTimestamp":"t"},"spec":{"replicas":2,"colour":"red"},"status":{}}`},
		{"hub to spoke: what it has no field for is lost", "plain/v1beta1", `{"apiVersion":"plain/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":2,"secret":"s"},"unknown":1}`,
			`{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":2},"status":{}}`},
		{"spoke to spoke, by way of the hub", "plain/v1alpha1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"uid":"u","generation":3},"spec":{"count":2,"colour":"red"},"status":{}}`,
			`{"apiVersion":"plain/v1alpha1","kind":"K","metadata":{"uid":"u","generation":3,"labels":{"colour":"red"}},"count":2}`},
		{"labels and annotations are the result's", "plain/v1", `{"apiVersion":"plain/v1alpha1","kind":"K","metadata":{"uid":"u","labels":{"colour":"red"},"annotations":{"a":"b"}},"count":0}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"uid":"u","annotations":{"a":"b"}},"spec":{"replicas":0,"colour":"red"},"status":{}}`},
		{"a fragment without metadata", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","spec":{"colour":"red"}}`,
			`{"apiVersion":"plain/v1","kind":"K","spec":{"colour":"red"}}`},
		{"a fragment with a name", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"name":"n"}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"name":"n"}}`},
		{"a fragment with an empty object", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"name":"n"},"spec":{}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"name":"n"},"spec":{}}`},
		{"a fragment that says zero, which has another place", "plain/v1beta1", `{"apiVersion":"plain/v1","kind":"K","spec":{"replicas":0},"status":{}}`,
			`{"apiVersion":"plain/v1beta1","kind":"K","spec":{"count":0},"status":{}}`},
		{"a fragment that says zero in an object that the other version does not have", "plain/v1", `{"apiVersion":"plain/v1alpha1","kind":"K","count":0}`,
			`{"apiVersion":"plain/v1","kind":"K","spec":{"replicas":0}}`},
		{"a fragment that says nothing where there is a zero", "plain/v1beta1", `{"apiVersion":"plain/v1","kind":"K","spec":{"colour":"","secret":""}}`,
			`{"apiVersion":"plain/v1beta1","kind":"K","spec":{}}`},
		{"a fragment that says zero beside something else", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","spec":{"count":0,"colour":"red"}}`,
			`{"apiVersion":"plain/v1","kind":"K","spec":{"replicas":0,"colour":"red"}}`},
		{"a fragment with labels that become something else", "plain/v1", `{"apiVersion":"plain/v1alpha1","kind":"K","metadata":{"labels":{"colour":"red"}}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{}}`},
		{"defaults of the hub", "completed/v1", `{"apiVersion":"completed/v1alpha1","kind":"K","metadata":{"uid":"u"},"count":1}`,
			`{"apiVersion":"completed/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":11},"status":{}}`},
		{"defaults of a spoke, without those of the hub on the way", "completed/v1beta1", `{"apiVersion":"completed/v1alpha1","kind":"K","metadata":{"uid":"u"},"count":1}`,
			`{"apiVersion":"completed/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":101},"status":{}}`},
		{"a fragment without what has a default", "completed/v1", `{"apiVersion":"completed/v1beta1","kind":"K","spec":{"colour":"red"}}`,
			`{"apiVersion":"completed/v1","kind":"K","spec":{"colour":"red"}}`},
		{"refused", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","spec":{"colour":"bad"}}`, `spec.colour is bad`},
		{"of another type", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","spec":{"count":"2"}}`, `.spec.count must be a Go int, but is a JSON string`},
		{"numbers in any, as encoding/json has them", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":1,"extra":9007199254740993}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":1,"extra":9007199254740992},"status":{}}`},
		{"numbers in any, as API servers have them", "exact/v1", `{"apiVersion":"exact/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":1,"extra":9007199254740993}}`,
			`{"apiVersion":"exact/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":1,"extra":9007199254740993},"status":{}}`},
		{"numbers in any of a fragment, as API servers have them", "exact/v1", `{"apiVersion":"exact/v1beta1","kind":"K","spec":{"extra":9007199254740993}}`,
			`{"apiVersion":"exact/v1","kind":"K","spec":{"extra":9007199254740993}}`},
		{"a name in other letters, as encoding/json has it", "plain/v1", `{"apiVersion":"plain/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"Count":1}}`,
			`{"apiVersion":"plain/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":1},"status":{}}`},
		{"a name in other letters, as API servers have it", "exact/v1", `{"apiVersion":"exact/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"Count":1}}`,
			`{"apiVersion":"exact/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":0},"status":{}}`},
		{"numbers in any, with Unmarshal", "numbers/v1", `{"apiVersion":"numbers/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":1,"extra":9007199254740993}}`,
			`{"apiVersion":"numbers/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":1,"extra":9007199254740993},"status":{}}`},
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

	t.Run("lossless", func(t *testing.T) {
		in := `{"apiVersion":"lossless/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":2,"secret":"s","selector":{"a":"b"}},"status":{}}`
		old, err := crosswalk.Convert([]byte(in), "lossless/v1beta1")
		if err != nil || !strings.Contains(string(old), `\"set\":{\"/spec/secret\":\"s\",\"/spec/selector\":{\"a\":\"b\"}}`) {
			t.Fatalf("%s, %v", old, err)
		}
		again, err := crosswalk.Convert(old, "lossless/v1")
		if err != nil || string(again) != in {
			t.Errorf("came back as %s, %v", again, err)
		}
		// From spoke to spoke, too: v1alpha1 has no field for extra.
		beta := `{"apiVersion":"lossless/v1beta1","kind":"K","metadata":{"uid":"u"},"spec":{"count":2,"extra":[1]},"status":{}}`
		alpha, err := crosswalk.Convert([]byte(beta), "lossless/v1alpha1")
		if err != nil || !strings.Contains(string(alpha), `{\"v1beta1\":{\"in\":\"v1alpha1\"`) {
			t.Fatalf("%s, %v", alpha, err)
		}
		again, err = crosswalk.Convert(alpha, "lossless/v1beta1")
		if err != nil || string(again) != beta {
			t.Errorf("by way of v1alpha1, it came back as %s, %v", again, err)
		}
		changed := strings.Replace(string(old), `"count":2`, `"count":3`, 1)
		again, err = crosswalk.Convert([]byte(changed), "lossless/v1")
		if want := `{"apiVersion":"lossless/v1","kind":"K","metadata":{"uid":"u"},"spec":{"replicas":3},"status":{}}`; err != nil || string(again) != want {
			t.Errorf("changed, it came back as %s, %v", again, err)
		}
	})
}

func TestRegisterFunc(t *testing.T) {
	RegisterFunc("func/v1", "func/v2", func(in *alpha, out *beta) error {
		out.Metadata, out.Spec.Count = in.Metadata, in.Count
		return nil
	})
	got, err := crosswalk.Convert([]byte(`{"apiVersion":"func/v1","kind":"K","metadata":{"uid":"u","labels":{"a":"b"}},"count":3}`), "func/v2")
	if want := `{"apiVersion":"func/v2","kind":"K","metadata":{"uid":"u","labels":{"a":"b"}},"spec":{"count":3},"status":{}}`; err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// TestConverterAfterEdits says that a converter of types sees the edits made before it, and that
// those after it count.
func TestConverterAfterEdits(t *testing.T) {
	inner := Converter(func(in *alpha, out *beta) error {
		out.Metadata, out.Spec.Count = in.Metadata, in.Count
		return nil
	})
	crosswalk.Register("edits/v1", "edits/v2", func(o *crosswalk.Object) error {
		o.SetInt(crosswalk.Path{"count"}, 7)
		o.SetLabel("before", "b")
		if err := inner(o); err != nil {
			return err
		}
		o.SetLabel("after", "a")
		return nil
	})
	got, err := crosswalk.Convert([]byte(`{"apiVersion":"edits/v1","kind":"K","metadata":{"uid":"u"},"count":3}`), "edits/v2")
	if want := `{"apiVersion":"edits/v2","kind":"K","metadata":{"uid":"u","labels":{"before":"b","after":"a"}},"spec":{"count":7},"status":{}}`; err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestKindsThatMakeNoSense(t *testing.T) {
	tests := []struct {
		name, want string
		register   func()
	}{
		{"no hub", "kubebuilder: a kind needs a version made with Hub, and at least one made with Spoke",
			func() { Register(Kind{Spokes: []Version{Spoke("g/v2", &beta{})}}) }},
		{"no spokes", "kubebuilder: a kind needs a version made with Hub, and at least one made with Spoke",
			func() { Register(Kind{Hub: Hub("g/v1", &hub{})}) }},
		{"two hubs", "kubebuilder: g/v2 needs a version made with Spoke that converts to g/v1",
			func() { Register(Kind{Hub: Hub("g/v1", &hub{}), Spokes: []Version{Hub("g/v2", &hub{})}}) }},
		{"the hub of others", "kubebuilder: g/v2 needs a version made with Spoke that converts to g/v1",
			func() {
				Register(Kind{Hub: Hub("g/v1", &hub{}), Spokes: []Version{Spoke[other]("g/v2", &stranger{})}})
			}},
		{"no pointer", "kubebuilder: a version needs a pointer to a struct as a sample, not a kubebuilder.notPointer",
			func() { Hub("g/v1", notPointer{}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("got %v, want %s", got, test.want)
				}
			}()
			test.register()
		})
	}
}

// TestPanicIsNoRefusal: a panic of the types' own code is the module's crash, for which the SDK
// must see it.
func TestPanicIsNoRefusal(t *testing.T) {
	type object struct {
		typeMeta
		Spec *struct{ Replicas *int } `json:"spec"`
	}
	defer func() {
		if p := recover(); p == nil {
			t.Error("the panic was caught")
		}
	}()
	o := crosswalk.Parse([]byte(`{"apiVersion":"g/v1","kind":"K","spec":{}}`))
	_ = Converter(func(in, out *object) error { *in.Spec.Replicas++; return nil })(o)
}

type notPointer struct{}

func (notPointer) Hub() {}

// other is the hub of another kind.
type other interface{ NotHub() }

type stranger struct{}

func (*stranger) ConvertTo(other) error   { return nil }
func (*stranger) ConvertFrom(other) error { return nil }
