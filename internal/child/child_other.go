//go:build !linux

package child

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Self is the file of the running binary; empty if it is unknown. If somebody replaces the file,
// the child is another program: only on Linux is it always the running one.
func Self() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	return file
}

// Confine does nothing: on this system a child has limits of time and output only. Authors run the
// tool here, with their own modules; gateways run on Linux.
func Confine(time.Duration) {}

// ConfineWriter does nothing, like Confine.
func ConfineWriter(time.Duration, int) {}

// ConfineFiles does nothing, like Confine.
func ConfineFiles(int) {}

// Used is unknown here.
func Used() time.Duration { return 0 }

// runBounded runs a command. It does not bound its memory and processor time.
func runBounded(cmd *exec.Cmd, _ int, _ time.Duration, _ func() int) (limit, err error) {
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil, cmd.Wait()
}

// killed is unknown here.
func killed(*os.ProcessState) bool { return false }
