package wasi

import "testing"

// TestClocksOfProcessorTime asserts that both clocks tell the fuel that the call has used, with that
// of the read itself.
func TestClocksOfProcessorTime(t *testing.T) {
	ctx, guest, h := newGuest(t, 1)
	h.fuel = 5_000_000_000
	for i, id := range []uint64{clockProcess, clockThread} {
		if e := call(t, ctx, guest, "clock_time_get", id, 1, 64); e != success {
			t.Fatalf("clock %d: error %d", id, e)
		}
		if got, _ := guest.Memory().ReadUint64Le(64); got != uint64(5_000_000_000+(2*i+1)*CallFuel) {
			t.Errorf("clock %d tells %d", id, got)
		}
		if e := call(t, ctx, guest, "clock_res_get", id, 64); e != success {
			t.Errorf("resolution of clock %d: error %d", id, e)
		}
	}
	if e := call(t, ctx, guest, "clock_time_get", 4, 1, 64); e != inval {
		t.Errorf("clock 4: error %d", e)
	}
	if e := call(t, ctx, guest, "clock_res_get", 4, 64); e != inval {
		t.Errorf("resolution of clock 4: error %d", e)
	}
}
