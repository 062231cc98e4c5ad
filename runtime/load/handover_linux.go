//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package load

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
)

// Of linux/fcntl.h, which package syscall lacks.
const (
	addSeals = 1024 + 9
	getSeals = 1024 + 10
	allSeals = 0x1 | 0x2 | 0x4 | 0x8 // of the seals themselves, of shrinking, growing and writing
)

// newHandover makes the file through which a vetting child hands over compiled code; nil if the
// kernel gives no file.
func newHandover() *os.File { return memory.NewFile("crosswalk code", true) }

// seal makes a file of newHandover immutable: no process can change it any more, or remove the
// seals.
func seal(f *os.File) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), addSeals, allSeals); errno != 0 {
		return fmt.Errorf("sealing the compiled code: %w", errno)
	}
	return nil
}

// checkSealed returns an error unless a file was sealed by seal.
func checkSealed(f *os.File) error {
	seals, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), getSeals, 0)
	if errno != 0 || seals&allSeals != allSeals {
		return errors.New("the process that vetted the module did not seal the compiled code")
	}
	return nil
}
