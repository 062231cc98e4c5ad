package v2

import . "example.com/operator/api/shared"

const Group = "demo.example.com"

var GroupVersion = GroupVersionOf("v2")

var registered = map[string]bool{}

func init() { registered["v2"] = true }

type Demo struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty"`
	Spec       DemoSpec `json:"spec"`
}

type DemoSpec struct {
	Template Template        `json:"template"`
	Looked   Looked          `json:"looked"`
	Compared Compared        `json:"compared"`
	Printed  Printed         `json:"printed"`
	Outer    Outer           `json:"outer"`
	Cast     []Cast          `json:"cast,omitempty"`
	Pods     map[string]Pods `json:"pods,omitempty"`
	Mode     string          `json:"mode"`
}

type Pods struct {
	Template *Template `json:"template,omitempty"`
}

func (*Demo) Hub() {}
