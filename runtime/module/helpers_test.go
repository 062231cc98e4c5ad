package module

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// smallLimits let hostile modules do little work before they are stopped, so that tests are quick.
var smallLimits = Limits{
	FuelPerObject: 20_000_000, FuelPerByte: 1000, FuelToLoad: 50_000_000, FuelToStart: 20_000_000,
	CallTime: 10 * time.Minute, LoadTime: 10 * time.Minute, // fuel comes first, however busy the machine is
	ModuleInstances: 2, Instances: 6, BreakerFaults: 1000,
	BreakerPause: 1, BreakerPauseMax: 1, // each call reaches the module, also with objects that failed before
}

var testName = artifact.Name{File: "K.g_v1_v2.wasm", Base: "K.g_v1_v2", Kind: "K", Group: "g", Versions: []string{"v1", "v2"}}

var testObject = []byte(`{"apiVersion":"g/v1","kind":"K"}`)

// loader starts modules under shared limits, as runtime/load does, but without its checks: that
// package imports this one.
type loader struct {
	limits  Limits
	logger  *slog.Logger
	budget  *Budget
	metrics *Metrics

	footprint Footprint
}

func testLoader(t testing.TB, limits Limits) *loader {
	t.Helper()
	limits = limits.WithDefaults()
	return &loader{limits, slog.New(slog.DiscardHandler), NewBudget(limits.Instances, false), NewMetrics(prometheus.NewRegistry()), noFootprint{}}
}

// noFootprint bounds nothing.
type noFootprint struct{}

func (noFootprint) Hold(int64) error { return nil }
func (noFootprint) Free()            {}

func (l *loader) load(ctx context.Context, name artifact.Name, file watch.File) (*Module, error) {
	m, err := l.start(ctx, name, file)
	if err == nil {
		m.Loaded(0)
	}
	return m, err
}

func (l *loader) start(ctx context.Context, name artifact.Name, file watch.File) (*Module, error) {
	r, err := meter.Rewrite(file.Content, meter.Limits{ModuleBytes: l.limits.ModuleBytes, MemoryPages: l.limits.MemoryPages}, meter.Options{MemoryPages: l.limits.MemoryPages})
	if err != nil {
		return nil, err
	}
	command, err := CheckABI(r.Module)
	if err != nil {
		return nil, err
	}
	p, err := Compile(ctx, r, CompileConfig{Limits: l.limits})
	if err != nil {
		return nil, err
	}
	return Start(ctx, Config{
		Name: name, Sum: file.Sum, ContentSum: file.Sum, Size: len(file.Content), Sidecar: &artifact.Sidecar{}, Command: command,
		Program: p, Limits: l.limits, Budget: l.budget, Logger: l.logger, Metrics: l.metrics, Footprint: l.footprint,
	})
}

func fixture(t testing.TB, name string) watch.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return watch.File{Name: name, Content: content, Sum: sha256.Sum256(content)}
}

func loadFixture(t testing.TB, l *loader, name string) *Module {
	t.Helper()
	m, err := l.load(context.Background(), testName, fixture(t, name))
	if err != nil {
		t.Fatalf("loading %s: %v", name, err)
	}
	t.Cleanup(m.Close)
	return m
}

func residentBytes(statm string) int { return child.Resident(statm) }
