//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"os"
	"syscall"
	"unsafe"
)

// The flags of memfd_create(2), from linux/memfd.h.
const (
	memfdCloseOnExec = 0x1
	memfdSealing     = 0x2
)

// NewFile creates an anonymous memory file. With sealing, fcntl(2) can make it immutable. It
// returns nil if the kernel refuses.
func NewFile(name string, sealing bool) *os.File {
	flags := uintptr(memfdCloseOnExec)
	if sealing {
		flags |= memfdSealing
	}
	terminated := append([]byte(name), 0)
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&terminated[0])), flags, 0)
	if errno != 0 {
		return nil
	}
	return os.NewFile(fd, name)
}
