// Package v2 has the hubs.
// +groupName=memory.example.com
package v2

import "example.com/memory/shared"

type Getter struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Getter) Hub() {}

type Method struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Method) Hub() {}

type Exported struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Exported) Hub() {}

type Alias struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Alias) Hub() {}

type Read struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Read) Hub() {}

type Embedded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Embedded) Hub() {}

type Promoted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Promoted) Hub() {}

type Kept struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Kept) Hub() {}

type Shared struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Shared) Hub() {}

type Held struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Held) Hub() {}

type Interface struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Interface) Hub() {}

type Closure struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Closure) Hub() {}

type Once struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Once) Hub() {}

type Hook struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Hook) Hub() {}

type Reflect struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Reflect) Hub() {}

type Flag struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Flag) Hub() {}

type Generic struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Generic) Hub() {}

type Enrolled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Enrolled) Hub() {}

type Map struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Map) Hub() {}

type Filled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Filled) Hub() {}

type Listed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Listed) Hub() {}

type Slice struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Slice) Hub() {}

type Atomic struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Atomic) Hub() {}

type Channel struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Channel) Hub() {}

type Linked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Linked) Hub() {}

type Pushed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Pushed) Hub() {}

type Stamped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Stamped) Hub() {}

type Tagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Tagged) Hub() {}

type Remembered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Remembered) Hub() {}

type Lazy struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Lazy) Hub() {}

type Valued struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Valued) Hub() {}

type Initialled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (*Initialled) Hub() {}
