// Package v1 has the previous versions.
// +groupName=verdicts.example.com
package v1

import (
	"fmt"
	"time"

	v2 "example.com/verdicts/v2"
)

// Decoded depends on the Go type of a number and on metadata that a module does not see.
type Decoded struct {
	v2.TypeMeta   `json:",inline"`
	v2.ObjectMeta `json:"metadata,omitempty"`
	Spec          Spec `json:"spec"`
}

type Spec struct {
	Value any   `json:"value,omitempty"`
	Time  int64 `json:"time,omitempty"`
}

func (d *Decoded) ConvertTo(hub v2.Hub) error {
	to := hub.(*v2.Decoded)
	to.ObjectMeta = d.ObjectMeta
	to.Spec = v2.Spec{Text: fmt.Sprintf("%T", d.Spec.Value), Value: d.Spec.Value}
	if d.ResourceVersion != "" {
		to.Spec.Text += " of a stored object"
	}
	return nil
}

func (d *Decoded) ConvertFrom(hub v2.Hub) error {
	from := hub.(*v2.Decoded)
	d.ObjectMeta = from.ObjectMeta
	d.Spec.Value = from.Spec.Value
	return nil
}

// Local depends on the time zone of the process, which no function that it calls has in its name.
type Local struct {
	v2.TypeMeta   `json:",inline"`
	v2.ObjectMeta `json:"metadata,omitempty"`
	Spec          Spec `json:"spec"`
}

func (l *Local) ConvertTo(hub v2.Hub) error {
	to := hub.(*v2.Local)
	to.ObjectMeta = l.ObjectMeta
	to.Spec.Text = time.Unix(l.Spec.Time, 0).Format(time.RFC3339)
	return nil
}

func (l *Local) ConvertFrom(hub v2.Hub) error {
	l.ObjectMeta = hub.(*v2.Local).ObjectMeta
	return nil
}
