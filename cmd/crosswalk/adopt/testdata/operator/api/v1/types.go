package v1

import (
	"example.com/operator/api/shared"
	v2 "example.com/operator/api/v2"
)

// GroupVersion is evaluated without running anything.
var GroupVersion = shared.GV{Group: v2.Group, Version: "v1"}

var modes = table()

func table() map[string]string { return map[string]string{"": "auto"} }

func init() { modes["old"] = "new" }

type Demo struct {
	shared.TypeMeta   `json:",inline"`
	shared.ObjectMeta `json:"metadata,omitempty"`
	Spec              DemoSpec `json:"spec"`
}

type DemoSpec struct {
	Template shared.Template `json:"template"`
	Looked   shared.Looked   `json:"looked"`
	Compared shared.Compared `json:"compared"`
	Printed  shared.Printed  `json:"printed"`
	Outer    shared.Outer    `json:"outer"`
	Cast     []OldCast       `json:"cast,omitempty"`
	Casts    []shared.Cast   `json:"casts,omitempty"`
	Pods     map[string]Pods `json:"pods,omitempty"`
	Mode     string          `json:"mode"`
}

// OldCast has the memory of shared.Cast.
type OldCast struct {
	E string `json:"e"`
}

type Pods struct {
	Template *shared.Template `json:"template,omitempty"`
}
