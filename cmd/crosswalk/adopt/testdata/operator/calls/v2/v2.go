// Package v2 has a hub.
// +groupName=calls.example.com
package v2

import "example.com/operator/api/shared"

type Demo struct {
	shared.TypeMeta
	Spec struct{ A []string }
}

func (*Demo) Hub() {}
