// Command dictionary is the source of ../../go1.26.zst: a module with the parts of Go's
// library and of the SDK that adopted modules have in common. make dictionary builds it.
package main

import (
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

// Quantity uses math/big as apimachinery's type does.
type Quantity struct{ value big.Int }

func (q *Quantity) UnmarshalJSON(text []byte) error {
	number := strings.TrimRight(strings.Trim(string(text), `"`), "kKMGTPEmi")
	if _, ok := q.value.SetString(number, 10); !ok {
		return fmt.Errorf("%q is not a quantity", number)
	}
	q.value.Mul(&q.value, new(big.Int).Exp(big.NewInt(10), big.NewInt(3), nil))
	_, rest := new(big.Int).QuoRem(&q.value, big.NewInt(1024), new(big.Int))
	if rest.Sign() < 0 || rest.Cmp(&q.value) > 0 {
		return errors.New("the quantity is negative")
	}
	return nil
}

func (q Quantity) MarshalJSON() ([]byte, error) { return []byte(`"` + q.value.String() + `"`), nil }

// Time is encoded as apimachinery's type is.
type Time struct{ time.Time }

func (t *Time) UnmarshalJSON(text []byte) (err error) {
	t.Time, err = time.Parse(time.RFC3339, strings.Trim(string(text), `"`))
	return err
}

func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"` + time.RFC3339 + `"`)), nil
}

// Spec has members of all types that kinds usually have.
type Spec struct {
	Text     string              `json:"text,omitempty"`
	Flag     *bool               `json:"flag,omitempty"`
	Number   int32               `json:"number"`
	Large    *int64              `json:"large,omitempty"`
	Share    float64             `json:"share,omitempty"`
	Bytes    []byte              `json:"bytes,omitempty"`
	Any      any                 `json:"any,omitempty"`
	Limits   map[string]Quantity `json:"limits,omitempty"`
	Labels   map[string]string   `json:"labels,omitempty"`
	Since    *Time               `json:"since,omitempty"`
	Nested   []Spec              `json:"nested,omitempty"`
	Lists    map[string][]string `json:"lists,omitempty"`
	Address  string              `json:"address,omitempty"`
	Duration string              `json:"duration,omitempty"`
}

type object struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Metadata   struct {
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec Spec `json:"spec"`
}

// V1 and V2 are two versions.
type (
	V1 struct{ object }
	V2 struct{ object }
)

// convert calls the parts of the library that conversions call.
func convert(in, out *object) error {
	*out = *in
	s := &out.Spec
	if d, err := time.ParseDuration(s.Duration); err == nil {
		s.Duration = d.String()
	}
	sort.Slice(s.Nested, func(i, j int) bool { return s.Nested[i].Number < s.Nested[j].Number })
	return nil
}

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub: kubebuilder.HubType[V2]("dictionary/v2"),
		Spokes: []kubebuilder.Version{kubebuilder.SpokeFunc("dictionary/v1",
			func(spoke *V1, hub *V2) error { return convert(&spoke.object, &hub.object) },
			func(hub *V2, spoke *V1) error { return convert(&hub.object, &spoke.object) })},
	})
}

func main() {}
