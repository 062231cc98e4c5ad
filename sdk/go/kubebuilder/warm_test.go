package kubebuilder

import (
	"errors"
	"reflect"
	"testing"
)

type warmHub struct {
	Spec map[string]string `json:"spec"`
}

type warmSpoke struct {
	Spec map[string]string `json:"spec"`
}

// TestRegisterWarmsConversions has each conversion called once at registration, with something in
// every field. A conversion that panics then is registered all the same.
func TestRegisterWarmsConversions(t *testing.T) {
	up, down := 0, 0
	Register(Kind{
		Hub: HubType[warmHub]("warm.example.com/v2"),
		Spokes: []Version{SpokeFunc("warm.example.com/v1",
			func(spoke *warmSpoke, hub *warmHub) error { up += len(spoke.Spec); return nil },
			func(hub *warmHub, spoke *warmSpoke) error { down++; panic("not such an object") })},
	})
	if up != 1 || down != 1 {
		t.Errorf("the conversions were called %d and %d times", up, down)
	}
}

// picky encodes no zero value.
type picky struct{ Type string }

func (p picky) MarshalJSON() ([]byte, error) {
	if p.Type == "" {
		return nil, errors.New("impossible type")
	}
	return []byte(`"` + p.Type + `"`), nil
}

func (p *picky) UnmarshalJSON(text []byte) error { return nil }

type pickyObject struct {
	Params []struct{ Value picky } `json:"params,omitempty"`
	Value  *picky                  `json:"value,omitempty"`
	Names  []string                `json:"names"`
}

// TestSampleLeavesOutWhatDoesNotEncode fills the members beside one whose method refuses its zero
// value.
func TestSampleLeavesOutWhatDoesNotEncode(t *testing.T) {
	if got, want := string(sample(newSet(), reflect.TypeFor[pickyObject]())), `{"names":[""]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
