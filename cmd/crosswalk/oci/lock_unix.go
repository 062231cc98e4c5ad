//go:build unix

package oci

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps a second pull from a directory, which would remove the version that the first one is
// writing. The lock ends with the process. A file system without locks gets none.
func lock(dir string) (unlock func(), err error) {
	held, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		_ = held.Close()
		return nil, fmt.Errorf("another crosswalk pull is writing %s: give each its own directory, or wait", dir)
	}
	return func() { _ = held.Close() }, nil
}
