//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestSecondInterruptEnds asserts that a command which waits for a pipe, deaf to the first
// interrupt, does not need to be killed.
func TestSecondInterruptEnds(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "objects.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes with names: ", err)
	}
	cmd := exec.Command(program, "convert", "-f", pipe, "--to", "v2", moduleFile(t, "good_echo", echo, ""))
	cmd.Env = append(os.Environ(), actAsCrosswalk+"=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ended := make(chan struct{})
	go func() { // ends with the command
		_ = cmd.Wait()
		close(ended)
	}()
	for range 3000 { // the second counts once the first was seen, which takes no certain time
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
				t.Errorf("%v: %s", cmd.ProcessState, said.String())
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	<-ended
	t.Errorf("the command did not end: %s", said.String())
}
