package module

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	goruntime "runtime"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// quantum is the time after which a guest lets other goroutines run. Yields come more often, every
// 20 µs or so in guests that convert small objects, and a call of Gosched at each of them took a
// fifth of the time in a profile.
const quantum = time.Millisecond

// call is the state of a guest call for the host functions: the remaining fuel and time, the clock
// and random source, input, output and log. It belongs to one instance; begin prepares it for one
// call.
type call struct {
	fixedSources // the clock and the random source of WASI
	tank         // the fuel

	crowd   func() int64    // see Program; nil for one alone
	carrier context.Context // carries the call itself to the host functions, and nothing of the caller's context
	memory  memory.Linear
	log     *guestLog
	stdout  lineWriter
	stderr  lineWriter
	logLeft int
	stdin   []byte        // the unread input of a command
	output  *cappedBuffer // a command's stdout; nil if stdout goes to the log

	lastError   []byte     // the last message that the guest logged at level error
	guestMemory api.Memory // nil before there is an instance
	starting    bool       // the call makes or describes an instance, for messages

	ctx      context.Context // the caller's
	since    time.Time       // when the guest's quantum began
	deadline time.Time       // by the limit for one call; the caller's own is in ctx
	limit    time.Duration   // that limit, for messages
	born     time.Time       // the time from which until counts, so that a clock that is set changes nothing
	until    *atomic.Int64   // the deadline for other goroutines, in nanoseconds since born; 0 between calls
}

func newCall(log *guestLog, crowd func() int64) *call {
	c := &call{log: log, crowd: crowd, born: time.Now(), until: new(atomic.Int64)}
	c.carrier = context.WithValue(context.Background(), callKey{}, c)
	c.stdout = lineWriter{log: log, level: slog.LevelInfo, left: &c.logLeft}
	c.stderr = lineWriter{log: log, level: slog.LevelWarn, left: &c.logLeft}
	return c
}

// begin prepares for a call with limits of fuel, time and log bytes.
func (c *call) begin(ctx context.Context, fuel int64, limit time.Duration, logBytes int) {
	c.fixedSources.reset()
	c.ctx, c.total, c.left, c.logLeft, c.limit = ctx, fuel, fuel, logBytes, limit
	c.since = time.Now()
	c.deadline = c.since.Add(limit)
	c.until.Store(int64(c.deadline.Sub(c.born)))
	c.stdout.begin()
	c.stderr.begin()
	c.lastError, c.starting = c.lastError[:0], false
	if c.counter != nil {
		c.grant(c.stack)
	}
}

// beginStart prepares for making or describing an instance, which has its own limits.
func (c *call) beginStart(ctx context.Context, fuel int64, l *Limits) {
	c.begin(ctx, fuel, l.LoadTime, l.LogBytes)
	c.memory.Forget()
	c.starting = true
}

// attach gives the call the counter of its guest, which holds the initial stack.
func (c *call) attach(guest api.Module) {
	c.counter, c.guestMemory = guest.ExportedGlobal(meter.CounterGlobal).(api.MutableGlobal), guest.ExportedMemory(exportMemory)
	_, c.stack = meter.Unpack(c.counter.Get())
}

// end flushes the guest's output and returns the fuel that it used.
func (c *call) end() int64 {
	c.stdout.end()
	c.stderr.end()
	c.until.Store(0)
	c.ctx = nil
	return c.used()
}

// yield is called by the guest's injected code, on the goroutine that called the guest, when its
// fuel is below zero.
func (c *call) yield(guest api.Module) {
	c.find(guest)
	c.refill(meter.Unpack(c.counter.Get()))
}

// Charge takes fuel from the guest for the host's next work, and refills the fuel if it is below
// zero, as yield does.
func (c *call) Charge(guest api.Module, fuel int64) {
	c.find(guest)
	left, stack := meter.Unpack(c.counter.Get())
	if left -= fuel; left >= 0 {
		c.counter.Set(meter.Pack(left, stack))
		return
	}
	c.refill(left, stack)
}

// refill grants the next slice to a guest with so much fuel, below zero, and so much stack left, or
// unwinds it by a panic, which the engine turns into the call's error.
func (c *call) refill(fuel, stack int64) {
	// The next slice pays the overdraft, so that an expensive operation is not free.
	c.left += fuel
	c.counter.Set(meter.Pack(0, stack))
	now := time.Now()
	if now.Sub(c.since) >= quantum {
		c.memory.Unwatch(false)
		c.letOthersRun()
		now = time.Now()
		c.since = now
	}
	if stack < 0 {
		panic(stop{faultf(faults.Stack, "the module's call depth exceeded the limit (runaway recursion?)")})
	}
	if !now.Before(c.deadline) {
		panic(stop{c.overdue()})
	}
	if err := c.ctx.Err(); err != nil {
		panic(stop{faultf(faults.Deadline, "the request was cancelled while the module worked on it: %w", err).byCaller()})
	}
	if d, ok := c.ctx.Deadline(); ok && !now.Before(d) { // its timer may be late, like all goroutines beside a guest
		panic(stop{faultf(faults.Deadline, "the request was cancelled while the module worked on it: %w", context.DeadlineExceeded).byCaller()})
	}
	if c.left <= 0 {
		panic(stop{c.exhausted()})
	}
	c.grant(stack)
}

