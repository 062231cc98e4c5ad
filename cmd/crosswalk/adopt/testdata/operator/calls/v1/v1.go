// Package v1 calls functions in each way that Go has.
// +groupName=calls.example.com
package v1

import (
	"fmt"
	"sort"

	"example.com/operator/api/shared"
	v2 "example.com/operator/calls/v2"
	"example.com/operator/conversion"
)

type Demo struct {
	shared.TypeMeta
	Spec struct {
		A       []string
		Mode    Mode
		Printed Printed
	}
}

// Mode is decoded by its method.
type Mode string

func (m *Mode) UnmarshalText(text []byte) error { *m = Mode(text); return nil }

// Other has the same method, and no value of it exists.
type Other string

func (m *Other) UnmarshalText(text []byte) error { return nil }

// Printed is given to fmt.
type Printed struct{ B int }

func (p Printed) String() string { return "printed" }

type list []string

func (l list) Len() int           { return len(l) }
func (l list) Less(i, j int) bool { return l[i] < l[j] }
func (l *list) Swap(i, j int)     { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

type sized interface{ size() int }

type byInterface int

func (b byInterface) size() int { return int(b) }

// neverIn is in no interface: its method is copied, but not called.
type neverIn struct{ Other Other }

func (neverIn) size() int { return 0 }

var table = map[string]func(){"a": inTable, "b": func() {}}

func inTable() {}

func passed() {}

func static(n neverIn) {}

func generic[T any](v T) {}

func (d *Demo) ConvertTo(raw conversion.Hub) error {
	hub := raw.(*v2.Demo)
	static(neverIn{})
	generic(1)
	table["a"]()
	call := passed
	call()
	func() { hub.Spec.A = d.Spec.A }()
	l := list(hub.Spec.A)
	sort.Sort(&l)
	var s sized = byInterface(1)
	if s.size() > 1 {
		return fmt.Errorf("printed: %v", d.Spec.Printed)
	}
	return nil
}

func (d *Demo) ConvertFrom(raw conversion.Hub) error { return nil }
