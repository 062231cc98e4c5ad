package kubebuilder

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// templateV1 has a pod template, with members that are always written.
type templateV1 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Containers []container        `json:"containers"`
		Volumes    map[string]*volume `json:"volumes,omitempty"`
	} `json:"spec"`
}

type templateV2 struct {
	typeMeta
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Pod struct {
			Containers []container        `json:"containers"`
			Volumes    map[string]*volume `json:"volumes,omitempty"`
		} `json:"pod"`
	} `json:"spec"`
}

type container struct {
	Name      string   `json:"name"`
	TTY       bool     `json:"tty"`
	Resources struct{} `json:"resources"`
	Env       []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Port int `json:"port"`
}

type volume struct {
	Name string `json:"name"`
	Mode int    `json:"mode"`
}

// templates returns the conversion of templates, which counts its calls.
func templates(conversions *int) func(in *templateV1, out *templateV2) error {
	return func(in *templateV1, out *templateV2) error {
		*conversions++
		out.Metadata = in.Metadata
		out.Spec.Pod.Containers, out.Spec.Pod.Volumes = in.Spec.Containers, in.Spec.Volumes
		return nil
	}
}

// template returns a fragment with n containers and volumes, which have 6 zeros each, and its
// result.
func template(n int, version string) (fragment, result string) {
	const one = `{"name":"c","tty":false,"env":[{"name":"A","value":""},{"name":"","value":"b"}],"port":0}`
	var volumes strings.Builder
	for i := range n {
		fmt.Fprintf(&volumes, `,"v%05d":{"name":"","mode":0}`, i)
	}
	const kind = `"kind":"K","metadata":{"name":"a"}`
	containers := `"containers":` + repeat(n, one) + `,"volumes":{` + volumes.String()[1:] + `}`
	return `{"apiVersion":"template/v1",` + kind + `,"spec":{` + containers + `}}`,
		`{"apiVersion":"` + version + `",` + kind + `,"spec":{"pod":{` + containers + `}}}`
}

// allocated returns the bytes that the program has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestCostOfFragments asserts that the search for the places of zeros costs one probe, and memory in
// proportion to the fragment's size: no walk lists the elements around each zero. The memory is the
// same in each run, and no bound of fuel ends the search here.
func TestCostOfFragments(t *testing.T) {
	conversions := 0
	c := function(templates(&conversions))
	cost := func(n int) float64 {
		object, want := template(n, "template/v1")
		o := crosswalk.Parse([]byte(object))
		conversions = 0
		before := allocated()
		if err := c.fragment(o); err != nil {
			t.Fatal(err)
		}
		bytes := float64(allocated() - before)
		if got := string(o.Text()); got != want || conversions != 3 {
			t.Errorf("%d containers, %d conversions: got  %.1000s\nwant %.1000s", n, conversions, got, want)
		}
		return bytes
	}
	cost(100)
	few, many := cost(100), cost(800)
	t.Logf("100 containers: %.0f bytes, 800 containers: %.0f bytes", few, many)
	if many > 16*few {
		t.Errorf("a fragment with 800 containers allocates %.0f bytes, %.0f times as many as one with 100", many, many/few)
	}
}
