package v1

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	v2 "example.com/toy/v2"
)

// zonesKey is the annotation that keeps the zones.
const zonesKey = "toy.example.com/zones"

// ConvertTo converts to v2, and restores the zones.
func (p *Pool) ConvertTo(_ context.Context, to any) error {
	other := to.(*v2.Pool)
	other.ObjectMeta, other.Status = p.ObjectMeta, p.Status
	switch p.Spec.Protocol {
	case Layer2:
		other.Spec.Mode = v2.ModeLayer2
	case BGP:
		other.Spec.Mode = v2.ModeBGP
	case "":
	default:
		return fmt.Errorf("the protocol %q is not known", p.Spec.Protocol)
	}
	other.Spec.Size, other.Spec.Ports = p.Spec.Replicas, p.Spec.Ports
	if p.Spec.Owner != "" {
		other.Spec.Owner = v2.Owner{Name: p.Spec.Owner, Namespace: cmp.Or(p.Namespace, "default")}
	}
	if text, ok := p.Annotations[zonesKey]; ok {
		other.Annotations = maps.Clone(p.Annotations)
		delete(other.Annotations, zonesKey)
		return json.Unmarshal([]byte(text), &other.Spec.Zones)
	}
	return nil
}

// ConvertFrom converts from v2, and keeps the zones.
func (p *Pool) ConvertFrom(_ context.Context, from any) error {
	other := from.(*v2.Pool)
	p.ObjectMeta, p.Status = other.ObjectMeta, other.Status
	switch other.Spec.Mode {
	case v2.ModeLayer2:
		p.Spec.Protocol = Layer2
	case v2.ModeBGP:
		p.Spec.Protocol = BGP
	}
	p.Spec.Replicas, p.Spec.Ports, p.Spec.Owner = other.Spec.Size, other.Spec.Ports, other.Spec.Owner.Name
	if len(other.Spec.Zones) > 0 {
		text, err := json.Marshal(other.Spec.Zones)
		if err != nil {
			return err
		}
		p.Annotations = maps.Clone(other.Annotations)
		if p.Annotations == nil {
			p.Annotations = map[string]string{}
		}
		p.Annotations[zonesKey] = string(text)
	}
	return nil
}
