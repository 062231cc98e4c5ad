// Package kubelet writes directories for tests as a kubelet writes volumes of ConfigMaps, Secrets
// and projections of them.
package kubelet

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Volume is a directory that is written as the kubelet's AtomicWriter does: each version of all
// files in a directory of its own, named for the time; a link ..data, switched from one to the next
// by renaming; for each file, or directory of files, a link into ..data. It is for one goroutine;
// those that read the directory may be anywhere.
type Volume struct {
	Dir string
	// LinksFirst has the links of new files made before the switch, as kubelets before 1.26 did:
	// for a moment they lead nowhere.
	LinksFirst bool
}

// Write replaces the whole content. The order of its steps is that of the AtomicWriter; content
// that is there already is not written again.
func (v *Volume) Write(files map[string][]byte) error {
	before, err := os.Readlink(v.path("..data"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if before != "" && v.has(before, files) {
		return nil
	}
	version, err := v.writeVersion(files)
	if err != nil {
		return err
	}
	if v.LinksFirst {
		if err := v.addLinks(files); err != nil {
			return err
		}
	}
	if err := os.Symlink(version, v.path("..data_tmp")); err != nil {
		return err
	}
	if err := os.Rename(v.path("..data_tmp"), v.path("..data")); err != nil {
		return err
	}
	if err := v.addLinks(files); err != nil {
		return err
	}
	if err := v.removeLinks(files); err != nil || before == "" {
		return err
	}
	return os.RemoveAll(v.path(before))
}

func (v *Volume) path(name string) string { return filepath.Join(v.Dir, name) }

// has reports whether a version has exactly these files.
func (v *Volume) has(version string, files map[string][]byte) bool {
	there := 0
	err := filepath.WalkDir(v.path(version), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(v.path(version), path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if want, ok := files[name]; err != nil || !ok || !bytes.Equal(content, want) {
			return errors.Join(err, fs.ErrNotExist)
		}
		there++
		return nil
	})
	return err == nil && there == len(files)
}

// writeVersion writes a directory that nothing leads to yet, and returns its name.
func (v *Volume) writeVersion(files map[string][]byte) (string, error) {
	dir, err := os.MkdirTemp(v.Dir, time.Now().UTC().Format("..2006_01_02_15_04_05."))
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, files[name], 0o644); err != nil {
			return "", err
		}
		if err := os.Chmod(file, 0o644); err != nil { // whatever the umask is
			return "", err
		}
	}
	return filepath.Base(dir), nil
}

// addLinks makes the links that are missing.
func (v *Volume) addLinks(files map[string][]byte) error {
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		if _, err := os.Lstat(v.path(top)); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join("..data", top), v.path(top)); err != nil {
			return err
		}
	}
	return nil
}

// removeLinks removes the links of files that are not there any more.
func (v *Volume) removeLinks(files map[string][]byte) error {
	keep := map[string]bool{}
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		keep[top] = true
	}
	entries, err := os.ReadDir(v.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "..") && !keep[e.Name()] {
			if err := os.Remove(v.path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
