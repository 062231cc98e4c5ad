package oracle

import (
	"syscall"
	"testing"
	"time"
)

// measured runs a step, and logs the CPU time of the processes that it started. No step has a limit of
// time but go test's own.
func measured(t *testing.T, step string, do func()) {
	t.Helper()
	before := cpuOfChildren(t)
	do()
	t.Logf("%s: %.0f s of CPU", step, (cpuOfChildren(t) - before).Seconds())
}

// cpuOfChildren returns the CPU time of all processes that ended, and of those that they waited for.
func cpuOfChildren(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
