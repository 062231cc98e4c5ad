package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// OpenConfig says how [Open] loads a module. The zero value means the defaults, no log and no vetting.
type OpenConfig struct {
	Limits module.Limits
	Logger *slog.Logger
	// Vet has the module loaded in a child process first, as the gateway does; see Config.Vet.
	Vet bool
}

// Open loads one module from a file, for tools that look at modules one by one: it goes through everything that a gateway with
// the same configuration has it go through, and a sidecar that lies beside it counts. The file's name says what the module converts.
// Whoever opens a module closes it, with Close, when nobody uses it any more.
//
// # Errors
//
// The error says, in words for the module's author, why a gateway would not serve it.
func Open(ctx context.Context, path string, config OpenConfig) (*module.Module, error) {
	name, err := artifact.ParseName(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	beside, err := readFile(filepath.Join(filepath.Dir(path), name.Base+artifact.SidecarEnding))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := module.NewLoader(module.LoaderConfig{Limits: config.Limits, Logger: config.Logger, Vet: config.Vet})
	if err != nil {
		return nil, err
	}
	m, err := l.Load(ctx, name, *file, beside)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name.File, err)
	}
	return m, nil
}

func readFile(path string) (*watch.File, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &watch.File{Name: filepath.Base(path), Content: content, Sum: sha256.Sum256(content)}, nil
}
