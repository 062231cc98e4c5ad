package v1

import (
	"fmt"
	"unsafe"

	"example.com/operator/api/shared"
	v2 "example.com/operator/api/v2"
	"example.com/operator/conversion"
)

func (d *Demo) ConvertTo(raw conversion.Hub) error {
	hub, ok := raw.(*v2.Demo)
	if !ok {
		return fmt.Errorf("not a %v", raw)
	}
	hub.ObjectMeta = d.ObjectMeta
	hub.Spec.Template = *d.Spec.Template.DeepCopy()
	hub.Spec.Looked = d.Spec.Looked
	hub.Spec.Looked.Size++
	if d.Spec.Compared != (shared.Compared{}) {
		hub.Spec.Compared = d.Spec.Compared
	}
	if d.Spec.Mode == "print" {
		return fmt.Errorf("printed: %s", shared.Describe(d.Spec.Printed))
	}
	hub.Spec.Printed, hub.Spec.Outer = d.Spec.Printed, d.Spec.Outer
	hub.Spec.Cast = *(*[]shared.Cast)(unsafe.Pointer(&d.Spec.Cast))
	for name, p := range d.Spec.Pods {
		if hub.Spec.Pods == nil {
			hub.Spec.Pods = map[string]v2.Pods{}
		}
		hub.Spec.Pods[name] = v2.Pods{Template: p.Template}
	}
	hub.Spec.Mode = d.Spec.Mode
	if m, ok := modes[d.Spec.Mode]; ok {
		hub.Spec.Mode = m
	}
	return nil
}

func (d *Demo) ConvertFrom(raw conversion.Hub) error {
	hub, ok := raw.(*v2.Demo)
	if !ok {
		return fmt.Errorf("not for a %T", d) // which prints no field
	}
	d.ObjectMeta = hub.ObjectMeta
	d.Spec.Template = hub.Spec.Template
	d.Spec.Looked, d.Spec.Compared, d.Spec.Printed, d.Spec.Outer = hub.Spec.Looked, hub.Spec.Compared, hub.Spec.Printed, hub.Spec.Outer
	d.Spec.Looked.Size--
	d.Spec.Cast = *(*[]OldCast)(unsafe.Pointer(&hub.Spec.Cast))
	for name, p := range hub.Spec.Pods {
		if d.Spec.Pods == nil {
			d.Spec.Pods = map[string]Pods{}
		}
		d.Spec.Pods[name] = Pods{Template: p.Template.DeepCopy()}
	}
	d.Spec.Mode = hub.Spec.Mode
	return nil
}
