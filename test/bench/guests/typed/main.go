// Command typed is a converter module of Go structs that encoding/json decodes: of the members that
// differ between the versions only.
package main

import (
	"github.com/crosswalk-gateway/crosswalk/sdk/go/typed"
	"github.com/crosswalk-gateway/crosswalk/test/bench/crontab"
)

type objectV1 struct {
	Metadata typed.Metadata `json:"metadata"`
	Spec     crontab.SpecV1 `json:"spec"`
}

type objectV2 struct {
	Metadata typed.Metadata `json:"metadata"`
	Spec     crontab.SpecV2 `json:"spec"`
}

func init() {
	typed.Register(crontab.Group+"/v1", crontab.Group+"/v2", func(in *objectV1, out *objectV2) error {
		v1, v2 := crontab.V1{Spec: in.Spec}, crontab.V2{}
		v1.Annotations = in.Metadata.Annotations
		err := v1.ConvertTo(&v2)
		out.Spec, out.Metadata.Annotations = v2.Spec, v2.Annotations
		return err
	})
	typed.Register(crontab.Group+"/v2", crontab.Group+"/v1", func(in *objectV2, out *objectV1) error {
		v1, v2 := crontab.V1{}, crontab.V2{Spec: in.Spec}
		v2.Annotations = in.Metadata.Annotations
		err := v1.ConvertFrom(&v2)
		out.Spec, out.Metadata.Annotations = v1.Spec, v1.Annotations
		return err
	})
}

func main() {}
