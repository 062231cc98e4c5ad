//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"runtime"
	"syscall"
	"unsafe"
)

// watch tells whether a memory can have private pages that the last reading of the pagemap did not
// show. A page becomes private at the first write to it, which is a page fault, and the kernel
// counts the faults of each thread. So if the thread that ran the guest had no fault, the private
// pages are those of the last reading, and reading the pagemap again, at about 5 ns a page, is
// unnecessary.
//
// It belongs to the goroutine that has the instance.
type watch struct {
	complete bool  // private has all private pages; while watching, those from before
	watching bool  // the goroutine is locked to its thread
	faults   int64 // of the thread when the watch began
	private  []int // the indices of the private pages, without those that dropUnused gave back
}

// Watch begins a watch before a guest runs. Unwatch must follow, on the same goroutine.
func (w *watch) Watch() {
	if w.complete {
		runtime.LockOSThread()
		w.watching, w.faults = true, threadFaults()
	}
}

// Unwatch ends the watch, if there is one. It is called when the guest has returned, and before
// the goroutine may continue on another thread while the guest runs: then the rest is not watched.
func (w *watch) Unwatch(returned bool) {
	if !w.watching {
		return
	}
	w.watching, w.complete = false, returned && w.faults >= 0 && threadFaults() == w.faults
	runtime.UnlockOSThread()
}

// Forget says that a guest runs without a watch.
func (w *watch) Forget() { w.complete = false }

// rusageThread is RUSAGE_THREAD of getrusage(2), which package syscall lacks.
const rusageThread = 1

// threadFaults returns the number of page faults of this thread, -1 if it is unknown. A fault that
// had to wait counts as a major one.
func threadFaults() int64 {
	var used syscall.Rusage
	_, _, errno := syscall.RawSyscall(syscall.SYS_GETRUSAGE, rusageThread, uintptr(unsafe.Pointer(&used)), 0)
	if errno != 0 {
		return -1
	}
	return faultsOf(&used)
}

// faultsOf returns the page faults of both kinds: a page that is read back from swap has a major
// one, and a guest may write to it.
func faultsOf(used *syscall.Rusage) int64 { return int64(used.Minflt) + int64(used.Majflt) }

// countsFault reports whether this thread's count of page faults grows while f runs.
func countsFault(f func()) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadFaults()
	f()
	return before >= 0 && threadFaults() > before
}
