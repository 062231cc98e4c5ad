package module

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// Module is a converter that serves: its program, instances and circuit breaker. It is safe for
// concurrent use.
type Module struct {
	facts
	program   *Program
	pool      *pool
	breaker   breaker
	witness   witnessBox
	counters  *counters
	footprint Footprint
	logger    *slog.Logger
}

// Config configures Start. All fields are required.
type Config struct {
	Name       artifact.Name
	Sum        [sha256.Size]byte // of the file
	ContentSum [sha256.Size]byte // see artifact.ContentSum
	Size       int               // of the file, in bytes
	Sidecar    *artifact.Sidecar
	Command    bool // see CheckABI

	Program *Program // compiled under the same Limits
	Limits  Limits   // with their defaults
	Budget  *Budget
	Logger  *slog.Logger
	Metrics *Metrics

	// Footprint is told the memory of the module's image, and when the module is closed.
	Footprint Footprint
}

// Footprint counts memory that a module holds until it is closed.
type Footprint interface {
	// Hold counts bytes more. An error means that the module must not have them.
	Hold(bytes int64) error
	// Free ends the count.
	Free()
}

// Start makes a module of a compiled program, and makes its first instance. A module that does not
// initialise, or does not answer an empty batch, never serves. After an error, the program is
// closed.
func Start(ctx context.Context, c Config) (*Module, error) {
	logger := c.Logger.With("module", c.Name.File)
	count := &counters{metrics: c.Metrics.forModule(c.Name.File)}
	c.Program.counters = count
	c.Program.log = newGuestLog(logger, func(n int) { count.metrics.logDropped.Add(float64(n)) })
	c.Program.log.loading.Store(true) // until Loaded
	m := &Module{
		facts: facts{
			name: c.Name, digest: hex.EncodeToString(c.Sum[:]), contentSum: c.ContentSum, size: c.Size,
			sidecar: c.Sidecar, declared: c.Sidecar.Fields, command: c.Command, limits: c.Limits,
		},
		program:   c.Program,
		breaker:   breaker{faults: c.Limits.BreakerFaults, pause: c.Limits.BreakerPause, pauseMax: c.Limits.BreakerPauseMax},
		counters:  count,
		footprint: c.Footprint,
		logger:    logger,
	}
	m.pool = newPool(c.Program, c.Name, c.Budget)
	if err := m.firstInstance(ctx); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// firstInstance starts the module once. The instance's state after initialisation becomes the image
// of all others.
func (m *Module) firstInstance(ctx context.Context) error {
	if m.command {
		return nil // it starts anew for every batch, and an empty batch tests nothing
	}
	in, err := m.pool.first(ctx)
	if err != nil {
		return err
	}
	sound := false
	defer func() { m.pool.giveBack(in, sound) }()
	if p := m.program; p.resettable && in.portable {
		p.image = memory.TakeImage(in.memory, in.globals)
		if err := m.footprint.Hold(int64(p.image.Bytes())); err != nil {
			return err
		}
	}
	said, fault := in.describe(ctx)
	if fault != nil {
		return fmt.Errorf("asking the module to describe itself: %w", fault)
	}
	if said != nil {
		if err := json.Unmarshal(said, &m.description); err != nil {
			return fmt.Errorf("%s does not return JSON like {\"name\": \"…\", \"version\": \"…\"}: %w", exportDescribe, err)
		}
		m.description.tidy()
		if err := m.declare(said); err != nil {
			return fmt.Errorf("%s: %w", exportDescribe, err)
		}
	}
	edge := m.name.Edges()[0]
	if _, _, fault := in.batch(ctx, edge.Group+"/"+edge.To, nil); fault != nil {
		return fmt.Errorf("trying the module on an empty batch: %w", fault)
	}
	sound = true
	return nil
}

// Loaded records how long loading took, and ends the silence of the module's log. The loader calls it
// before it passes the module on.
func (m *Module) Loaded(took time.Duration) {
	m.took = took
	m.program.log.loading.Store(false)
}

// LimitFuel makes fuel the limit of each later call, whatever its objects: a reactor gets
// FuelPerObject twice, a command once and FuelToStart. It is for a module that one goroutine has.
func (m *Module) LimitFuel(fuel int64) {
	l := &m.program.limits
	l.FuelPerObject, l.FuelPerByte, l.FuelToStart = fuel/2, 0, fuel/2
}

// Close frees the module. Nothing may use it any more.
func (m *Module) Close() {
	m.pool.close()
	m.program.Close()
	m.footprint.Free()
}
