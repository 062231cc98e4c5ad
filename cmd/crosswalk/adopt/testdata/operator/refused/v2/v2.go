// Package v2 has a hub.
// +groupName=refused.example.com
package v2

import "example.com/operator/api/shared"

type Linked struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Linked) Hub() {}

type Assembled struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Assembled) Hub() {}

type Packed struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Packed) Hub() {}
