package runtime

import (
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"syscall"
	"time"
)

// selfExecutable starts the running binary again. It works on a read-only root without any writable directory.
const selfExecutable = "/proc/self/exe"

// confine limits what the process itself may take from now on. CPU time ends a compiler that does not; no files can be written, no
// core dumped; when memory runs short, the kernel takes this process first. Errors are ignored: the parent watches too.
func confine(limits Limits) {
	cpu := uint64(limits.CompileTime/time.Second)*2 + 1 // two threads may burn at once
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: cpu, Max: cpu})
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// runBounded runs a command and kills it when it holds more than so many bytes of memory, which it looks up every few
// milliseconds: limits of address space say little about a Go process, which reserves much and uses little.
func runBounded(cmd *exec.Cmd, memory int) (killed bool, err error) {
	// The child dies with the thread that started it, which therefore must not be handed on meanwhile.
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("%w: %w", errNoChild, err)
	}
	done := make(chan struct{})
	over := make(chan bool, 1)
	go func() { // ends when the child has
		statm := fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				over <- false
				return
			case <-tick.C:
				if residentBytes(statm) > memory {
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
