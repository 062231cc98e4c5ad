// Package v1 has conversions that cannot be copied.
// +groupName=refused.example.com
package v1

import (
	_ "embed"
	_ "unsafe"

	"example.com/operator/api/shared"
	v2 "example.com/operator/refused/v2"
)

type Linked struct {
	shared.TypeMeta
	Spec struct{ A string }
}

//go:linkname nanotime runtime.nanotime
func nanotime() int64

func (l *Linked) ConvertTo(hub interface{ Hub() }) error {
	nanotime()
	return nil
}

func (l *Linked) ConvertFrom(hub interface{ Hub() }) error { return nil }

type Assembled struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func assembly(a int) int

func (l *Assembled) ConvertTo(hub interface{ Hub() }) error {
	hub.(*v2.Assembled).Spec.A = string(rune(assembly(1)))
	return nil
}

func (l *Assembled) ConvertFrom(hub interface{ Hub() }) error { return nil }

type Packed struct {
	shared.TypeMeta
	Spec struct{ A string }
}

//go:embed v1.go
var packed string

func (l *Packed) ConvertTo(hub interface{ Hub() }) error {
	hub.(*v2.Packed).Spec.A = packed
	return nil
}

func (l *Packed) ConvertFrom(hub interface{ Hub() }) error { return nil }
