// Package v1 has conversions with code that cannot run. A line says whether it can.
// +groupName=coverage.example.com
package v1

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/coverage/v2"
)

type Demo struct {
	shared.TypeMeta
	Spec struct {
		Size    int
		Written flags  `json:"written,omitempty"`
		Omitted *marks `json:"omitted,omitzero"`
	}
}

type flags struct{ a, b bool }

func (f flags) IsZero() bool {
	return f == flags{} // cannot run: no member is omitted for it
}

type marks struct{ a, b bool }

func (m *marks) IsZero() bool {
	return m == nil || *m == marks{} // can run
}

func (d *Demo) ConvertTo(raw conversion.Hub) error {
	switch hub := raw.(type) {
	case *v2.Demo:
		if err := size(&d.Spec.Size, &hub.Spec.Size); err != nil {
			return err // cannot run
		}
		if err := positive(d.Spec.Size); err != nil {
			return err // can run
		}
		return nil // can run
	default:
		return fmt.Errorf("not a %T", hub) // cannot run
	}
}

func (d *Demo) ConvertFrom(raw conversion.Hub) error {
	hub, ok := raw.(*v2.Demo)
	if !ok {
		return errors.New("not a Demo") // cannot run
	}
	if _, wrong := raw.(*Other); wrong {
		return errors.New("another kind") // cannot run
	}
	negated := func() error {
		d.Spec.Size = -hub.Spec.Size // can run
		return nil                   // can run
	}
	if err := negated(); err != nil {
		return err // cannot run
	}
	if err := call(negated); err != nil {
		return err // can run, as far as anybody knows
	}
	if err := twice(&d.Spec.Size); err != nil {
		return err // cannot run
	}
	if !defined(&d.Spec.Size) || !maybe(nil) || !maybe(&d.Spec.Size) {
		return nil // can run
	}
	if _, err := json.Marshal(d); err != nil {
		return err // cannot run
	}
	if err := keep(d); err != nil {
		return err // cannot run
	}
	if err := check(strict{}, d.Spec.Size); err != nil {
		return err // can run
	}
	if err := check(lenient{}, d.Spec.Size); err != nil {
		return err // can run, for a checker may fail
	}
	return nil
}

// keeper has one type whose methods never fail.
type keeper interface {
	keep() (kept, error)
	size() kept
}

type kept any

func (d *Demo) keep() (kept, error) {
	return &d.Spec, nil // can run
}

func (d *Demo) size() kept {
	if d.Spec.Size == 0 {
		return nil // can run
	}
	return d.Spec.Size // can run
}

func keep(k keeper) error {
	if k == nil {
		return errors.New("nothing to keep") // cannot run
	}
	v, err := k.keep()
	if err != nil {
		return err // cannot run
	}
	if v == nil {
		return errors.New("nothing kept") // cannot run
	}
	if k.size() == nil {
		return nil // can run
	}
	return nil // can run
}

type checker interface{ check(n int) error }

type strict struct{}

func (strict) check(n int) error {
	return positive(n) // can run
}

type lenient struct{}

func (lenient) check(int) error {
	return nil // can run
}

func check(c checker, n int) error {
	return c.check(n) // can run
}

func defined(n *int) bool {
	if n == nil {
		return false // cannot run
	}
	return *n > 0 // can run
}

func maybe(n *int) bool {
	if n == nil {
		return false // can run
	}
	return *n > 0 // can run
}

// size never fails, like most of conversion-gen's functions.
func size(in, out *int) error {
	*out = *in // can run
	return nil // can run
}

func call(f func() error) error {
	return f() // can run
}

func twice(n *int) error {
	if *n > 0 {
		*n *= 2 // can run
	}
	return size(n, n) // can run
}

type amount int

// String is called by fmt alone, where it prints one.
func (s amount) String() string {
	return "a size" // cannot run unless the place that prints does
}

func positive(n int) error {
	if n < 0 {
		return fmt.Errorf("%v is negative", amount(n)) // can run
	}
	return nil // can run
}

// uncalled is copied with nothing.
func uncalled(n int) error {
	return positive(n)
}

type Other struct{}

func (*Other) Hub() {}
