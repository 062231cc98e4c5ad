package typed_test

import (
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/typed"
)

func ExampleRegister() {
	type old struct {
		Spec struct {
			Colour string `json:"colour,omitempty"`
		} `json:"spec"`
	}
	type new struct {
		Spec struct {
			Color string `json:"color,omitempty"`
		} `json:"spec"`
	}
	typed.Register("example.com/v1beta1", "example.com/v1", func(in *old, out *new) error {
		out.Spec.Color = in.Spec.Colour
		return nil
	})

	object := `{"apiVersion":"example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"spec":{"colour":"red"}}`
	converted, err := crosswalk.Convert([]byte(object), "example.com/v1")
	fmt.Println(string(converted), err)
	// Output: {"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"color":"red"}} <nil>
}
