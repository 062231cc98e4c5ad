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
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// OpenConfig says how [Open] loads a module. The zero value means the defaults, no log and no vetting.
type OpenConfig struct {
	Limits Limits
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
func Open(ctx context.Context, path string, config OpenConfig) (*Module, error) {
	name, err := ParseName(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	beside, err := readFile(filepath.Join(filepath.Dir(path), name.Base+sidecarEnding))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	limits := config.Limits.withDefaults()
	l, err := newLoader(limits, config.Logger, nil)
	if err != nil {
		return nil, err
	}
	if config.Vet {
		l.vetter = newVetter(limits, config.Logger)
	}
	m, err := l.loadWith(ctx, name, *file, beside)
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

// Close frees a module that came from Open. Nothing may use it any more.
func (m *Module) Close() { m.close() }

// Edges returns the conversions that the module's name claims, in the order of the name.
func (m *Module) Edges() []Edge { return m.name.Edges() }

// Description returns what the module says of itself; the zero value if it says nothing.
func (m *Module) Description() Description { return m.description }

// IsCommand reports whether the module is a command, which starts anew for every batch.
func (m *Module) IsCommand() bool { return m.command }

// Case is a golden case of a module's sidecar (docs/sidecar.md).
type Case struct {
	Name     string // as messages call it: cases[0] (splits the schedule)
	From, To string // versions, such as v1
	Object   []byte // JSON, with apiVersion and kind
	// Want is the converted object with apiVersion, kind and metadata; nil where the module refuses it with the text WantError.
	Want      []byte
	WantError string
}

// Cases returns the golden cases of the module's sidecar, all of which it has passed. They are the caller's.
func (m *Module) Cases() []Case {
	cases := make([]Case, len(m.sidecar.cases))
	for i, c := range m.sidecar.cases {
		cases[i] = Case{c.label, c.edge.From, c.edge.To, slices.Clone(c.object), slices.Clone(c.want), c.wantError}
	}
	return cases
}
