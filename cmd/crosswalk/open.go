package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// loading has the limits for loading modules. Names and defaults are the gateway's.
type loading struct {
	memory, module             bytesize.Value
	fuelPerObject, fuelPerByte int64
	fuelToStart                int64
	callTimeout                time.Duration
	quiet                      bool
}

func (l *loading) flags(flags *pflag.FlagSet) {
	l.module, l.memory = 32<<20, 64<<20
	flags.BoolVar(&l.quiet, "quiet", false, "do not show log lines of modules")
	flags.Var(&l.module, "max-module-bytes", "maximum `SIZE` of a module, and of its file")
	flags.Var(&l.memory, "module-memory-bytes", "maximum `SIZE` of the memory of an instance")
	flags.Int64Var(&l.fuelPerObject, "fuel-per-object", 50_000_000, "maximum `INSTRUCTIONS` per object, in addition to --fuel-per-byte")
	flags.Int64Var(&l.fuelPerByte, "fuel-per-byte", 5_000, "maximum `INSTRUCTIONS` per byte of an object")
	flags.Int64Var(&l.fuelToStart, "fuel-to-start", 500_000_000, "maximum `INSTRUCTIONS` to start a command module, in addition to those of its objects")
	flags.DurationVar(&l.callTimeout, "call-timeout", 2*time.Second, "maximum `TIME` of a call")
	for _, name := range []string{"max-module-bytes", "module-memory-bytes", "fuel-per-object", "fuel-per-byte", "fuel-to-start", "call-timeout"} {
		flags.Lookup(name).Annotations = map[string][]string{limitFlag: {""}}
	}
}

func (l *loading) config(s streams) (runtime.OpenConfig, error) {
	if l.memory < 64<<10 || l.memory > 4<<30 {
		return runtime.OpenConfig{}, usagef("--module-memory-bytes must be between 64Ki and 4Gi, not %v", &l.memory)
	}
	if l.module < 1 || l.module > 1<<30 {
		return runtime.OpenConfig{}, usagef("--max-module-bytes must be between 1 and 1Gi, not %v", &l.module)
	}
	if l.fuelPerObject < 1 || l.fuelPerByte < 1 || l.fuelToStart < 1 {
		return runtime.OpenConfig{}, usagef("--fuel-per-object, --fuel-per-byte and --fuel-to-start must be at least 1")
	}
	if l.callTimeout < time.Millisecond {
		return runtime.OpenConfig{}, usagef("--call-timeout must be at least 1ms, not %v", l.callTimeout)
	}
	config := runtime.OpenConfig{Limits: module.Limits{
		ModuleBytes: int(l.module), MemoryPages: uint32(l.memory >> 16),
		FuelPerObject: l.fuelPerObject, FuelPerByte: l.fuelPerByte, FuelToStart: l.fuelToStart, CallTime: l.callTimeout,
	}}
	if !l.quiet {
		config.Logger = slog.New(slog.NewTextHandler(s.err, nil))
	}
	return config, nil
}

// openModule opens a module of the command line. That a gateway would not serve it is a finding;
// a missing file or a wrong name is not.
func openModule(ctx context.Context, path string, config runtime.OpenConfig) (*module.Module, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	m, err := runtime.Open(ctx, path, config)
	if err != nil {
		return nil, finding{err}
	}
	return m, nil
}

// checkFile checks at no cost that a path is a readable module.
func checkFile(path string) error {
	if _, err := artifact.ParseName(filepath.Base(path)); err != nil {
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".js", ".mjs":
			return fmt.Errorf("%w; crosswalk compile makes a module of rules or of JavaScript", err)
		}
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// moduleFiles returns the files that arguments name: modules, and all modules in directories, as
// a gateway serves them; a directory may also be a project with its modules in build. It checks
// every file before the first is compiled.
func moduleFiles(args []string) (files []string, err error) {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			if _, bad := artifact.ParseName(filepath.Base(arg)); bad != nil && errors.Is(err, fs.ErrNotExist) {
				return nil, absentError(arg)
			}
			if err := checkFile(arg); err != nil {
				return nil, err
			}
			files = append(files, arg)
			continue
		}
		dir, names, misnamed, err := projectNames(arg)
		if err != nil {
			return nil, err
		}
		if misnamed != nil {
			return nil, fmt.Errorf("a gateway would ignore files in %s: name the modules, or move these files elsewhere: %w", dir, misnamed)
		}
		for _, name := range names {
			files = append(files, filepath.Join(dir, name.File))
		}
	}
	return files, nil
}

// absentError is the error for an argument that names neither a file nor a directory, and does not
// have the form of a module's name.
func absentError(arg string) error {
	return fmt.Errorf("%s does not exist; modules have names like CronTab.stable.example.com_v1_v2.wasm", arg)
}

// openAll opens the modules that arguments name. The caller closes the result with close.
func (l *loading) openAll(ctx context.Context, s streams, args []string) (opened, error) {
	config, err := l.config(s)
	if err != nil {
		return nil, err
	}
	config = cached(config)
	files, err := moduleFiles(args)
	if err != nil {
		return nil, err
	}
	var all opened
	for _, file := range files {
		m, err := openModule(ctx, file, config)
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
