package module

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
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
