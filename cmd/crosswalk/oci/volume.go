package oci

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	dataLink   = "..data"
	newLink    = "..data_new"
	digestFile = "..digest" // in a version's directory: the digest of its image
	pulledFile = "..pulled" // there, too: its time is that of the last successful pull by Watch
)

// volume is a directory that is written as a kubelet writes volumes of ConfigMaps: each version in
// a directory of its own, the link ..data that is switched from one to the next by renaming, and
// for each file a link into ..data. A gateway that watches the directory sees either all old or all
// new files.
type volume struct{ dir string }

func (v volume) path(name string) string { return filepath.Join(v.dir, name) }

// digest returns the digest of the current version; "" if there is none.
func (v volume) digest() string {
	text, err := os.ReadFile(v.path(filepath.Join(dataLink, digestFile)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// confirm sets the time of the last successful pull, which the gateway's metrics and status page
// show. A version's directory is not watched, so that it is not read again each time.
func (v volume) confirm() error {
	file, now := v.path(filepath.Join(dataLink, pulledFile)), time.Now()
	err := os.Chtimes(file, now, now)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(file, nil, 0o644)
	}
	return err
}

// replace makes a new version, which write fills, current. If write fails, the current version
// stays.
func (v volume) replace(digest string, write func(dir string) error) (err error) {
	if err := os.MkdirAll(v.dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(v.dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.clean(); err != nil {
		return err
	}
	version, err := os.MkdirTemp(v.dir, time.Now().UTC().Format("..2006_01_02_15_04_05."))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(version) // the next clean removes the rest
		}
	}()
	if err := os.Chmod(version, 0o755); err != nil {
		return err
	}
	if err := write(version); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(version, digestFile), []byte(digest+"\n"), 0o644); err != nil {
		return err
	}
	files, err := v.files(version)
	if err != nil {
		return err
	}
	if err := os.Symlink(filepath.Base(version), v.path(newLink)); err != nil {
		return err
	}
	if err := os.Rename(v.path(newLink), v.path(dataLink)); err != nil {
		return err
	}
	if err := v.link(files); err != nil {
		return fmt.Errorf("the files are written, but not all have a link: %w", err)
	}
	return v.clean()
}

// repair completes a replace that was interrupted after it made its version current.
func (v volume) repair() error {
	unlock, err := lock(v.dir)
	if err != nil {
		return err
	}
	defer unlock()
	files, err := v.files(v.path(dataLink))
	if err != nil {
		return err
	}
	if err := v.link(files); err != nil {
		return err
	}
	return v.clean()
}

// files lists a version's files. It fails if the volume has something of the same name that replace
// did not make.
func (v volume) files(version string) (names []string, err error) {
	entries, err := os.ReadDir(version)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "..") {
			continue
		}
		if _, err := os.Lstat(v.path(e.Name())); err == nil && !v.linked(e.Name()) {
			return nil, fmt.Errorf("%s is in the way: it was not written by crosswalk pull; move it, or choose an empty directory", v.path(e.Name()))
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// linked reports whether a name is a link into ..data.
func (v volume) linked(name string) bool {
	target, err := os.Readlink(v.path(name))
	return err == nil && target == filepath.Join(dataLink, name)
}

// link makes missing links and removes those of files that are gone.
func (v volume) link(files []string) error {
	for _, name := range files {
		if err := os.Symlink(filepath.Join(dataLink, name), v.path(name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := os.Stat(v.path(e.Name())); errors.Is(err, fs.ErrNotExist) && v.linked(e.Name()) {
			if err := os.Remove(v.path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// clean removes all versions but the current one: the previous one, and those that an interrupted
// process left.
func (v volume) clean() error {
	current, err := os.Readlink(v.path(dataLink))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		version := strings.HasPrefix(e.Name(), "..2") && e.IsDir() && e.Name() != current
		if !version && e.Name() != newLink {
			continue
		}
		if err := os.RemoveAll(v.path(e.Name())); err != nil {
			return err
		}
	}
	return nil
}
