package module

import (
	"sync/atomic"
	"time"
)

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
