package v1

import (
	"flag"
	"fmt"
	"net/url"
	"strings"
	"text/template"

	"example.com/memory/conversion"
	"example.com/memory/shared"
	v2 "example.com/memory/v2"
)

// Values of the standard library that a main changes.

var scanned = "-"

func Configure(text string) error {
	_, err := fmt.Sscan(text, &scanned)
	return err
}

type Scanned struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Scanned) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Scanned).Spec.A = s.Spec.A + scanned
	return nil
}

func (s *Scanned) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Scanned).Spec.A
	return nil
}

var order = []string{"-", "x"}

func Order() []string { return order }

type Reversed struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Reversed) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Reversed).Spec.A = s.Spec.A + order[0]
	return nil
}

func (s *Reversed) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Reversed).Spec.A
	return nil
}

var Template = template.Must(template.New("t").Parse("-"))

type Rendered struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Rendered) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Rendered).Spec.A = s.Spec.A + render()
	return nil
}

func (s *Rendered) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Rendered).Spec.A
	return nil
}

var raw = "-"

func Raw() *string { return &raw }

type Unsafe struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Unsafe) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Unsafe).Spec.A = s.Spec.A + raw
	return nil
}

func (s *Unsafe) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Unsafe).Spec.A
	return nil
}

var bind = "-"

func Flags() *flag.FlagSet {
	s := flag.NewFlagSet("v1", flag.ContinueOnError)
	s.StringVar(&bind, "prefix", "-", "")
	return s
}

type Bind struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Bind) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Bind).Spec.A = s.Spec.A + bind
	return nil
}

func (s *Bind) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Bind).Spec.A
	return nil
}

var Query = url.Values{"a": {"-"}}

type Deleted struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Deleted) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Deleted).Spec.A = s.Spec.A + Query.Get("a")
	return nil
}

func (s *Deleted) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Deleted).Spec.A
	return nil
}

func looked() string {
	if f := flag.Lookup("memory-prefix"); f != nil {
		return f.Value.String()
	}
	return "-"
}

type Looked struct {
	shared.TypeMeta
	Spec shared.Spec
}

func (s *Looked) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Looked).Spec.A = s.Spec.A + looked()
	return nil
}

func (s *Looked) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Looked).Spec.A
	return nil
}

func render() string {
	var b strings.Builder
	_ = Template.Execute(&b, nil)
	return b.String()
}
