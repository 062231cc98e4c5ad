package module

import (
	"context"
	"encoding/binary"
	"math"
	"reflect"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// instance is one running copy of a reactor module. The pool lends it to one goroutine at a time:
// two goroutines in one instance would corrupt the process, not only the answer (threat-model.md
// X12).
type instance struct {
	program *Program
	guest   api.Module
	memory  api.Memory
	alloc   guestFunction
	convert guestFunction
	globals []api.MutableGlobal
	// portable reports that globals are all mutable globals of the module.
	portable bool
	call     *call
	price    int64     // fuel used to make it
	used     time.Time // when it was last returned to the pool
	args     [2]uint64 // parameters and results of a call, to save an allocation
}

// newInstance instantiates the program and initialises the instance: from the image if there is one,
// otherwise by running _initialize.
func (p *Program) newInstance(ctx context.Context) (_ *instance, fault *FaultError) {
	in := &instance{program: p, call: newCall(p.log, p.crowd)}
	p.atWork.add(in.call)
	in.call.beginStart(ctx, p.fuelToStart(), &p.limits)
	defer func() {
		if r := recover(); r != nil { // the engine panics if it cannot allocate memory
			fault = faultf(faults.Internal, "instantiating the module: %v", r)
		}
		in.price = in.call.end()
		if fault != nil {
			in.close()
		}
	}()
	if in.call.left -= p.price; in.call.left < 0 {
		return nil, in.call.exhausted()
	}
	guest, err := p.engine.instantiate(in.call)
	if err != nil {
		return nil, in.call.faultOf(err)
	}
	in.guest = guest
	in.memory = guest.ExportedMemory(exportMemory)
	in.alloc = guestFunctionOf(guest, exportAlloc)
	in.convert = guestFunctionOf(guest, exportConvert)
	in.call.attach(guest)
	in.globals, in.portable = memory.Globals(guest, p.globals)
	if in.call.used() > p.limits.FuelToStart { // including the start section, which every instance runs
		return nil, faultf(faults.Fuel, "making an instance costs %d million units of fuel; %d million are allowed: move work from the start section to _initialize, and remove table elements", in.call.used()/1_000_000, p.limits.FuelToStart/1_000_000)
	}
	if p.image != nil {
		if !p.image.Install(&in.call.memory, in.memory, in.globals) {
			return nil, faultf(faults.Memory, "no memory for a new instance of the module")
		}
		return in, nil
	}
	if f := guest.ExportedFunction(exportInitialize); f != nil {
		if _, err := f.Call(in.call.carrier); err != nil {
			return nil, in.call.faultOf(err)
		}
	}
	if guest.IsClosed() {
		return nil, faultf(faults.Trap, "the module exited while it was being initialised")
	}
	return in, nil
}

// invoke calls one of the guest's functions, with an empty stack and the rest of the fuel that
// begin granted. in.args has the arguments and the result.
func (in *instance) invoke(f api.Function) error {
	c := in.call
	fuel, _ := meter.Unpack(c.counter.Get())
	c.counter.Set(meter.Pack(fuel, c.stack))
	return f.CallWithStack(in.call.carrier, in.args[:])
}

// batch converts objects in one call of the guest. It returns copies, not guest memory. After
// a fault the instance must not be used again.
func (in *instance) batch(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	limits := &in.program.limits
	size := requestSize(to, objects)
	fuel := int64(len(objects)+1)*limits.FuelPerObject + int64(size)*limits.FuelPerByte
	in.call.begin(ctx, fuel, limits.CallTime, limits.LogBytes)
	in.call.memory.Watch()
	defer func() {
		in.call.memory.Unwatch(true)
		in.program.counters.spent(in.call.end())
		in.program.counters.held(int64(in.memory.Size()))
		in.program.blocks.collect(in.guest)
	}()

	in.args[0] = uint64(uint32(size))
	if err := in.invoke(in.alloc.Function); err != nil {
		return nil, nil, in.call.faultOf(err)
	}
	at := uint32(in.args[0])
	if at == 0 {
		return nil, nil, faultf(faults.Memory, "the module has no memory for a request of %d bytes; an instance may have %d MiB", size, limits.MemoryPages/16)
	}
	request, ok := in.memory.Read(at, uint32(size))
	if !ok {
		return nil, nil, faultf(faults.ABI, "the module's buffer for a request of %d bytes, at %d, is not within its memory of %d bytes", size, at, in.memory.Size())
	}
	writeRequest(request, to, objects)

	in.args[0], in.args[1] = uint64(at), uint64(uint32(size))
	if err := in.invoke(in.convert.Function); err != nil {
		return nil, nil, in.call.faultOf(err)
	}
	if in.guest.IsClosed() {
		return nil, nil, faultf(faults.Trap, "the module exited instead of answering")
	}
	ptr, n := uint32(in.args[0]>>32), uint32(in.args[0])
	most := 0
	for _, o := range objects {
		most += 8 + max(limits.replyLimit(len(o)), maxRefusal)
	}
	if uint64(n) > uint64(most) {
		return nil, nil, faultf(faults.Output, "the module's response to %d object(s) has %d bytes; %d are allowed", len(objects), n, most)
	}
	view, ok := in.memory.Read(ptr, n)
	if !ok {
		return nil, nil, faultf(faults.ABI, "the module's response of %d bytes, at %d, is not within its memory of %d bytes", n, ptr, in.memory.Size())
	}
	// The view is the guest's memory: it is copied before it is read (faults.md A2, A3).
	return readResponse(copyOut(view), len(objects), func(i int) int { return limits.replyLimit(len(objects[i])) })
}

// copyBytes is the most that copyOut copies without a point at which the garbage collector can stop
// it: 25 to 100 µs, with the page faults.
const copyBytes = 256 << 10

// copyOut returns a copy of a part of the guest's memory. One copy of 64 MiB would take 10 to 40 ms,
// and the collector, and with it the process, would wait for its end.
func copyOut(view []byte) []byte {
	if len(view) <= copyBytes {
		return append([]byte(nil), view...)
	}
	out := make([]byte, len(view))
	for at := 0; at < len(view); at += copyBytes {
		copy(out[at:], view[at:min(at+copyBytes, len(view))])
	}
	return out
}

// describe returns the module's description of itself; nil if it has none.
func (in *instance) describe(ctx context.Context) ([]byte, *FaultError) {
	f := in.guest.ExportedFunction(exportDescribe)
	if f == nil {
		return nil, nil
	}
	in.call.beginStart(ctx, in.program.limits.FuelToLoad, &in.program.limits)
	defer in.call.end()
	if err := in.invoke(f); err != nil {
		return nil, in.call.faultOf(err)
	}
	const most = 64 << 10
	ptr, n := uint32(in.args[0]>>32), uint32(in.args[0])
	if n > most {
		return nil, faultf(faults.ABI, "%s returns %d bytes; %d are allowed", exportDescribe, n, most)
	}
	view, ok := in.memory.Read(ptr, n)
	if !ok {
		return nil, faultf(faults.ABI, "%s returns a region outside the module's memory", exportDescribe)
	}
	return append([]byte(nil), view...), nil
}

// dropStacks replaces the functions whose stacks are longer than keepStack.
func (in *instance) dropStacks() {
	if in.alloc.stackBytes() > keepStack {
		in.alloc = guestFunctionOf(in.guest, exportAlloc)
	}
	if in.convert.stackBytes() > keepStack {
		in.convert = guestFunctionOf(in.guest, exportConvert)
	}
}

// reset puts the instance back into its initial state and reports whether it can serve again.
func (in *instance) reset() bool {
	in.dropStacks()
	return in.program.image != nil && !in.guest.IsClosed() &&
		in.program.image.Install(&in.call.memory, in.memory, in.globals)
}

// close frees the instance. It must not be running.
func (in *instance) close() {
	if in == nil {
		return
	}
	in.program.atWork.drop(in.call)
	if in.guest != nil {
		_ = in.guest.Close(context.Background())
	}
}

// requestSize is the length of the frame that writeRequest writes.
func requestSize(desired string, objects [][]byte) int {
	n := 8 + len(desired)
	for _, o := range objects {
		n += 4 + len(o)
	}
	return n
}

// writeRequest writes the request frame of the ABI into dst, which has room for requestSize bytes.
func writeRequest(dst []byte, desired string, objects [][]byte) {
	le := binary.LittleEndian
	le.PutUint32(dst, uint32(len(objects)))
	le.PutUint32(dst[4:], uint32(len(desired)))
	at := 8 + copy(dst[8:], desired)
	for _, o := range objects {
		le.PutUint32(dst[at:], uint32(len(o)))
		at += 4 + copy(dst[at+4:], o)
	}
}

// The statuses of an answer in a response frame.
const (
	statusConverted = 0
	statusRefused   = 1
	statusCrashed   = 2 // the SDK caught a crash; the last answer of its response
)

// readResponse splits a response frame. frame is the gateway's own copy; converted aliases it.
// limit gives the most bytes that the answer for object i may have.
func readResponse(frame []byte, count int, limit func(i int) int) (converted [][]byte, refused map[int]string, fault *FaultError) {
	le := binary.LittleEndian
	rest := frame
	converted = make([][]byte, count)
	for i := range count {
		if len(rest) < 8 {
			return nil, nil, faultf(faults.ABI, "the module's response ends before the answer for object %d of %d", i, count)
		}
		status, n := le.Uint32(rest), le.Uint32(rest[4:])
		rest = rest[8:]
		if uint64(n) > uint64(len(rest)) {
			return nil, nil, faultf(faults.ABI, "the module's answer for object %d claims %d bytes; its response has %d left", i, n, len(rest))
		}
		body := rest[:n:n]
		rest = rest[n:]
		switch status {
		case statusConverted:
			if most := limit(i); len(body) > most {
				return nil, nil, faultf(faults.Output, "the module's answer for object %d has %d bytes; %d are allowed", i, len(body), most)
			}
			converted[i] = body
		case statusRefused:
			if refused == nil {
				refused = map[int]string{}
			}
			refused[i] = reason(body)
		case statusCrashed:
			return nil, nil, crashed(i, oneLine(foreign.Clean(body, maxRefusal)))
		default:
			return nil, nil, faultf(faults.ABI, "the module's answer for object %d has status %d; the ABI knows 0, 1 and 2", i, status)
		}
	}
	if len(rest) > 0 {
		return nil, nil, faultf(faults.ABI, "the module's response has %d bytes after its last answer", len(rest))
	}
	return converted, refused, nil
}

// crashed is the fault of a guest whose SDK caught a crash at an object.
func crashed(object int, said string) *FaultError {
	fault := faultf(faults.Trap, "the module crashed: %s", said)
	switch {
	case said == "":
		fault = faultf(faults.Trap, "the module crashed without a message")
	case saysOutOfMemory(said):
		fault = faultf(faults.Memory, "the module ran out of memory (--module-memory-bytes): %s", said)
	}
	fault.object = object + 1
	return fault
}

// reason returns a guest's text of a refusal.
func reason(b []byte) string {
	if s := foreign.Clean(b, maxRefusal); s != "" {
		return s
	}
	return "refused without a reason"
}

// guestFunction is a function of an instance that the gateway calls, with the call stack that the
// engine keeps for it. The stack begins with 10 KiB, doubles when a call goes deeper, up to 100 MB,
// and never shrinks.
type guestFunction struct {
	api.Function
	stack reflect.Value // the engine's slice
}

// keepStack is the longest stack that an instance keeps for a function. Go guests need 20 to 80
// KiB. A dropped stack costs an allocation and a copy for each doubling.
const keepStack = 512 << 10

// guestFunctionOf returns an exported function with a new stack; its Function is nil if the guest
// does not export it.
//
// The engine has no method for the stack, so its field is read. The meter's count does not help: it
// is an estimate, and it misses a call that goes deep and returns between two yields.
func guestFunctionOf(guest api.Module, name string) guestFunction {
	e := guestFunction{Function: guest.ExportedFunction(name)}
	if v := reflect.Indirect(reflect.ValueOf(e.Function)); v.Kind() == reflect.Struct {
		e.stack = v.FieldByName("stack")
	}
	return e
}

// stackBytes returns the length of the stack. If another release of the engine has no such field,
// every stack counts as too long, and TestDeepStackIsDroppedX27 fails.
func (e *guestFunction) stackBytes() int {
	if e.stack.Kind() != reflect.Slice {
		return math.MaxInt
	}
	return e.stack.Cap() * int(e.stack.Type().Elem().Size())
}
