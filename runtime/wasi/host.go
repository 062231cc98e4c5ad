package wasi

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// ModuleName is the name under which guests import WASI.
const ModuleName = "wasi_snapshot_preview1"

// Host is the gateway's side of one guest call.
type Host interface {
	// Charge takes fuel from the guest. It unwinds the guest by a panic when the guest's fuel is
	// used up or a deadline has passed.
	Charge(guest api.Module, fuel int64)
	// Walltime and Nanotime are the guest's clocks, in nanoseconds.
	Walltime() int64
	Nanotime() int64
	// FuelUsed is the fuel that the guest's call has used so far: its processor time in nanoseconds,
	// by the price list.
	FuelUsed() int64
	// Random fills p with the next bytes of the guest's random sequence.
	Random(p []byte)
	// ReadStdin copies the next bytes of stdin to p and returns their number; 0 is the end.
	ReadStdin(p []byte) int
	// WriteStdio takes the bytes that the guest writes to fd, which is 1 or 2. It charges for its
	// own work and does not keep p.
	WriteStdio(guest api.Module, fd uint32, p []byte)
}

// The price list. A unit of fuel is about a nanosecond of work; BenchmarkHostCallFuel in package
// runtime compares the prices.
const (
	// CallFuel is the price of any call of the host. Leaving compiled code, finding the host and
	// coming back take 50 to 150 ns; the rest is for the fixed part of the function's work.
	CallFuel = 200
	// entryFuel is the price of an entry of a list: a vector takes two reads of guest memory and
	// their bounds checks, 10 ns; a subscription and its event take 30 ns.
	entryFuel = 50
	// bytesPerFuel is how many bytes a unit of fuel moves. Random bytes that go to memory which was
	// not touched before take 0.3 ns each, with the page faults; a copy into a buffer that grows
	// moves each byte up to three times.
	bytesPerFuel = 4
)

const (
	// chunk is the most bytes that are worked on between two charges: 20 µs of work. It is a
	// multiple of 8, because the random source draws 8 bytes at a time and its sequence must not
	// depend on the chunks.
	chunk = 64 << 10
	// maxVectors is the most buffers of one read or write: POSIX's IOV_MAX on Linux. The error
	// number is POSIX's for more.
	maxVectors = 1024
	// maxSubscriptions is the most subscriptions of one poll. Language runtimes pass one for each
	// open file and one for a timer.
	maxSubscriptions = 1024
	// maxTransfer is the most bytes of one write: POSIX's SSIZE_MAX of a 32-bit system. The error
	// number is POSIX's for more.
	maxTransfer = 1<<31 - 1
)

// priceOf is the price of moving so many bytes.
func priceOf(n int) int64 { return int64(n) / bytesPerFuel }

// Instantiate adds a host module with the given functions to a runtime. hostOf finds the host of a
// call in the context that the call was made with.
func Instantiate(ctx context.Context, r wazero.Runtime, names []string, hostOf func(context.Context) Host) error {
	all := map[string]Function{}
	for _, f := range Functions() {
		all[f.Name] = f
	}
	builder := r.NewHostModuleBuilder(ModuleName)
	for _, name := range names {
		f, ok := all[name]
		if !ok {
			return fmt.Errorf("%s.%s: not a function of WASI preview 1", ModuleName, name)
		}
		work := f.work
		builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, guest api.Module, stack []uint64) {
			host := hostOf(ctx)
			host.Charge(guest, CallFuel)
			stack[0] = uint64(work(caller{host, guest, guest.Memory()}, stack))
		}), f.Params, f.Results).Export(name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

// caller is the guest that called a function, and its host.
type caller struct {
	host   Host
	guest  api.Module
	memory api.Memory
}

// charge takes fuel from the guest before work is done for it.
func (c caller) charge(fuel int64) { c.host.Charge(c.guest, fuel) }
