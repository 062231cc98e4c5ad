package module

import "testing"

// TestLargestMemory: the engine says of a memory of 4 GiB that it has none, so that nothing of it
// would be put back between batches.
func TestLargestMemory(t *testing.T) {
	for given, want := range map[uint32]uint32{0: 1024, 5: 5, 65535: 65535, 65536: 65535} {
		if got := (Limits{MemoryPages: given}).WithDefaults().MemoryPages; got != want {
			t.Errorf("%d pages become %d, want %d", given, got, want)
		}
	}
}
