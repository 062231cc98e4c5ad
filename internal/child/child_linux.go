package child

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Self starts the running binary again. It works on a read-only root without any writable directory.
const Self = "/proc/self/exe"

// Confine limits what this process may take from now on; a child calls it before it touches untrusted bytes. wall is the time that its
// parent gives it: twice as much processor time ends two busy threads when the parent fails to. The process can write no file and leave no
// core, and when memory runs short the kernel takes it first. Confine ignores errors, because the parent watches too.
func Confine(wall time.Duration) {
	cpu := uint64(wall/time.Second)*2 + 1
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: cpu, Max: cpu})
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// runBounded runs a command and kills it when it holds more than so many bytes of memory, which it looks up every few milliseconds: a
// limit of address space says little about a Go process, which reserves much and uses little.
func runBounded(cmd *exec.Cmd, memory int) (killed bool, err error) {
	// The child dies with the thread that started it, which therefore must stay with this goroutine.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("%w: %w", ErrStart, err)
	}
	done := make(chan struct{})
	over := make(chan bool, 1)
	go func() { // ends with the child
		statm := fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				over <- false
				return
			case <-tick.C:
				if Resident(statm) > memory {
					_ = cmd.Process.Kill()
					over <- true
					return
				}
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	return <-over, err
}
