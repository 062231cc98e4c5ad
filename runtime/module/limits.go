package module

import (
	goruntime "runtime"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/growth"
)

// Limits bound the cost of modules. A zero field means its default.
type Limits struct {
	// ModuleBytes is the most bytes of a module, inflated. Default 32 MiB: a module of Go with the
	// Kubernetes API machinery has 13 MB; the largest known, cluster-api's, has 77 MB and needs a
	// higher limit.
	ModuleBytes int
	// PackedBytes is the most bytes of a module's file. Default: ModuleBytes.
	PackedBytes int
	// DirectoryBytes is the most bytes of all files of the module directory together. Default 512
	// MiB: 16 modules of the default ModuleBytes.
	DirectoryBytes int
	// LoadedBytes is the most memory that all modules together hold while they are loaded: compiled
	// code, what the engine keeps of the modules, and their initial memory, in bytes. It includes
	// previous versions on probation and modules whose files were deleted. Default 1 GiB.
	LoadedBytes int
	// MemoryPages is the most memory of one instance, in WebAssembly pages of 64 KiB. Default 1,024
	// (64 MiB).
	MemoryPages uint32
	// BatchBytes and BatchObjects cut a review into calls. Defaults 256 KiB, which bounds the
	// memory a guest needs and was measured to cost nothing against whole reviews, and 1,024.
	BatchBytes, BatchObjects int
	// ObjectReplyBytes is the most bytes of one converted object, which may also not exceed 1 MiB +
	// 4 × its input. Default 4 MiB: etcd accepts 1.5 MiB.
	ObjectReplyBytes int
	// ReplyBytes is the most bytes of all converted objects of one call of Convert. Default 128
	// MiB, the host's limit for a response, which rejects larger ones anyway.
	ReplyBytes int
	// CallTime is the most wall-clock time of one guest call. Default 2 s, the policy engines'
	// usual bound.
	CallTime time.Duration
	// LoadTime bounds initialising and describing a new module. Default 10 s: a large Go module
	// initialises in 60 ms.
	LoadTime time.Duration
	// CompileTime bounds vetting and compiling a new module. Default 2 min: the largest module
	// known takes 54 s on a loaded machine.
	CompileTime time.Duration
	// VetMemory is the most memory of the process in which a new module is vetted, in bytes.
	// Default 1 GiB: compiling the largest module known takes 820 MB.
	VetMemory int
	// FuelPerObject and FuelPerByte give the work a batch may cost, in fuel (about one WebAssembly
	// instruction each). Defaults 50 million an object and 5,000 a byte of input: the slowest guest
	// measured, Go's encoding/json through controller-runtime's types, takes 9 ms and about 10
	// million for 47 KB.
	FuelPerObject, FuelPerByte int64
	// FuelToStart is the additional work for starting a command, and for making any other instance
	// for a batch. Default 500 million: the Go runtime needs about 5 million.
	FuelToStart int64
	// FuelToLoad is the work that initialising a module may cost. Default 2,000 million, a second
	// or two.
	FuelToLoad int64
	// ModuleInstances is the most instances of one module that work at once. Default GOMAXPROCS:
	// more would only wait for each other, and one slow module must not occupy all Instances.
	ModuleInstances int
	// Instances is the most instances of all modules together, working or idle. Default 8 ×
	// GOMAXPROCS, 16 at least.
	Instances int
	// InstanceWait is the longest wait of a batch for an instance if all are at work. Default 5 s:
	// long enough for a burst, and short enough that an API server can retry within its timeout of
	// 30 s.
	InstanceWait time.Duration
	// IdleTime is how long an unused instance is kept. Default 5 min: starting one takes milliseconds.
	IdleTime time.Duration
	// LogBytes is the most bytes of log lines from one call; what exceeds it is dropped. Default 64
	// KiB.
	LogBytes int
	// BreakerFaults is the number of consecutive failed calls with different objects after which a
	// module is probed. Default 5.
	BreakerFaults int
	// BreakerPause is the first pause of a module whose circuit breaker opens, and of objects that
	// a module failed at; both double up to BreakerPauseMax. Defaults 1 s and 30 s.
	BreakerPause, BreakerPauseMax time.Duration
}

// LargestMemory is the largest value of Limits.MemoryPages, one page below 4 GiB: wazero reports
// memory size as uint32, so a memory of 4 GiB reads as 0 and would never be reset.
const LargestMemory = 1<<16 - 1

// Defaults that pages name.
const (
	directoryBytes = 512 << 20
	compileTime    = 2 * time.Minute
)

// WithDefaults returns the limits with their defaults.
func (l Limits) WithDefaults() Limits {
	procs := goruntime.GOMAXPROCS(0)
	setDefault(&l.ModuleBytes, 32<<20)
	setDefault(&l.PackedBytes, l.ModuleBytes)
	setDefault(&l.DirectoryBytes, directoryBytes)
	setDefault(&l.LoadedBytes, 1<<30)
	setDefault(&l.MemoryPages, 1024)
	l.MemoryPages = min(l.MemoryPages, LargestMemory)
	setDefault(&l.BatchBytes, 256<<10)
	setDefault(&l.BatchObjects, 1024)
	setDefault(&l.ObjectReplyBytes, 4<<20)
	setDefault(&l.ReplyBytes, 128<<20)
	setDefault(&l.CallTime, 2*time.Second)
	setDefault(&l.LoadTime, 10*time.Second)
	setDefault(&l.CompileTime, compileTime)
	setDefault(&l.VetMemory, 1<<30)
	setDefault(&l.FuelPerObject, 50_000_000)
	setDefault(&l.FuelPerByte, 5_000)
	setDefault(&l.FuelToStart, 500_000_000)
	setDefault(&l.FuelToLoad, 2_000_000_000)
	setDefault(&l.ModuleInstances, procs)
	setDefault(&l.Instances, max(16, 8*procs))
	setDefault(&l.InstanceWait, 5*time.Second)
	setDefault(&l.IdleTime, 5*time.Minute)
	setDefault(&l.LogBytes, 64<<10)
	setDefault(&l.BreakerFaults, 5)
	setDefault(&l.BreakerPause, time.Second)
	setDefault(&l.BreakerPauseMax, 30*time.Second)
	return l
}

func setDefault[T int | int64 | uint32 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// replyLimit is the most bytes of the answer for an object of n bytes: what etcd could hold with
// room to spare, and no more than a conversion can plausibly make of its input.
func (l Limits) replyLimit(n int) int {
	return growth.Limit(n, l.ObjectReplyBytes)
}
