package child

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Self is a path that starts the running binary again. It works on a read-only root without any
// writable directory, and if the binary's file was replaced.
func Self() string { return "/proc/self/exe" }

// Confine limits the resources of this process; a child calls it before it touches untrusted bytes.
// wall is the time that its parent gives it: a limit of twice as much processor time ends two busy
// threads if the parent fails to. The process cannot write files or leave a core, it gets little of
// a processor that its parent needs too, and the kernel kills it first when memory runs short.
// Confine ignores errors, because the parent enforces the limits too.
func Confine(wall time.Duration) { ConfineWriter(wall, 0) }

// ConfineWriter is Confine for a child that writes up to so many bytes to Task.File. It calls
// ConfineFiles(0) when it has.
func ConfineWriter(wall time.Duration, bytes int) {
	cpu := uint64(wall/time.Second)*2 + 1
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: cpu, Max: cpu})
	ConfineFiles(bytes)
	beNice()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// niceness is that of a child's threads. A thread of the parent, at 0, has three times the weight of
// one at 5 (sched(7)): conversions hardly wait for a file that is being vetted.
const niceness = 5

// beNice gives all threads of this process their niceness. It belongs to a thread, and a new thread
// has that of the one that started it: a look that finds no thread to change is the last.
func beNice() {
	for looks, changed := 0, true; changed && looks < 10; looks++ {
		changed = false
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil {
				continue
			}
			// The kernel's answer is 20 less the niceness.
			if now, err := syscall.Getpriority(syscall.PRIO_PROCESS, id); err == nil && 20-now < niceness {
				changed = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness) == nil || changed
			}
		}
	}
}

// ConfineFiles lowers the size of the files that this process can write, for good.
func ConfineFiles(bytes int) {
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
}

// Used is the processor time that this process has taken.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runBounded runs a command and kills it when it holds more than so many bytes of memory, with
// those that more returns, or has used so much processor time. It looks them up every few
// milliseconds: a limit of address space says little about a Go process, which reserves much and
// uses little. limit is the reason if it killed the command.
func runBounded(cmd *exec.Cmd, memory int, processor time.Duration, more func() int) (limit, err error) {
	// The child dies with the thread that started it, which therefore must stay with this
	// goroutine.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	done := make(chan struct{})
	over := make(chan error, 1)
	go func() { // ends with the child
		statm, stat := fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid), fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				over <- nil
				return
			case <-tick.C:
				var limit error
				switch {
				case Resident(statm)+more() > memory:
					limit = ErrMemory
				case processor > 0 && usedBy(stat) > processor:
					limit = ErrUsed
				default:
					continue
				}
				_ = cmd.Process.Kill()
				over <- limit
				return
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	return <-over, err
}

// killed reports whether a process ended by SIGKILL.
func killed(s *os.ProcessState) bool {
	if s == nil {
		return false
	}
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// usedBy reads the processor time of a process from its stat file; 0 where it cannot.
func usedBy(stat string) time.Duration {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name of the program may have spaces
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(string(fields[11]))
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * time.Second / ticksPerSecond
}

// ticksPerSecond is the unit of the times in stat files, which Linux has fixed.
const ticksPerSecond = 100
