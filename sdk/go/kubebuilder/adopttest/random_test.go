package adopttest

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"testing"
)

// param cannot encode its zero value.
type param struct{ text string }

func (p param) MarshalJSON() ([]byte, error) {
	if p.text == "" {
		return nil, errors.New("impossible type")
	}
	return json.Marshal(p.text)
}

func (p *param) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.text) }

// TestFillEncodableAtTheEnd asserts that an object can be encoded that has more elements than the
// filler fills.
func TestFillEncodableAtTheEnd(t *testing.T) {
	type step struct {
		Name  string
		Inner struct{ Value param }
	}
	for seed := range int64(50) {
		f := filler{r: rand.New(rand.NewSource(seed)), density: 1, left: 4, within: map[reflect.Type]bool{}}
		var o struct{ Steps []step }
		f.fill(reflect.ValueOf(&o).Elem(), 0)
		if _, err := json.Marshal(o); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// enumeration decodes itself, from its names only.
type enumeration int

func (e *enumeration) UnmarshalJSON(text []byte) error {
	if string(text) != `"StepResult"` {
		return errors.New("unknown")
	}
	*e = 1
	return nil
}

// TestFillEnumerations asserts that a type that decodes itself gets the constants of the conversions.
func TestFillEnumerations(t *testing.T) {
	f := filler{r: rand.New(rand.NewSource(1)), density: 1, wide: true, given: inputs{Words: []string{"other", "StepResult"}}}
	for range 100 {
		var e enumeration
		if f.left = 10; f.selfDecoded(reflect.ValueOf(&e).Elem()) && e == 1 {
			return
		}
	}
	t.Error("the type never got the name that it takes")
}
