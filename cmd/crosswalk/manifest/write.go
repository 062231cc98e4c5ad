package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces the file of a change in one step, and keeps its mode. It writes nothing if the file
// has changed since it was read.
func (c Change) Write() (err error) {
	file, err := filepath.EvalSymlinks(c.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".crosswalk-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(c.new)
	if err := errors.Join(err, f.Chmod(info.Mode()), f.Sync(), f.Close()); err != nil {
		return err
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.old) {
		return fmt.Errorf("%s has changed meanwhile: run the command again", c.File)
	}
	return os.Rename(f.Name(), file)
}
