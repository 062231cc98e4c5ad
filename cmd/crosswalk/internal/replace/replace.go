// Package replace writes files that others may read meanwhile.
package replace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File writes a whole file in one step, or leaves an older one as it was. It follows links, as every
// writer does, and keeps the mode of an older file. A device or a pipe is written to, not replaced.
func File(path string, content []byte) error { return write(path, content, nil) }

// Same is File for a file that must have some content until it is replaced.
func Same(path string, old, content []byte) error {
	return write(path, content, func(file string) error {
		now, err := os.ReadFile(file)
		if err == nil && !bytes.Equal(now, old) {
			err = fmt.Errorf("%s has changed meanwhile: run the command again", path)
		}
		return err
	})
}

// write calls check, unless it is nil, just before it replaces the file.
func write(path string, content []byte, check func(file string) error) error {
	file, mode := path, fs.FileMode(0o644) // of a new file, less the process's umask
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	case err == nil:
		file, err = filepath.EvalSymlinks(path)
	case errors.Is(err, fs.ErrNotExist) && check == nil:
		if _, link := os.Readlink(path); link != nil {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(file), ".crosswalk-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(content)
	if info != nil { // a crash of the machine must not lose both
		err = errors.Join(err, f.Chmod(info.Mode()), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil && check != nil {
		err = check(file)
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
