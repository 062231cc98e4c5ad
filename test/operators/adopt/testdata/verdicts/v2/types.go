// Package v2 has the hubs.
// +groupName=verdicts.example.com
package v2

import "sigs.k8s.io/json"

// Strict decodes as the webhook does, which imports the decoder, too.
var Strict = json.UnmarshalStrict

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name            string            `json:"name,omitempty"`
	UID             string            `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`
}

// Hub is a version that others convert to.
type Hub interface{ Hub() }

type Decoded struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty"`
	Spec       Spec `json:"spec"`
}

func (*Decoded) Hub() {}

type Local struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty"`
	Spec       Spec `json:"spec"`
}

func (*Local) Hub() {}

type Spec struct {
	Text  string `json:"text,omitempty"`
	Value any    `json:"value,omitempty"`
}
