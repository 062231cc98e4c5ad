package module

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// Program is a compiled module. Instances are made of it, all in the same initial state. It is safe
// for concurrent use once Start has returned its module. Close closes a Program
// of which no module was started.
type Program struct {
	engine     *engine
	limits     Limits
	globals    []string // the mutable globals' export names, from the meter
	resettable bool     // from the meter: memory and globals are the only state
	blocks     blocks
	price      int64         // from the meter: the price of an instance, before any of its code runs
	image      *memory.Image // of the initial state; nil for a command, or if the state cannot be reset

	log      *guestLog
	counters *counters
	atWork   callSet
	crowd    func() int64 // the instances that the module's owner has at work, this one included; nil without a pool
}

// CompileConfig configures Compile.
type CompileConfig struct {
	Limits Limits
	// Interpret runs the module on the interpreter instead of compiling it.
	Interpret bool
	// Code has the compiled code, or gets it; nil for neither. It must come from the compile cache
	// or a vetting child: the engine runs code from it as it is. The Program closes it.
	Code wazero.CompilationCache
}

// Compile compiles a module that the meter has rewritten.
func Compile(ctx context.Context, m *meter.Rewritten, c CompileConfig) (*Program, error) {
	e, err := newEngine(ctx, m, c.Limits, c.Interpret, c.Code)
	if err != nil {
		return nil, err
	}
	return &Program{engine: e, limits: c.Limits, globals: m.Globals, resettable: m.Resettable, price: m.InstanceFuel, blocks: blocks{of: m.Blocks, globals: m.BlockGlobals}}, nil
}

// Close frees the compiled code and the image. No call may be in progress.
func (p *Program) Close() {
	if p.image != nil {
		p.image.Close()
	}
	p.engine.close()
}

// startsAnew reports whether each batch gets a new instance, because an image cannot reset one to
// its initial state.
func (p *Program) startsAnew() bool { return !p.resettable }

// fuelToStart is the fuel for making an instance: for one that is made for a batch, the same as for
// starting a command.
func (p *Program) fuelToStart() int64 {
	if p.startsAnew() || p.image != nil {
		return p.limits.FuelToStart
	}
	return p.limits.FuelToLoad
}

// counters count a module's work for its metrics and its status. They are safe for concurrent use.
type counters struct {
	metrics *moduleMetrics

	work    atomic.Int64 // fuel used by all calls
	peak    atomic.Int64 // the largest memory of an instance at the end of a call, in bytes; see PeakMemory
	calls   atomic.Int64
	objects atomic.Int64
	faults  atomic.Int64
	last    atomic.Pointer[lastFault]
}

type lastFault struct {
	at      time.Time
	message string
}

// call counts a call that began at start.
func (c *counters) call(start time.Time, objects [][]byte, fault *FaultError) {
	c.calls.Add(1)
	c.objects.Add(int64(len(objects)))
	c.metrics.duration.Observe(time.Since(start).Seconds())
	c.metrics.objects.Add(float64(len(objects)))
	if fault == nil || fault.callers {
		return
	}
	c.metrics.faults[fault.Kind].Inc()
	if fault.BlamesModule() {
		c.faults.Add(1)
		c.last.Store(&lastFault{time.Now(), fault.Error()})
	}
}

// spent counts fuel that a call used.
func (c *counters) spent(fuel int64) {
	c.work.Add(fuel)
	c.metrics.fuel.Add(float64(fuel))
}

// held records the memory of an instance at the end of a call.
func (c *counters) held(bytes int64) {
	for most := c.peak.Load(); bytes > most && !c.peak.CompareAndSwap(most, bytes); {
		most = c.peak.Load()
	}
}

// blocks are the blocks of a module's code that have run, if the meter counts them.
type blocks struct {
	of      int
	globals []string // the meter's, of each instance

	mu  sync.Mutex
	ran []uint64 // a bit for each block, as in the globals
}

// collect adds the blocks that have run in an instance.
func (b *blocks) collect(guest api.Module) {
	if len(b.globals) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ran == nil {
		b.ran = make([]uint64, len(b.globals))
	}
	for i, name := range b.globals {
		if g := guest.ExportedGlobal(name); g != nil {
			b.ran[i] |= g.Get()
		}
	}
}

// count returns how many blocks have run, and how many there are.
func (b *blocks) count() (ran, of int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, marks := range b.ran {
		ran += bits.OnesCount64(marks)
	}
	return ran, b.of
}
