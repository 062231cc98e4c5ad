package module

import (
	"bytes"
	"context"
)

// witness is an object that a module has answered. A module that fails at it is broken; the objects
// of its clients are not the cause.
type witness struct {
	to     string
	object []byte
}

// maxWitness is the largest object kept as a witness: nearly all objects of a cluster are smaller.
const maxWitness = 64 << 10

// answered keeps the first object that the module answered. It needs no newer one: a module that
// answered an object answers it again.
func (m *Module) answered(to string, objects [][]byte) {
	if m.witness.Load() == nil && len(objects) > 0 && len(objects[0]) <= maxWitness {
		m.witness.Store(&witness{to, bytes.Clone(objects[0])})
	}
}

// works probes the module with an object that the client of the failing ones did not choose: one
// that it answered before, otherwise the first golden case, otherwise a made-up one. known is false
// if the call is inconclusive because its caller gave up or no instance was free.
func (m *Module) works(ctx context.Context, to string) (works, known bool) {
	w := m.witness.Load()
	if w == nil {
		w = m.firstWitness(to)
	}
	_, _, fault := m.once(ctx, w.to, [][]byte{w.object}, nil)
	return fault == nil, fault == nil || fault.blamesModule()
}

// firstWitness returns an object for a module that has not answered any yet.
func (m *Module) firstWitness(to string) *witness {
	edge, object := m.name.Edges()[0], []byte(nil)
	for _, e := range m.name.Edges() {
		if e.Group+"/"+e.To == to {
			edge = e
			break
		}
	}
	if cases := m.sidecar.Cases; len(cases) > 0 {
		edge, object = cases[0].Edge, cases[0].Object
	} else {
		object = selfTestObjects(edge.Group+"/"+edge.From, edge.Kind)[1] // with metadata, as all real ones have
	}
	return &witness{edge.Group + "/" + edge.To, m.view(edge, object)}
}
