package module

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// FileName returns the parsed name of the module's file.
func (m *Module) FileName() artifact.Name { return m.name }

// ContentSum returns the checksum of the module's file together with its sidecar, see
// artifact.ContentSum.
func (m *Module) ContentSum() [32]byte { return m.contentSum }

// FileSum returns the SHA-256 of the module's file.
func (m *Module) FileSum() (sum [32]byte) {
	_, _ = hex.Decode(sum[:], []byte(m.digest)) // is a digest
	return sum
}

// Facts are the properties of a loaded module that do not change.
type Facts struct {
	Size        int           // of the file, in bytes
	Took        time.Duration // to load it
	Sidecar     string        // file name; "" if there is none
	Cases       int           // golden cases that it passed
	Pinned      bool          // the sidecar gives the digest of the file
	FieldCount  int           // paths of declared fields
	Description Description
}

// Facts returns the properties that do not change.
func (m *Module) Facts() Facts {
	return Facts{
		Size: m.size, Took: m.took, Sidecar: m.sidecar.File, Cases: len(m.sidecar.Cases), Pinned: m.sidecar.Pin != "",
		FieldCount: m.declared.Count(), Description: m.description,
	}
}

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
	a := Activity{Calls: m.calls.Load(), Objects: m.objects.Load(), Faults: m.faults.Load(), BreakerOpen: m.breaker.isOpen(now)}
	if f := m.last.Load(); f != nil {
		a.LastFault, a.LastFaultAt = f.message, f.at
	}
	a.Idle, a.Working = m.pool.count()
	return a
}

// Instances returns the number of idle and working instances.
func (m *Module) Instances() (idle, working int) { return m.pool.count() }

// LookForOverrun checks each call in progress once. It returns true if one was past its deadline at
// OverrunLooks consecutive checks.
func (m *Module) LookForOverrun(now time.Time) bool { return m.atWork.look(now) }

// IdleMemory returns the memory of the largest idle instance in bytes; 0 if there is none.
func (m *Module) IdleMemory() int64 { return m.pool.idleMemory() }

// PeakMemory returns the largest memory that an instance had at the end of a call since PeakMemory
// was called last, in bytes; 0 if there was no call. Memory grows within a call and is given back
// after it.
func (m *Module) PeakMemory() int64 { return m.peak.Swap(0) }

// Work returns the fuel that all calls have used so far.
func (m *Module) Work() int64 { return m.work.Load() }

// Limits returns the limits of the module: the loader's, lowered by its sidecar.
func (m *Module) Limits() Limits { return m.limits }

// Edges returns the conversions that the module's name claims, in the order of the name.
func (m *Module) Edges() []artifact.Edge { return m.name.Edges() }

// Description returns the module's description of itself; the zero value if it has none.
func (m *Module) Description() Description { return m.description }

// IsCommand reports whether the module is a command, which starts anew for every batch.
func (m *Module) IsCommand() bool { return m.command }

// Case is a golden case of a module's sidecar (docs/author/sidecar.md).
type Case struct {
	Name     string // as in messages: cases[0] (splits the schedule)
	From, To string // versions, such as v1
	Object   []byte // JSON, with apiVersion and kind
	// Want is the converted object with apiVersion, kind and metadata; nil if the module refuses it
	// with the text WantError.
	Want      []byte
	WantError string
	// Stash and ThereAndBack are as in artifact.GoldenCase.
	Stash        []byte
	ThereAndBack bool
}

// Losses returns the losses that the module's sidecar acknowledges. They are the caller's.
func (m *Module) Losses() []artifact.Loss { return slices.Clone(m.sidecar.Losses) }

// Cases returns the golden cases of the module's sidecar, all of which it has passed. They are the
// caller's.
func (m *Module) Cases() []Case {
	cases := make([]Case, len(m.sidecar.Cases))
	for i, c := range m.sidecar.Cases {
		cases[i] = Case{c.Label, c.Edge.From, c.Edge.To, slices.Clone(c.Object), slices.Clone(c.Want), c.WantError, slices.Clone(c.Stash), c.ThereAndBack}
	}
	return cases
}

// Known returns the checks that the module's author knows to fail.
func (m *Module) Known() []artifact.KnownFailure { return slices.Clone(m.sidecar.Known) }

// ABI returns the ABI that the module implements: "reactor" or "command".
func (m *Module) ABI() string {
	if m.command {
		return "command"
	}
	return "reactor"
}
