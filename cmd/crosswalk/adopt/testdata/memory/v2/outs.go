package v2

import "example.com/memory/shared"

type Given struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Given) Hub() {}

type Collected struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Collected) Hub() {}

type Asserted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Asserted) Hub() {}

type Merged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Merged) Hub() {}

type Handed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Handed) Hub() {}

type Passed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Passed) Hub() {}

type Composed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Composed) Hub() {}

type Owned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Owned) Hub() {}

type Peeked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Peeked) Hub() {}

type Replenished struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Replenished) Hub() {}

type Lent struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Lent) Hub() {}

type Adjusted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Adjusted) Hub() {}

type Relabelled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Relabelled) Hub() {}

type Called struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Called) Hub() {}

type Matched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Matched) Hub() {}

type Fielded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Fielded) Hub() {}

type Housed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Housed) Hub() {}

type Sibling struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Sibling) Hub() {}
