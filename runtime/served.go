package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// maxServed bounds the file of a memory: the longest names of as many modules as a directory may
// have.
const maxServed = scanFiles * 256

// memory keeps the names of the modules that serve in a file, so that after a restart these modules
// are loaded first and decide about readiness. The file has the directory in its first line, and
// the base of a module's name in each other line. A nil *memory forgets everything.
type memory struct {
	path, dir string
	saved     []byte
}

func newMemory(path, dir string) *memory {
	if path == "" {
		return nil
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &memory{path: path, dir: dir}
}

// recall returns the modules that the file names, by base. It ignores a file of another directory,
// and lines that are no module's name.
func (m *memory) recall() (served map[string]artifact.Name, err error) {
	served = map[string]artifact.Name{}
	if m == nil {
		return served, nil
	}
	f, err := os.Open(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return served, nil
	}
	if err != nil {
		return served, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxServed))
	if err != nil {
		return served, err
	}
	lines := strings.Split(string(content), "\n")
	if lines[0] != m.dir {
		return served, nil
	}
	for _, base := range lines[1:] {
		if name, err := artifact.ParseName(base + ".wasm"); err == nil && len(served) < scanFiles {
			served[base] = name
		}
	}
	return served, nil
}

// save writes the file if it differs from the last one that was saved.
func (m *memory) save(served map[string]artifact.Name) error {
	content := []byte(strings.Join(append([]string{m.dir}, slices.Sorted(maps.Keys(served))...), "\n") + "\n")
	if bytes.Equal(content, m.saved) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(m.path), "new-*") // codecache.Open removes it if the process dies
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), m.path); err != nil {
		return err
	}
	m.saved = content
	return nil
}

// keep saves the modules that served returns after each request, until ctx ends.
func (m *memory) keep(ctx context.Context, requests <-chan struct{}, served func() map[string]artifact.Name, logger *slog.Logger) {
	for failed := ""; m != nil; {
		select {
		case <-requests:
		case <-ctx.Done():
			return
		}
		if err := m.save(served()); err != nil && err.Error() != failed {
			failed = err.Error()
			logger.Warn("cannot save which modules serve; after a restart they do not go first", "err", err)
		}
	}
}
