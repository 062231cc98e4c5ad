// Package shared has types that both versions have.
package shared

import (
	"fmt"
	"strings"
)

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name        string            `json:"name,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type GV struct{ Group, Version string }

// Template is copied by conversions and not looked into.
type Template struct {
	Image    string    `json:"image"`
	Args     []string  `json:"args"`
	Optional *Looked   `json:"optional,omitempty"`
	Inner    Untouched `json:"inner"`
	Skipped  int       `json:"skipped,omitempty"`
}

type Untouched struct {
	Count int `json:"count"`
}

func (t Template) Unused() string { return t.Image }

func (t *Template) DeepCopyInto(out *Template) {
	*out = *t
	out.Args = append([]string(nil), t.Args...)
}

func (t *Template) DeepCopy() *Template {
	out := new(Template)
	t.DeepCopyInto(out)
	return out
}

// Looked is looked into by a conversion.
type Looked struct {
	Size int `json:"size"`
}

// Compared is compared by a conversion.
type Compared struct {
	A string `json:"a"`
}

// Printed is given to fmt by a conversion.
type Printed struct {
	Deep Below `json:"deep"`
}

type Below struct {
	B int `json:"b"`
}

func (b Below) String() string { return strings.Repeat("b", b.B) }

// Embedded is embedded in Outer.
type Embedded struct {
	C string `json:"c"`
}

type Outer struct {
	Embedded `json:",inline"`
}

// Cast is the memory of another type in one version.
type Cast struct {
	D string `json:"d"`
}

func Describe(v any) string { return fmt.Sprint(v) }

func NotReached() string { return "not reached" }