// letOthersRun lets other goroutines run, once for each guest that the module's owner has at work: a
// guest is one goroutine among many, and an owner with many guests gets no more of the processors than
// an owner with one. When nothing else can run, it costs some hundred nanoseconds.
func (c *call) letOthersRun() {
	turns := int64(1)
	if c.crowd != nil {
		turns = max(turns, c.crowd())
	}
	for range turns {
		goruntime.Gosched()
	}
}

// overdue is the fault of a guest that is still running at its deadline.
func (c *call) overdue() *FaultError {
	if c.starting {
		return faultf(faults.Deadline, "the module's start did not finish within the time limit of a start (%v)", c.limit)
	}
	return faultf(faults.Deadline, "the module did not finish within the time limit of a call (%v)", c.limit)
}

// exhausted is the fault of a guest that has used up its fuel.
func (c *call) exhausted() *FaultError {
	if c.starting {
		return faultf(faults.Fuel, "the module exceeded the fuel limit of a start (%d million units; an endless loop?)", c.total/1_000_000)
	}
	return faultf(faults.Fuel, "the module exceeded the fuel limit of this batch (%d million units; an endless loop?)", c.total/1_000_000)
}

// callKey finds the call in the context that the engine hands to host functions.
type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// slice is the most fuel that a guest gets at a time. It is a millisecond of work at most, and much
// less if functions are charged for branches that they do not take: short enough that Go's garbage
// collector and a passed deadline never wait long for a guest, and long enough that the yields cost
// little. The stack is checked only when a slice is used up, so a guest gets at most the fuel that
// the rest of its stack could take, but at least sliceMin, which takes 256 KiB of stack at most.
const (
	slice    = 1_000_000
	sliceMin = 256 << 10 / meter.FrameBytesPerFuel
)

// tank is the fuel of a call. The guest counts its own work down in a global, a slice at a time; the
// tank has the rest.
type tank struct {
	counter api.MutableGlobal // the guest's; nil before there is an instance
	stack   int64             // bytes of stack of a call
	left    int64             // fuel beyond the current slice
	total   int64             // for messages
}

// used is the fuel that the call has used so far.
func (t *tank) used() int64 { return t.total - t.remaining() }

// remaining is the unused fuel; negative if the last charge overdrew it.
func (t *tank) remaining() int64 {
	if t.counter == nil {
		return t.left
	}
	fuel, _ := meter.Unpack(t.counter.Get())
	return t.left + fuel
}

// grant gives the next slice of fuel to a guest with so much stack left.
func (t *tank) grant(stack int64) {
	granted := min(slice, max(stack/meter.FrameBytesPerFuel, sliceMin), t.left)
	t.left -= granted
	t.counter.Set(meter.Pack(granted, stack))
}

// find attaches the guest's counter for a start section, which runs before the engine hands us the
// instance.
func (t *tank) find(guest api.Module) {
	if t.counter == nil {
		t.counter = guest.ExportedGlobal(meter.CounterGlobal).(api.MutableGlobal)
	}
}

// A conversion is a pure function of its input and the module's bytes. The clock and the random
// source of WASI are therefore the same on every run: the clock starts at a fixed time and advances
// at every read, the random bytes are one fixed sequence. Both restart with every batch, so that
// the answers do not depend on earlier batches either.

// epoch is the start of every guest's clock: 2022-01-01T00:00:00Z, the engine's default, and later
// than any date that a program takes for an unset clock.
var epoch = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)

// tick is the step of the clock at each read; a guest that waits for time to pass continues.
const tick = time.Millisecond

// fixedSources are the clock and the random source of one instance. They belong to the goroutine
// that holds the instance.
type fixedSources struct {
	looks uint64
	draws uint64
}

func (s *fixedSources) reset() { *s = fixedSources{} }

// Walltime implements wasi.Host.
func (s *fixedSources) Walltime() int64 {
	s.looks++
	return epoch.Add(time.Duration(s.looks) * tick).UnixNano()
}

// Nanotime implements wasi.Host.
func (s *fixedSources) Nanotime() int64 {
	s.looks++
	return int64(s.looks) * int64(tick)
}

// Random fills b from the fixed sequence of splitmix64 (Steele, Lea and Flood, 2014), which is good
// enough to seed a hash table and not secret.
func (s *fixedSources) Random(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, s.draw())
	}
	if len(b) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], s.draw())
		copy(b, word[:])
	}
}

func (s *fixedSources) draw() uint64 {
	s.draws++
	z := s.draws * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// cappedBuffer keeps written bytes up to a bound; a negative left means that there were more.
// Writing never fails: a program that sees its stdout fail may do anything, and its answer is lost
// in any case.
type cappedBuffer struct {
	bytes.Buffer
	left int
}

func (b *cappedBuffer) write(p []byte) {
	if b.left >= 0 {
		if b.left -= len(p); b.left >= 0 {
			b.Buffer.Write(p)
		}
	}
}
