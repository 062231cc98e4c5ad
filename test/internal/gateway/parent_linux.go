package gateway

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the process end when this one does, even if that is killed or runs into a
// test's time limit.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
