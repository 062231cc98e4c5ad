package module

import (
	"context"
	goruntime "runtime"
	"sync"
	"testing"
	"time"
)

// TestGuestsYieldToCollectorX4 (X4) runs guests that would never yield by themselves while the
// garbage collector is forced again and again, and looks how long a heartbeat has to wait: without
// the meter's yields, the first collection would stop the process for ever.
func TestGuestsYieldToCollectorX4(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject, limits.CallTime = 1<<50, 500*time.Millisecond
	l := testLoader(t, limits)
	for _, file := range []string{"x01_spin", "x02_fib", "x02_double", "x03_fill"} {
		m := loadFixture(t, l, file)
		var wg sync.WaitGroup
		for range 2 {
			wg.Add(1)
			go func() { // ends with the guest's deadline
				defer wg.Done()
				_, _, _ = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			}()
		}
		done := make(chan struct{})
		go func() { // ends with the guests
			wg.Wait()
			close(done)
		}()
		worst, last := time.Duration(0), time.Now()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(5 * time.Millisecond):
				goruntime.GC()
			}
			worst, last = max(worst, time.Since(last)), time.Now()
		}
		t.Logf("%s: the longest gap between two heartbeats with forced collections was %v", file, worst)
		if worst > 20*time.Second { // 250 ms is the aim on a machine of our own; without the yields it is for ever
			t.Errorf("%s: a heartbeat had to wait for %v", file, worst)
		}
	}
}
