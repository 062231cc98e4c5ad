package module

import (
	"bytes"
	"context"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// Convert converts objects, all of one kind and in apiVersion from, to apiVersion to. converted has
// an entry for each object, in order, that aliases nothing else. refused is nil unless the module
// refused objects: it maps an index to the module's text, and converted is nil at that index.
//
// # Errors
//
// An error is a *FaultError: the whole batch failed, for the reason that its Fault method returns.
// The module's next call is not affected.
func (m *Module) Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return m.inBatches(ctx, to, objects, m.batch)
}

// ConvertUncounted is Convert without its metrics and counters. The circuit breaker counts as
// usual.
func (m *Module) ConvertUncounted(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return m.inBatches(ctx, to, objects, m.attempt)
}

// batchFunc converts objects in one call of one instance.
type batchFunc func(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError)

// inBatches converts objects in as many calls as their size takes, one after the other, and stops
// at the first fault. It starts no goroutines: API servers send one object in a review, and
// several reviews at once.
func (m *Module) inBatches(ctx context.Context, to string, objects [][]byte, batch batchFunc) (converted [][]byte, refused map[int]string, err error) {
	if len(objects) == 0 {
		return nil, nil, nil
	}
	start, left := 0, m.limits.ReplyBytes
	for _, end := range m.limits.cut(objects) {
		out, no, fault := batch(ctx, to, objects[start:end])
		if end-start == len(objects) { // one batch: its answers are held to their own limits
			if fault != nil {
				return nil, nil, fault
			}
			return out, no, nil
		}
		for _, o := range out {
			left -= len(o)
		}
		if fault == nil && left < 0 {
			fault = faultf(faults.Output, "the module's answers exceed the limit of %d bytes for one request", m.limits.ReplyBytes)
		}
		if fault != nil {
			return nil, nil, fault.after(start)
		}
		converted = append(slices.Grow(converted, len(objects)-start), out...)
		for i, why := range no {
			if refused == nil {
				refused = map[int]string{}
			}
			refused[start+i] = why
		}
		start = end
	}
	return converted, refused, nil
}

// cut returns the ends of the batches that objects are cut into.
func (l *Limits) cut(objects [][]byte) (ends []int) {
	bytes, count := 0, 0
	for i, o := range objects {
		if count > 0 && (bytes+len(o) > l.BatchBytes || count == l.BatchObjects) {
			ends = append(ends, i)
			bytes, count = 0, 0
		}
		bytes += len(o)
		count++
	}
	return append(ends, len(objects))
}

// batch converts objects in one call of one instance, and records it.
func (m *Module) batch(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	start := time.Now()
	converted, refused, fault = m.attempt(ctx, to, objects)
	m.counters.call(start, objects, fault)
	return converted, refused, fault
}

// attempt converts a batch, unless the breaker answers for the module.
func (m *Module) attempt(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	input := func() inputKey { return keyOf(to, objects) }
	if fault := m.breaker.admit(time.Now(), input); fault != nil {
		return nil, nil, fault
	}
	converted, refused, fault = m.call(ctx, to, objects)
	if fault == nil {
		m.witness.keep(to, objects)
	}
	if m.breaker.record(time.Now(), fault, input) {
		works, known := m.works(ctx, to)
		m.breaker.decide(time.Now(), works, known)
	}
	return converted, refused, fault
}

// Try converts objects in one call of one instance, past the circuit breaker, the metrics and the
// counters: for tests of a module that is being loaded. The results are those of Convert.
func (m *Module) Try(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	return m.call(ctx, to, objects)
}

// call converts a batch in one call of one instance, and turns a panic of the engine or of this
// package into a fault: on a goroutine without a recover it would end the process.
func (m *Module) call(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	defer func() {
		if r := recover(); r != nil {
			m.logger.Error("panic recovered; this is a bug", "err", r, "stack", string(debug.Stack()))
			fault = faultf(faults.Internal, "the gateway failed while running the module; its log says why")
		}
	}()
	if m.command {
		return m.program.runCommand(ctx, m.pool.reserve, to, objects)
	}
	in, fault := m.pool.borrow(ctx)
	if fault != nil {
		return nil, nil, fault
	}
	sound := false
	defer func() { m.pool.giveBack(in, sound) }()
	converted, refused, fault = in.batch(ctx, to, objects)
	sound = fault == nil
	return converted, refused, fault
}

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
