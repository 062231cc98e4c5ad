package v2

import "example.com/memory/shared"

type Accessed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Accessed) Hub() {}

type Memorized struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Memorized) Hub() {}

type Enclosed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Enclosed) Hub() {}

type Parametric struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Parametric) Hub() {}

type Mutated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Mutated) Hub() {}

type Iterated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Iterated) Hub() {}

type Directed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Directed) Hub() {}

type Panelled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Panelled) Hub() {}

type Optional struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Optional) Hub() {}

type Parsed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Parsed) Hub() {}

type Allotted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Allotted) Hub() {}

type Gated struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Gated) Hub() {}

type Surrendered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Surrendered) Hub() {}

type Schemed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Schemed) Hub() {}

type Rounded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Rounded) Hub() {}
