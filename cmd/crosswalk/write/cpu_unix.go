//go:build unix

package write

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the process has used: other work on the machine does not count.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
