package v2

import "example.com/memory/shared"

type Pflagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Pflagged) Hub() {}

type Concrete struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Concrete) Hub() {}

type Abstract struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Abstract) Hub() {}
