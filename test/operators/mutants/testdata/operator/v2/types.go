// Package v2 is the hub.
// +groupName=attacked.example.com
package v2

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name        string            `json:"name,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Hub is a version that others convert to.
type Hub interface{ Hub() }

type Pool struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty"`
	Spec       PoolSpec `json:"spec"`
}

func (*Pool) Hub() {}

type PoolSpec struct {
	Mode    Mode     `json:"mode,omitempty"`
	Ports   []Port   `json:"ports,omitempty"`
	Owner   string   `json:"owner,omitempty"`
	Contact string   `json:"contact,omitempty"`
	Limit   *Limit   `json:"limit,omitempty"`
	Zones   []string `json:"zones,omitempty"`
}

type Mode string

const (
	ModeLayer2 Mode = "Layer2"
	ModeBGP    Mode = "BGP"
)

type Port struct {
	Name   string `json:"name,omitempty"`
	Number int32  `json:"number,omitempty"`
	Target int32  `json:"target,omitempty"`
}

type Limit struct {
	Soft int64 `json:"soft,omitempty"`
	Hard int64 `json:"hard,omitempty"`
}
