package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// loading has the limits for loading modules. The defaults are the gateway's.
type loading struct {
	memory, module             int // MiB
	fuelPerObject, fuelPerByte int64
	callTimeout                time.Duration
	quiet                      bool
}

func (l *loading) flags(flags *pflag.FlagSet) {
	flags.IntVar(&l.module, "max-module-mib", 32, "maximum size of a module in `MiB`, like the gateway's --max-module-bytes")
	flags.IntVar(&l.memory, "memory-mib", 64, "maximum memory of an instance in `MiB`, like the gateway's --module-memory-bytes")
	flags.Int64Var(&l.fuelPerObject, "fuel-per-object", 50_000_000, "maximum `INSTRUCTIONS` per object, like the gateway's flag of this name; so are the next two")
	flags.Int64Var(&l.fuelPerByte, "fuel-per-byte", 5_000, "additional `INSTRUCTIONS` per byte of an object")
	flags.DurationVar(&l.callTimeout, "call-timeout", 2*time.Second, "maximum `TIME` of a call")
	flags.BoolVar(&l.quiet, "quiet", false, "do not show log lines of modules")
}

func (l *loading) config(s streams) (runtime.OpenConfig, error) {
	if l.memory < 1 || l.memory > 4096 {
		return runtime.OpenConfig{}, usagef("--memory-mib must be between 1 and 4096, not %d", l.memory)
	}
	if l.module < 1 || l.module > 1024 {
		return runtime.OpenConfig{}, usagef("--max-module-mib must be between 1 and 1024, not %d", l.module)
	}
	if l.fuelPerObject < 1 || l.fuelPerByte < 1 {
		return runtime.OpenConfig{}, usagef("--fuel-per-object and --fuel-per-byte must be at least 1")
	}
	if l.callTimeout < time.Millisecond {
		return runtime.OpenConfig{}, usagef("--call-timeout must be at least 1ms, not %v", l.callTimeout)
	}
	config := runtime.OpenConfig{Limits: module.Limits{
		ModuleBytes: l.module << 20, MemoryPages: uint32(l.memory << 4),
		FuelPerObject: l.fuelPerObject, FuelPerByte: l.fuelPerByte, CallTime: l.callTimeout,
	}}
	if !l.quiet {
		config.Logger = slog.New(slog.NewTextHandler(s.err, nil))
	}
	return config, nil
}

func (l *loading) open(ctx context.Context, s streams, path string) (*module.Module, error) {
	config, err := l.config(s)
	if err != nil {
		return nil, err
	}
	return openModule(ctx, path, config)
}

// openModule calls runtime.Open with a path from the command line.
func openModule(ctx context.Context, path string, config runtime.OpenConfig) (*module.Module, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name its modules, as in %s", path, filepath.Join(path, "*.wasm*"))
	}
	return runtime.Open(ctx, path, config)
}

// openAll opens every path. The caller closes the result with close.
func (l *loading) openAll(ctx context.Context, s streams, paths []string) (opened, error) {
	var all opened
	for _, path := range paths {
		m, err := l.open(ctx, s, path)
		if err != nil {
			all.close()
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// opened are the modules of one command line.
type opened []*module.Module

func (o opened) close() {
	for _, m := range o {
		m.Close()
	}
}

// routes returns the routes between the modules' versions, as the gateway computes them.
func (o opened) routes() *host.Routes {
	var edges []host.Edge
	for _, m := range o {
		for _, e := range m.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: m})
		}
	}
	return host.NewRoutes(edges)
}

// Pin makes opened a host.Modules: these routes serve as long as the process lives.
func (o opened) Pin() (*host.Routes, func()) { return o.routes(), func() {} }

// Missed does nothing: no module is waiting to be loaded.
func (opened) Missed(_, _ string) {}

// Loading returns nothing: all modules are loaded.
func (opened) Loading(_, _ string) host.Loading { return host.Loading{} }
