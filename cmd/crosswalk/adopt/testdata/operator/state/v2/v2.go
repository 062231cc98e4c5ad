// Package v2 has the hubs of kinds that depend on state.
// +groupName=state.example.com
package v2

import (
	"context"
	"errors"

	"example.com/operator/api/shared"
)

type Setter struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Setter) Hub() {}

type Assigned struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Assigned) Hub() {}

type Hook struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Hook) Hub() {}

type Default struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Default) Hub() {}

type Flag struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Flag) Hub() {}

type Field struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Field) Hub() {}

type Registry struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Registry) Hub() {}

type Locked struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Locked) Hub() {}

type Tests struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Tests) Hub() {}

type Dead struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Dead) Hub() {}

type Clock struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Clock) Hub() {}

type Environment struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Environment) Hub() {}

type Files struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Files) Hub() {}

type Random struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Random) Hub() {}

type Machine struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Machine) Hub() {}

type Uncalled struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Uncalled) Hub() {}

type Initial struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Initial) Hub() {}

type Blank struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Blank) Hub() {}

type Plugin struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Plugin) Hub() {}

type Read struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Read) Hub() {}

type More struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*More) Hub() {}

type Contextual struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (*Contextual) ConvertTo(ctx context.Context, to any) error { return errors.New("not converted") }

func (*Contextual) ConvertFrom(ctx context.Context, from any) error {
	return errors.New("not converted")
}
