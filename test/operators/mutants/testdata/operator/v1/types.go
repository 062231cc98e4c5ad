// Package v1 has the previous version of the hub.
// +groupName=attacked.example.com
package v1

import v2 "example.com/attacked/v2"

type Pool struct {
	v2.TypeMeta   `json:",inline"`
	v2.ObjectMeta `json:"metadata,omitempty"`
	Spec          PoolSpec `json:"spec"`
}

type PoolSpec struct {
	Protocol string   `json:"protocol,omitempty"`
	Ports    []int32  `json:"ports,omitempty"`
	Targets  []int32  `json:"targets,omitempty"`
	Owner    string   `json:"owner,omitempty"`
	Contact  string   `json:"contact,omitempty"`
	Soft     int64    `json:"soft,omitempty"`
	Hard     int64    `json:"hard,omitempty"`
	Zones    []string `json:"zones,omitempty"`
}
