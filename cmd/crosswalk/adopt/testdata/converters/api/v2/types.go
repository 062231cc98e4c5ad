// Package v2 has the hubs.
package v2

import "example.com/converters/meta"

var GroupVersion = meta.GV{Group: "tools.example.com", Version: "v2"}

// Exported is converted by exported functions of another package.
type Exported struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata,omitempty"`
	New             string `json:"new"`
}

// Lower is converted by unexported functions of another package.
type Lower Exported

// Literal is converted by function literals.
type Literal Exported

// Captured, Method and Value are converted by functions that cannot be called without running the
// operator.
type Captured Exported
type Method Exported
type Value Exported

// Variable is converted by a converter in a variable.
type Variable Exported

// Part has functions of conversion-gen, which parts calls.
type Part Exported

// Custom is converted by a type that has SpokeConverter's methods.
type Custom Exported
