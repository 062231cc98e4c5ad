package module

import "time"

// Activity is the work of a module so far.
type Activity struct {
	Calls, Objects, Faults int64
	LastFault              string
	LastFaultAt            time.Time // zero if there was none
	BreakerOpen            bool      // its circuit breaker is open
	Idle, Working          int       // instances
}

// Activity returns the work of the module so far.
func (m *Module) Activity(now time.Time) Activity {
	c := m.counters
	a := Activity{Calls: c.calls.Load(), Objects: c.objects.Load(), Faults: c.faults.Load(), BreakerOpen: m.breaker.isOpen(now)}
	if f := c.last.Load(); f != nil {
		a.LastFault, a.LastFaultAt = f.message, f.at
	}
	a.Idle, a.Working = m.pool.count()
	return a
}

// Instances returns the number of idle and working instances.
func (m *Module) Instances() (idle, working int) { return m.pool.count() }

// LookForOverrun checks each call in progress once. It returns true if one was past its deadline at
// OverrunLooks consecutive checks.
func (m *Module) LookForOverrun(now time.Time) bool { return m.program.atWork.look(now) }

// IdleMemory returns the memory of the largest idle instance in bytes; 0 if there is none.
func (m *Module) IdleMemory() int64 { return m.pool.idleMemory() }

// PeakMemory returns the largest memory that an instance had at the end of a call since PeakMemory
// was called last, in bytes; 0 if there was no call. Memory grows within a call and is given back
// after it.
func (m *Module) PeakMemory() int64 { return m.counters.peak.Swap(0) }

// Work returns the fuel that all calls have used so far.
func (m *Module) Work() int64 { return m.counters.work.Load() }

// Blocks returns how many blocks of code have run in batches of the module, and how many there are; 0
// and 0 if they are not counted.
func (m *Module) Blocks() (ran, of int) { return m.program.blocks.count() }
