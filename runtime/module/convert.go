package module

import (
	"context"
	"runtime/debug"
	"slices"
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
	return m.inBatches(ctx, to, objects, func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
		return m.batch(ctx, to, objects)
	})
}

// ConvertUncounted is Convert without its metrics and counters. The circuit breaker counts as
// usual.
func (m *Module) ConvertUncounted(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return m.inBatches(ctx, to, objects, func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
		return m.attempt(ctx, to, objects)
	})
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
