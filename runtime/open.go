package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// OpenConfig configures [Open]. The zero value means default limits, no log and no vetting.
type OpenConfig struct {
	Limits module.Limits
	Logger *slog.Logger
	// Vet loads the module in a child process first, as the gateway does; see Config.Vet.
	Vet bool
	// SkipCases skips the golden cases; see load.Config.SkipCases.
	SkipCases bool
	// Cache keeps compiled code between processes. nil: none. The caller closes it.
	Cache *codecache.Cache
}

// unvettedCompileTime is CompileTime without Vet, where no other module waits and ctx ends the call: a
// large module must not fail on a busy machine. Vetting has a gateway's limit.
const unvettedCompileTime = time.Hour

// Open loads one module from a file, for tools. It runs all checks of a gateway with the same
// configuration, including those of the module's sidecar. The file's name defines the conversions.
// The caller must call Close when the module is not used any more.
//
// # Errors
//
// The error is for the module's author: the reason why a gateway would not serve it.
func Open(ctx context.Context, path string, config OpenConfig) (*module.Module, error) {
	name, err := artifact.ParseName(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := watch.ReadFile(path, int64(config.Limits.WithDefaults().PackedBytes), "--max-module-bytes")
	if err != nil {
		return nil, err
	}
	beside, err := watch.ReadFile(filepath.Join(filepath.Dir(path), name.Base+artifact.SidecarEnding), artifact.MaxSidecar, "the limit of a sidecar")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if !config.Vet && config.Limits.CompileTime == 0 {
		config.Limits.CompileTime = unvettedCompileTime
	}
	l := load.NewLoader(load.Config{Limits: config.Limits, Logger: config.Logger, Vet: config.Vet, Cache: config.Cache, SkipCases: config.SkipCases})
	m, err := l.Load(ctx, name, *file, beside)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name.File, err)
	}
	return m, nil
}
