package runtime

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// smallLimits are limits for the modules of testdata. Fuel ends a module before time does, however
// busy the machine is.
var smallLimits = module.Limits{
	FuelPerObject: 20_000_000, FuelPerByte: 1000, FuelToLoad: 50_000_000, FuelToStart: 20_000_000,
	CallTime: 10 * time.Minute, LoadTime: 10 * time.Minute,
	ModuleInstances: 2, Instances: 6, BreakerFaults: 1000,
	BreakerPause: 1, BreakerPauseMax: 1, // each call reaches the module
}

var (
	testName   = artifact.Name{File: "K.g_v1_v2.wasm", Base: "K.g_v1_v2", Kind: "K", Group: "g", Versions: []string{"v1", "v2"}}
	testObject = []byte(`{"apiVersion":"g/v1","kind":"K"}`)
)

func fixture(t testing.TB, name string) watch.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return watch.File{Name: name, Content: content, Sum: sha256.Sum256(content)}
}

// loadFixture loads a module of testdata under the limits.
func loadFixture(t testing.TB, limits module.Limits, name string) *module.Module {
	t.Helper()
	return loadFixtureAs(t, limits, name, testName.Base)
}

// loadFixtureAs loads a module of testdata under another name.
func loadFixtureAs(t testing.TB, limits module.Limits, name, base string) *module.Module {
	t.Helper()
	as, err := artifact.ParseName(base + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	l := load.NewLoader(load.Config{Limits: limits, Logger: slog.New(slog.DiscardHandler)})
	m, err := l.Load(context.Background(), as, fixture(t, name), nil)
	if err != nil {
		t.Fatalf("loading %s: %v", name, err)
	}
	t.Cleanup(m.Close)
	return m
}

func zstandard(t testing.TB, content []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(content, nil)
}

// TestMain lets the test binary act as the gateway's: the vetter starts it again with VetArgument.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == load.VetArgument {
		os.Exit(load.VetMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
