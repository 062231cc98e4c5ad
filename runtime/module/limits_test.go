package module

import (
	goruntime "runtime"
	"testing"
	"time"
)

// TestLargestMemory: the engine says of a memory of 4 GiB that it has none, so that nothing of it
// would be put back between batches.
func TestLargestMemory(t *testing.T) {
	for given, want := range map[uint32]uint32{0: 1024, 5: 5, 65535: 65535, 65536: 65535} {
		if got := (Limits{MemoryPages: given}).WithDefaults().MemoryPages; got != want {
			t.Errorf("%d pages become %d, want %d", given, got, want)
		}
	}
}

// TestDefaults checks the defaults that the comments in Limits give.
func TestDefaults(t *testing.T) {
	procs := goruntime.GOMAXPROCS(0)
	want := Limits{
		ModuleBytes: 32 << 20, PackedBytes: 32 << 20, DirectoryBytes: 512 << 20, LoadedBytes: 1 << 30, MemoryPages: 1024,
		BatchBytes: 256 << 10, BatchObjects: 1024, ObjectReplyBytes: 4 << 20, ReplyBytes: 128 << 20,
		CallTime: 2 * time.Second, LoadTime: 10 * time.Second, CompileTime: 2 * time.Minute, VetMemory: 1 << 30,
		FuelPerObject: 50_000_000, FuelPerByte: 5_000, FuelToStart: 500_000_000, FuelToLoad: 2_000_000_000,
		ModuleInstances: procs, Instances: max(16, 8*procs), InstanceWait: 5 * time.Second, IdleTime: 5 * time.Minute,
		LogBytes: 64 << 10, BreakerFaults: 5, BreakerPause: time.Second, BreakerPauseMax: 30 * time.Second,
	}
	if got := (Limits{}).WithDefaults(); got != want {
		t.Errorf("the defaults are\n%+v, want\n%+v", got, want)
	}
	if got := want.WithDefaults(); got != want {
		t.Errorf("limits that are set become\n%+v, want\n%+v", got, want)
	}
	if got := (Limits{ModuleBytes: 77 << 20}).WithDefaults().PackedBytes; got != 77<<20 {
		t.Errorf("a packed file may have %d bytes, want as many as the module", got)
	}
}
