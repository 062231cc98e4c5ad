package main

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// self returns this program as a process that is yet to be started, and its output. An interrupt is for
// this process, which ends that one.
func self(args ...string) (*exec.Cmd, io.Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	return cmd, out, err
}
