package v1

import (
	"encoding/json"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Copies, closures, interfaces and maps between functions.

type box struct{ inside *Plain }

var whole = box{&Plain{"-"}}

func newBox() *box {
	b := new(box)
	*b = whole
	return b
}

// SetWhole changes memory that a copied struct shares.
func SetWhole(prefix string) { newBox().inside.Prefix = prefix }

type Whole struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Whole) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Whole).Spec.A = s.Spec.A + whole.inside.Prefix
	return nil
}

func (s *Whole) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Whole).Spec.A
	return nil
}

var decoded = &Plain{"-"}

func putDecoded(p **Plain) { *p = decoded }

// SetDecoded decodes to where a pointer leads.
func SetDecoded(text string) error {
	var p *Plain
	putDecoded(&p)
	return json.Unmarshal([]byte(text), &p)
}

type Decoded struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Decoded) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Decoded).Spec.A = s.Spec.A + decoded.Prefix
	return nil
}

func (s *Decoded) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Decoded).Spec.A
	return nil
}

var spread = &Plain{"-"}

func putAll(to ...**Plain) {
	for _, p := range to {
		*p = spread
	}
}

// SetSpread fills a variable in a list of arguments.
func SetSpread(prefix string) {
	var p *Plain
	putAll(&p)
	p.Prefix = prefix
}

type Spread struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Spread) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Spread).Spec.A = s.Spec.A + spread.Prefix
	return nil
}

func (s *Spread) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Spread).Spec.A
	return nil
}

var literal = &Plain{"-"}

// SetLiteral fills a variable by the parameter of a closure.
func SetLiteral(prefix string) {
	var p *Plain
	put := func(to **Plain) { *to = literal }
	put(&p)
	p.Prefix = prefix
}

type Literal struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Literal) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Literal).Spec.A = s.Spec.A + literal.Prefix
	return nil
}

func (s *Literal) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Literal).Spec.A
	return nil
}

var answered = &Plain{"-"}

// SetAnswered changes the result of a closure.
func SetAnswered(prefix string) {
	get := func() *Plain { return answered }
	get().Prefix = prefix
}

type Answered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Answered) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Answered).Spec.A = s.Spec.A + answered.Prefix
	return nil
}

func (s *Answered) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Answered).Spec.A
	return nil
}

var untyped = &Plain{"-"}

func putUntyped(to any) { *to.(**Plain) = untyped }

func openUntyped(d *drawer) { putUntyped(&d.plain) }

// SetUntyped fills a field by way of an interface.
func SetUntyped(prefix string) {
	d := &drawer{}
	openUntyped(d)
	d.plain.Prefix = prefix
}

type Untyped struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Untyped) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Untyped).Spec.A = s.Spec.A + untyped.Prefix
	return nil
}

func (s *Untyped) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Untyped).Spec.A
	return nil
}

var (
	indexed = &Plain{"-"}
	index   = map[string]*Plain{}
)

func theIndex() map[string]*Plain { return index }

// Index stores the memory in a map that a function returns.
func Index() { theIndex()["a"] = indexed }

// SetIndexed changes memory in the map.
func SetIndexed(prefix string) { index["a"].Prefix = prefix }

type Indexed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Indexed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Indexed).Spec.A = s.Spec.A + indexed.Prefix
	return nil
}

func (s *Indexed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Indexed).Spec.A
	return nil
}

var (
	inUse     = &Plain{"-"}
	installed *Plain
)

// Use stores the memory in a variable.
func Use() { installed = inUse }

// SetInstalled gives the variable's address to a function that changes the memory.
func SetInstalled(prefix string) { rename(&installed, prefix) }

type Installed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Installed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Installed).Spec.A = s.Spec.A + inUse.Prefix
	return nil
}

func (s *Installed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Installed).Spec.A
	return nil
}

var applied = &Plain{"-"}

func apply(put func(**Plain), prefix string) {
	var p *Plain
	put(&p)
	p.Prefix = prefix
}

// SetApplied gives a function that fills a variable to another.
func SetApplied(prefix string) { apply(func(to **Plain) { *to = applied }, prefix) }

type Applied struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Applied) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Applied).Spec.A = s.Spec.A + applied.Prefix
	return nil
}

func (s *Applied) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Applied).Spec.A
	return nil
}

var provided = &Plain{"-"}

func provide() *Plain { return provided }

func change(get func() *Plain, prefix string) { get().Prefix = prefix }

// SetProvided gives a function that returns the memory to another.
func SetProvided(prefix string) { change(provide, prefix) }

type Provided struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Provided) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Provided).Spec.A = s.Spec.A + provided.Prefix
	return nil
}

func (s *Provided) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Provided).Spec.A
	return nil
}
