package v2

import "example.com/memory/shared"

type Opened struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Opened) Hub() {}

type Lifted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Lifted) Hub() {}

type Deep struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Deep) Hub() {}

type Shelved struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Shelved) Hub() {}

type Captured struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Captured) Hub() {}

type Emptied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Emptied) Hub() {}

type Chosen struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Chosen) Hub() {}

type Aimed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Aimed) Hub() {}

type Whole struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Whole) Hub() {}

type Decoded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Decoded) Hub() {}

type Spread struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Spread) Hub() {}

type Literal struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Literal) Hub() {}

type Answered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Answered) Hub() {}

type Untyped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Untyped) Hub() {}

type Indexed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Indexed) Hub() {}

type Installed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Installed) Hub() {}

type Applied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Applied) Hub() {}

type Provided struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Provided) Hub() {}

type Bagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Bagged) Hub() {}

type Paired struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Paired) Hub() {}
