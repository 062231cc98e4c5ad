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
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// servedName bounds a name in a servedFile.
const servedName = 256

// servedFile keeps the names of the modules that serve in a file, so that after a restart these modules
// are loaded first and decide about readiness. The first line of the file is the directory, or
// severalOwners, and each other line is the base of a module's name. A nil *servedFile forgets
// everything.
type servedFile struct {
	path   string
	head   string // the first line
	owners []Owner
	saved  []byte
}

// severalOwners is the first line of the file of a gateway with several owners, of which each may move
// its directory. No directory is named so in the
// file, where paths are absolute.
const severalOwners = "owners"

func newServedFile(path string, owners []Owner) *servedFile {
	if path == "" {
		return nil
	}
	owners = slices.Clone(owners)
	for i, o := range owners {
		if abs, err := filepath.Abs(o.Dir); err == nil {
			owners[i].Dir = abs
		}
	}
	m := &servedFile{path: path, head: severalOwners, owners: owners}
	if owners[0].Name == "" {
		m.head = owners[0].Dir
	}
	return m
}

// recall returns the modules that the file names, by base. It ignores a file of other directories,
// and lines that are no module's name. The modules of an only directory belong to its owner, if it
// has one now.
func (m *servedFile) recall() (served map[string]artifact.Name, err error) {
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
	most := len(m.owners) * scanFiles
	content, err := io.ReadAll(io.LimitReader(f, int64(most)*servedName))
	if err != nil {
		return served, err
	}
	lines := strings.Split(string(content), "\n")
	for _, base := range lines[1:] {
		name, err := artifact.ParseOwned(base + ".wasm")
		if err == nil && len(served) < most && m.adopt(lines[0], &name) {
			served[name.Base] = name
		}
	}
	return served, nil
}

// adopt reports whether a name belongs to an owner, by the first line of its file, and gives it the
// owner.
func (m *servedFile) adopt(head string, name *artifact.Name) bool {
	if head == severalOwners {
		return slices.ContainsFunc(m.owners, func(o Owner) bool { return o.Name != "" && o.Name == name.Owner })
	}
	i := slices.IndexFunc(m.owners, func(o Owner) bool { return o.Dir == head })
	if i < 0 || name.Owner != "" {
		return false
	}
	owned, err := artifact.ParseOwned(watch.JoinOwner(m.owners[i].Name, name.File))
	*name = owned
	return err == nil
}

// save writes the file if it differs from the last one that was saved.
func (m *servedFile) save(served map[string]artifact.Name) error {
	content := []byte(strings.Join(append([]string{m.head}, slices.Sorted(maps.Keys(served))...), "\n") + "\n")
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

// keep saves the modules that served returns after each request, until ctx ends. Of attempts that fail
// one after the other it logs the first.
func (m *servedFile) keep(ctx context.Context, requests <-chan struct{}, served func() map[string]artifact.Name, logger *slog.Logger) {
	for failed := false; m != nil; {
		select {
		case <-requests:
		case <-ctx.Done():
			return
		}
		err := m.save(served())
		if err != nil && !failed {
			logger.Warn("cannot save which modules serve; after a restart they do not go first", "err", err)
		}
		failed = err != nil
	}
}
