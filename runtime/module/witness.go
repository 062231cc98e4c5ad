package module

import (
	"bytes"
	"context"
	"sync/atomic"
)

// witness is an object that a module has answered. A module that fails at it is broken; the objects
// of its clients are not the cause.
type witness struct {
	to     string
	object []byte
}

// maxWitness is the largest object kept as a witness: nearly all objects of a cluster are smaller.
const maxWitness = 64 << 10

// witnessBox has the witness of a module. It is safe for concurrent use.
type witnessBox struct{ kept atomic.Pointer[witness] }

// keep keeps the first object that the module answered. It needs no newer one: a module that
// answered an object answers it again.
func (b *witnessBox) keep(to string, objects [][]byte) {
	if b.kept.Load() == nil && len(objects) > 0 && len(objects[0]) <= maxWitness {
		b.kept.Store(&witness{to, bytes.Clone(objects[0])})
	}
}

// works probes the module with an object that the client of the failing ones did not choose: one
// that it answered before, otherwise the first golden case, otherwise a made-up one. known is false
// if the call is inconclusive because its caller gave up or no instance was free.
func (m *Module) works(ctx context.Context, to string) (works, known bool) {
	w := m.witness.kept.Load()
	if w == nil {
		w = m.firstWitness(to)
	}
	_, _, fault := m.Try(ctx, w.to, [][]byte{w.object})
	return fault == nil, fault == nil || fault.BlamesModule()
}

// firstWitness returns an object for a module that has not answered any yet.
func (f *facts) firstWitness(to string) *witness {
	edge, object := f.name.Edges()[0], []byte(nil)
	for _, e := range f.name.Edges() {
		if e.Group+"/"+e.To == to {
			edge = e
			break
		}
	}
	if cases := f.sidecar.Cases; len(cases) > 0 {
		edge, object = cases[0].Edge, cases[0].Object
	} else {
		object = SampleObjects(edge.Group+"/"+edge.From, edge.Kind)[1] // with metadata, as all real ones have
	}
	return &witness{edge.Group + "/" + edge.To, f.View(edge, object)}
}
