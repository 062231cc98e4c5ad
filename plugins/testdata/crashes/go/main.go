// Command crashes refuses, panics or uses up its memory, as the object's .spec.do says. With the
// same module in every language, a test verifies that each reports a crash as a crash. From v2 to
// v1 it uses the package kubebuilder.
package main

import (
	"errors"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

// object is both versions.
type object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Spec       struct {
		Do string `json:"do,omitempty"`
	} `json:"spec"`
}

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "crashes", Version: "1.0.0"})
	crosswalk.Register("example.com/v1", "example.com/v2", func(o *crosswalk.Object) error {
		what, _, err := o.String("spec", "do")
		if err != nil {
			return err
		}
		return do(what)
	})
	kubebuilder.RegisterFunc("example.com/v2", "example.com/v1", func(in, out *object) error {
		*out = *in
		return do(in.Spec.Do)
	})
}

func main() {}

var held [][]byte

func do(what string) error {
	switch what {
	case "refuse":
		return errors.New("not today")
	case "silent":
		return errors.New("")
	case "crash":
		var none []string
		_ = none[len(what)]
	case "memory":
		for {
			held = append(held, make([]byte, 1<<20))
		}
	}
	return nil
}
