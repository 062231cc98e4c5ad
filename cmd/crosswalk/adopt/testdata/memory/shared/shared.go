// Package shared has the fields of all kinds.
package shared

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type Spec struct {
	A string `json:"a"`
}
