package v1

import (
	"fmt"
	"maps"
	"strings"

	v2 "example.com/attacked/v2"
)

// namesKey is the annotation that keeps the names of ports.
const namesKey = "attacked.example.com/port-names"

var modes = map[string]v2.Mode{"layer2": v2.ModeLayer2, "bgp": v2.ModeBGP}

func (p *Pool) ConvertTo(raw v2.Hub) error {
	hub := raw.(*v2.Pool)
	hub.ObjectMeta = p.ObjectMeta
	mode, ok := modes[p.Spec.Protocol]
	if !ok && p.Spec.Protocol != "" {
		return fmt.Errorf("the protocol %q is not known", p.Spec.Protocol)
	}
	hub.Spec.Mode = mode
	hub.Spec.Owner = p.Spec.Owner
	hub.Spec.Contact = p.Spec.Contact
	hub.Spec.Zones = p.Spec.Zones
	names := strings.Split(p.Annotations[namesKey], ",")
	for i, number := range p.Spec.Ports {
		port := v2.Port{Number: number, Target: number}
		if i < len(p.Spec.Targets) {
			port.Target = p.Spec.Targets[i]
		}
		if i < len(names) {
			port.Name = names[i]
		}
		hub.Spec.Ports = append(hub.Spec.Ports, port)
	}
	if p.Spec.Soft != 0 || p.Spec.Hard > 0 {
		hub.Spec.Limit = &v2.Limit{Soft: p.Spec.Soft, Hard: p.Spec.Hard}
	}
	return nil
}

func (p *Pool) ConvertFrom(raw v2.Hub) error {
	hub := raw.(*v2.Pool)
	p.ObjectMeta = hub.ObjectMeta
	for name, mode := range modes {
		if mode == hub.Spec.Mode {
			p.Spec.Protocol = name
		}
	}
	p.Spec.Owner = hub.Spec.Owner
	p.Spec.Contact = hub.Spec.Contact
	p.Spec.Zones = hub.Spec.Zones
	var names []string
	for _, port := range hub.Spec.Ports {
		p.Spec.Ports = append(p.Spec.Ports, port.Number)
		p.Spec.Targets = append(p.Spec.Targets, port.Target)
		names = append(names, port.Name)
	}
	if len(names) > 0 {
		p.Annotations = maps.Clone(p.Annotations)
		if p.Annotations == nil {
			p.Annotations = map[string]string{}
		}
		p.Annotations[namesKey] = strings.Join(names, ",")
	}
	if hub.Spec.Limit != nil {
		p.Spec.Soft, p.Spec.Hard = hub.Spec.Limit.Soft, hub.Spec.Limit.Hard
	}
	return nil
}
