package kubebuilder

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// optionsV1 has members that are omitted if they are zero.
type optionsV1 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Disabled bool     `json:"disabled,omitempty"` // leaves Level and Hidden out
		Left     bool     `json:"left,omitempty"`
		Right    bool     `json:"right,omitempty"`
		Level    int      `json:"level,omitempty"`
		Hidden   bool     `json:"hidden,omitempty"`
		Mode     string   `json:"mode,omitempty"`   // an enumeration
		Policy   string   `json:"policy,omitempty"` // an enumeration, whose error has no value
		Gone     int      `json:"gone,omitempty"`   // which the other version lacks
		Items    []podSet `json:"items,omitempty"`
		Swapped  struct {
			First  bool `json:"first,omitempty"`
			Second bool `json:"second,omitempty"`
		} `json:"swapped"`
	} `json:"spec"`
}

// optionsV2 has other names, and members that are always written.
type optionsV2 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		East     bool       `json:"east"`
		West     bool       `json:"west"`
		Depth    int        `json:"depth"`
		Shown    bool       `json:"shown"`
		Mode     string     `json:"modeName"`
		Policy   string     `json:"policyName"`
		Inverted bool       `json:"inverted"`
		Unasked  int        `json:"unasked"`
		Groups   []groupSet `json:"groups,omitempty"`
		Swapped  struct {
			First  bool `json:"first"`
			Second bool `json:"second"`
		} `json:"swapped"`
	} `json:"spec"`
}

func toOptionsV2(in *optionsV1, out *optionsV2) error {
	from, to := &in.Spec, &out.Spec
	out.Metadata = in.Metadata
	to.East, to.West, to.Mode, to.Policy = from.Right, from.Left, from.Mode, from.Policy
	to.Inverted = !from.Left
	to.Swapped.First, to.Swapped.Second = from.Swapped.Second, from.Swapped.First
	if !from.Disabled {
		to.Depth, to.Shown = from.Level, from.Hidden
	}
	if from.Mode != "" && from.Mode != "fast" {
		return fmt.Errorf("unknown mode %q", from.Mode)
	}
	if from.Policy != "" && from.Policy != "always" {
		return errors.New("unknown policy")
	}
	for _, p := range from.Items {
		to.Groups = append(to.Groups, groupSet{Title: p.Name, Size: p.Count, Marks: p.Labels})
		if p.Name == "refuses all" && p.Count > 0 {
			panic("no count is expected")
		}
	}
	return nil
}

// repeat returns a list of n times an element.
func repeat(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// TestProbes asserts the members of fragments' results that come from the fragments' zeros, and the
// number of conversions that each fragment costs.
func TestProbes(t *testing.T) {
	conversions := 0
	RegisterFunc("options/v1", "options/v2", func(in *optionsV1, out *optionsV2) error {
		conversions++
		return toOptionsV2(in, out)
	})
	tests := []struct {
		name, spec, want string
		conversions      int
	}{
		{"nothing to probe", `{"mode":"fast"}`, `{"modeName":"fast"}`, 2},
		{"40 zeros, and 40 places without", `{"items":` + repeat(40, `{"count":0},{"name":"a"}`) + `}`, `{"groups":` + repeat(40, `{"size":0},{"title":"a"}`) + `}`, 3},
		{"zeros of all types", `{"level":0,"items":[{"name":""}],"right":false}`, `{"east":false,"depth":0,"groups":[{"title":""}]}`, 3},
		{"two booleans from one, one of them inverted", `{"left":false}`, `{"west":false,"inverted":true}`, 3},
		{"booleans that change places", `{"left":false,"right":false}`, `{"east":false,"west":false,"inverted":true}`, 3},
		{"a boolean that moves to the place of another", `{"swapped":{"first":false}}`, `{"swapped":{"first":false,"second":false}}`, 3},
		{"a boolean that hides a number", `{"disabled":false,"level":0}`, `{"depth":0}`, 5},
		{"a boolean that hides a boolean", `{"disabled":false,"hidden":false}`, `{"shown":false}`, 5},
		{"a number without a place", `{"gone":0}`, `{}`, 3},
		{"a number without a place beside others", `{"gone":0,"level":0}`, `{"depth":0}`, 4},
		{"an enumeration that names the value", `{"mode":"","items":` + repeat(20, `{"count":0,"name":"a"}`) + `,"level":0}`, `{"depth":0,"groups":` + repeat(20, `{"title":"a","size":0}`) + `}`, 5},
		{"an enumeration that does not name the value", `{"policy":"","left":false,"level":0}`, `{"west":false,"depth":0,"inverted":true}`, 7},
		{"refusals beyond the bound", `{"level":0,"items":` + repeat(40, `{"name":"refuses all","count":0}`) + `}`, `{"groups":` + repeat(40, `{"title":"refuses all"}`) + `}`, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conversions = 0
			in := `{"apiVersion":"options/v1","kind":"K","spec":` + test.spec + `}`
			want := `{"apiVersion":"options/v2","kind":"K","spec":` + test.want + `}`
			got, err := crosswalk.Convert([]byte(in), "options/v2")
			if err != nil || string(got) != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
			if conversions != test.conversions {
				t.Errorf("%d conversions instead of %d", conversions, test.conversions)
			}
		})
	}
}
