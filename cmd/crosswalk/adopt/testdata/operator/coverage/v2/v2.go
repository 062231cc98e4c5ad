// Package v2 has a hub.
// +groupName=coverage.example.com
package v2

import "example.com/operator/api/shared"

type Demo struct {
	shared.TypeMeta
	Spec struct{ Size int }
}

func (*Demo) Hub() {}
