// Package replace writes files that others may read meanwhile.
package replace

import (
	"errors"
	"os"
	"path/filepath"
)

// File writes a whole file in one step, or leaves an older one as it was.
func File(path string, content []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".crosswalk-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
