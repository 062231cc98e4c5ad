package v2

import "example.com/memory/shared"

type Field struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Field) Hub() {}

type Nested struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Nested) Hub() {}

type Tuned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Tuned) Hub() {}

type Copied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Copied) Hub() {}

type Inlined struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Inlined) Hub() {}

type Renamed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Renamed) Hub() {}

type Shown struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Shown) Hub() {}

type Replaced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Replaced) Hub() {}

type Stored struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Stored) Hub() {}

type Bound struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Bound) Hub() {}

type Wrapped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Wrapped) Hub() {}

type Constrained struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Constrained) Hub() {}

type Switched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Switched) Hub() {}

type Ranged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Ranged) Hub() {}

type Helped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Helped) Hub() {}

type Pooled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Pooled) Hub() {}

type Sourced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Sourced) Hub() {}

type Scanned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Scanned) Hub() {}

type Reversed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Reversed) Hub() {}

type Rendered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Rendered) Hub() {}

type Unsafe struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Unsafe) Hub() {}

type Bind struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Bind) Hub() {}

type Deleted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Deleted) Hub() {}

type Looked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Looked) Hub() {}

type Visited struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Visited) Hub() {}

type Started struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Started) Hub() {}

type Begun struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Begun) Hub() {}

type Ran struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Ran) Hub() {}

type Registered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Registered) Hub() {}

type Early struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Early) Hub() {}

type Watched struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Watched) Hub() {}

type DeepCopied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*DeepCopied) Hub() {}

type Dereferenced struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Dereferenced) Hub() {}

type With struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*With) Hub() {}

type Looped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Looped) Hub() {}

type Described struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Described) Hub() {}

type Picked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Picked) Hub() {}
