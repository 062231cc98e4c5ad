package modules

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Limits are the flags with the limits for loading modules. Names and defaults are the gateway's.
type Limits struct {
	Quiet bool // no log lines of modules

	memory, module             bytesize.Value
	fuelPerObject, fuelPerByte int64
	fuelToStart                int64
	callTimeout                time.Duration
}

// Declare declares the flags.
func (l *Limits) Declare(flags *pflag.FlagSet) {
	d := module.Limits{}.WithDefaults()
	l.module, l.memory = bytesize.Value(d.ModuleBytes), bytesize.Value(d.MemoryPages)<<16
	flags.BoolVarP(&l.Quiet, "quiet", "q", false, "do not show log lines of modules")
	flags.Var(&l.module, "max-module-bytes", "maximum `SIZE` of a module, and of its file")
	flags.Var(&l.memory, "module-memory-bytes", "maximum `SIZE` of the memory of an instance")
	flags.Int64Var(&l.fuelPerObject, "fuel-per-object", d.FuelPerObject, "maximum `INSTRUCTIONS` per object, in addition to --fuel-per-byte")
	flags.Int64Var(&l.fuelPerByte, "fuel-per-byte", d.FuelPerByte, "maximum `INSTRUCTIONS` per byte of an object")
	flags.Int64Var(&l.fuelToStart, "fuel-to-start", d.FuelToStart, "maximum `INSTRUCTIONS` to start a command module, in addition to those of its objects")
	flags.DurationVar(&l.callTimeout, "call-timeout", d.CallTime, "maximum `TIME` of a call")
	for _, name := range []string{"max-module-bytes", "module-memory-bytes", "fuel-per-object", "fuel-per-byte", "fuel-to-start", "call-timeout"} {
		flags.Lookup(name).Annotations = map[string][]string{command.LimitFlag: {""}}
	}
}

// Config returns the configuration for loading modules, which log to the command's standard error.
func (l *Limits) Config(s command.Streams) (runtime.OpenConfig, error) {
	if l.memory < 64<<10 || l.memory > 4<<30 {
		return runtime.OpenConfig{}, command.Usagef("--module-memory-bytes must be between 64Ki and 4Gi, not %v", &l.memory)
	}
	if l.module < 1 || l.module > 1<<30 {
		return runtime.OpenConfig{}, command.Usagef("--max-module-bytes must be between 1 and 1Gi, not %v", &l.module)
	}
	if l.fuelPerObject < 1 || l.fuelPerByte < 1 || l.fuelToStart < 1 {
		return runtime.OpenConfig{}, command.Usagef("--fuel-per-object, --fuel-per-byte and --fuel-to-start must be at least 1")
	}
	if l.callTimeout < time.Millisecond {
		return runtime.OpenConfig{}, command.Usagef("--call-timeout must be at least 1ms, not %v", l.callTimeout)
	}
	config := runtime.OpenConfig{Limits: module.Limits{
		ModuleBytes: int(l.module), MemoryPages: uint32(l.memory >> 16),
		FuelPerObject: l.fuelPerObject, FuelPerByte: l.fuelPerByte, FuelToStart: l.fuelToStart, CallTime: l.callTimeout,
	}}
	if !l.Quiet {
		config.Logger = slog.New(handler{slog.NewTextHandler(s.Err, nil)})
	}
	return config, nil
}

// handler logs what a gateway does, but for a line of each module that is meant for a log.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == load.Compared {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// OpenAll opens the modules that arguments name, with the compile cache.
func (l *Limits) OpenAll(ctx context.Context, s command.Streams, args []string) (Set, error) {
	config, err := l.Config(s)
	if err != nil {
		return nil, err
	}
	files, err := FilesOf(s, args)
	if err != nil {
		return nil, err
	}
	set, _, err := OpenAll(ctx, files, Cached(config))
	return set, err
}

// maxCache is the maximum size of the compile cache in bytes. A module of Go has 50 MB of code.
const maxCache = 1 << 30

// compileCache returns the cache of compiled modules below the user's cache directory, which the
// process keeps open until it ends; nil if there is none. Like the gateway's --compile-cache, it
// accepts only a directory that no other user can write, and only code that this very program
// wrote. Without a cache, commands take longer and do the same: then another process may use the
// directory, or the system is not Linux.
var compileCache = sync.OnceValue(func() *codecache.Cache {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	dir := filepath.Join(base, "crosswalk")
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil
	}
	cache, err := codecache.Open(dir, maxCache)
	if err != nil {
		return nil
	}
	return cache
})

// Cached returns a configuration that keeps and finds compiled code in the cache.
func Cached(config runtime.OpenConfig) runtime.OpenConfig {
	config.Cache = compileCache()
	return config
}
