package v1

import (
	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Copies, and other fields, that main changes.

var bagged = &Bag{Names: map[string]string{"a": "-"}}

// Bag has generated methods.
type Bag struct{ Names map[string]string }

// NewBag returns a copy that shares no memory.
func NewBag() *Bag { return bagged.DeepCopy() }

// FillBag copies to a field that another function changes.
func FillBag(s *Sack) { bagged.DeepCopyInto(&s.bag) }

// Sack has a copy.
type Sack struct{ bag Bag }

// Change changes the copy.
func (s *Sack) Change(prefix string) { s.bag.Names["a"] = prefix }

type Bagged struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Bagged) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Bagged).Spec.A = s.Spec.A + bagged.Names["a"]
	return nil
}

func (s *Bagged) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Bagged).Spec.A
	return nil
}

type pair struct{ one, other *Plain }

var paired = &Plain{"-"}

func putPaired(p **Plain) { *p = paired }

func openPair(p *pair) { putPaired(&p.one) }

// SetPaired changes memory in another field than the filled one.
func SetPaired(prefix string) {
	p := &pair{other: &Plain{}}
	openPair(p)
	p.other.Prefix = prefix
}

type Paired struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Paired) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Paired).Spec.A = s.Spec.A + paired.Prefix
	return nil
}

func (s *Paired) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Paired).Spec.A
	return nil
}

// initialNames goes to a field, and a generated copy of the field changes its own memory.
var initialNames = map[string]string{"a": "-"}

// Case has generated methods, too.
type Case struct{ Names map[string]string }

type Initialled struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Initialled) ConvertTo(hub conversion.Hub) error {
	named := &Case{Names: initialNames}
	hub.(*v2.Initialled).Spec.A = s.Spec.A + named.DeepCopy().Names["a"]
	return nil
}

func (s *Initialled) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Initialled).Spec.A
	return nil
}
