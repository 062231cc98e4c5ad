package module

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// Module is a loaded converter: compiled, checked, with an image of its initial state. It is safe
// for concurrent use. The caller of Load closes it.
type Module struct {
	name        artifact.Name
	digest      string // hex sha256 of the file
	contentSum  [sha256.Size]byte
	sidecar     *artifact.Sidecar
	size        int           // of the file, in bytes
	wasmSize    int           // of the rewritten module, in bytes
	took        time.Duration // load time
	description Description
	declared    artifact.DeclaredPaths // that it declares, itself or in its sidecar
	command     bool

	limits     Limits
	engine     *engine
	globals    []string      // the mutable globals' export names, from the meter
	resettable bool          // from the meter: memory and globals are the only state
	price      int64         // from the meter: the price of an instance, before any of its code runs
	memory     *loadedMemory // counts footprint
	footprint  int64         // memory in bytes, until it is closed
	image      *memory.Image // nil for a command, or if the state cannot be reset
	pool       *pool
	breaker    breaker
	atWork     callSet
	guestLog   *guestLog
	logger     *slog.Logger
	metrics    *moduleMetrics

	witness atomic.Pointer[witness]
	work    atomic.Int64 // fuel used by all calls
	peak    atomic.Int64 // the largest memory of an instance at the end of a call, in bytes; see PeakMemory
	calls   atomic.Int64
	objects atomic.Int64
	faults  atomic.Int64
	last    atomic.Pointer[lastFault]
}

// Description is a module's description of itself (crosswalk_describe). The gateway does not verify
// it.
type Description struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	SDK      string `json:"sdk,omitempty"`
	Source   string `json:"source,omitempty"`
	Licence  string `json:"licence,omitempty"`
}

type lastFault struct {
	at      time.Time
	message string
}

// Name returns the module's file name.
func (m *Module) Name() string { return m.name.File }

// Digest returns the SHA-256 of the module's file in hexadecimal, as sha256sum prints it.
func (m *Module) Digest() string { return m.digest }

// Convert converts objects, all of one kind and in apiVersion from, to apiVersion to. converted has
// an entry for each object, in order, that aliases nothing else. refused is nil unless the module
// refused objects: it maps an index to the module's text, and converted is nil at that index.
//
// # Errors
//
// An error is a *FaultError: the whole batch failed, for the reason that its Fault method returns.
// The module's next call is not affected.
func (m *Module) Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error) {
	return m.ConvertInto(ctx, from, to, objects, nil)
}

// ConvertInto is Convert with the results in memory of the caller: room returns a slice of the given
// length, which ConvertInto overwrites, for the results of one or more objects. If room is nil or
// returns nil, they are in new memory.
func (m *Module) ConvertInto(ctx context.Context, from, to string, objects [][]byte, room func(size int) []byte) (converted [][]byte, refused map[int]string, err error) {
	return m.inBatches(ctx, to, objects, func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
		return m.batch(ctx, to, objects, room)
	})
}

// ConvertUncounted is ConvertInto without its metrics and counters. The circuit breaker counts as
// usual.
func (m *Module) ConvertUncounted(ctx context.Context, to string, objects [][]byte, room func(size int) []byte) (converted [][]byte, refused map[int]string, err error) {
	return m.inBatches(ctx, to, objects, func(ctx context.Context, to string, objects [][]byte) ([][]byte, map[int]string, *FaultError) {
		return m.attempt(ctx, to, objects, room)
	})
}

// batchFunc converts objects in one call of one instance.
type batchFunc func(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError)

// inBatches converts objects in as many calls as their size takes, one after the other, and stops
// at the first fault. It starts no goroutines: the host's workers already convert the chunks of a
// review in parallel.
func (m *Module) inBatches(ctx context.Context, to string, objects [][]byte, batch batchFunc) (converted [][]byte, refused map[int]string, err error) {
	if len(objects) == 0 {
		return nil, nil, nil
	}
	start, left := 0, m.limits.ReplyBytes
	for _, end := range m.cut(objects) {
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
func (m *Module) cut(objects [][]byte) (ends []int) {
	bytes, count := 0, 0
	for i, o := range objects {
		if count > 0 && (bytes+len(o) > m.limits.BatchBytes || count == m.limits.BatchObjects) {
			ends = append(ends, i)
			bytes, count = 0, 0
		}
		bytes += len(o)
		count++
	}
	return append(ends, len(objects))
}

// batch converts objects in one call of one instance, and records it. room is that of ConvertInto.
func (m *Module) batch(ctx context.Context, to string, objects [][]byte, room func(size int) []byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	start := time.Now()
	converted, refused, fault = m.attempt(ctx, to, objects, room)
	m.count(start, objects, fault)
	return converted, refused, fault
}

// attempt converts a batch, unless the breaker answers for the module.
func (m *Module) attempt(ctx context.Context, to string, objects [][]byte, room func(size int) []byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	input := func() inputKey { return keyOf(to, objects) }
	if fault := m.breaker.admit(time.Now(), input); fault != nil {
		return nil, nil, fault
	}
	converted, refused, fault = m.once(ctx, to, objects, room)
	if fault == nil {
		m.answered(to, objects)
	}
	if m.breaker.record(time.Now(), fault, input) {
		works, known := m.works(ctx, to)
		m.breaker.decide(time.Now(), works, known)
	}
	return converted, refused, fault
}

// once converts a batch, and turns a panic of the engine or of this package into a fault: on a
// goroutine without a recover it would end the process.
func (m *Module) once(ctx context.Context, to string, objects [][]byte, room func(size int) []byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	defer func() {
		if r := recover(); r != nil {
			m.logger.Error("panic recovered; this is a bug", "err", r, "stack", string(debug.Stack()))
			fault = faultf(faults.Internal, "the gateway failed while running the module; its log says why")
		}
	}()
	if m.command {
		return m.runCommand(ctx, to, objects)
	}
	in, fault := m.pool.borrow(ctx)
	if fault != nil {
		return nil, nil, fault
	}
	sound := false
	defer func() { m.pool.giveBack(in, sound) }()
	converted, refused, fault = in.batch(ctx, to, objects, room)
	sound = fault == nil
	return converted, refused, fault
}

// count records a call in the metrics and in the module's status.
func (m *Module) count(start time.Time, objects [][]byte, fault *FaultError) {
	m.calls.Add(1)
	m.objects.Add(int64(len(objects)))
	m.metrics.duration.Observe(time.Since(start).Seconds())
	m.metrics.objects.Add(float64(len(objects)))
	if fault == nil || fault.callers {
		return
	}
	m.metrics.faults[fault.Kind].Inc()
	if fault.blamesModule() {
		m.faults.Add(1)
		m.last.Store(&lastFault{time.Now(), fault.Error()})
	}
}

// spent records fuel that a call used.
func (m *Module) spent(fuel int64) {
	m.work.Add(fuel)
	m.metrics.fuel.Add(float64(fuel))
}

// held records the memory of an instance at the end of a call.
func (m *Module) held(bytes int64) {
	for most := m.peak.Load(); bytes > most && !m.peak.CompareAndSwap(most, bytes); {
		most = m.peak.Load()
	}
}

// Close frees the module. Nothing may use it any more.
func (m *Module) Close() {
	if m.pool != nil {
		m.pool.close()
	}
	if m.image != nil {
		m.image.Close()
	}
	m.engine.close()
	m.letGo()
}
