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
