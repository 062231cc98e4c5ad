//go:build !linux

package child

import (
	"os/exec"
	"time"
)

// Self is empty: without /proc there is no reliable way to start the running binary again.
const Self = ""

// Confine does nothing: no child can be started on this system.
func Confine(time.Duration) {}

// ConfineWriter does nothing, like Confine.
func ConfineWriter(time.Duration, int) {}

// ConfineFiles does nothing, like Confine.
func ConfineFiles(int) {}

// Used is unknown here.
func Used() time.Duration { return 0 }

func runBounded(*exec.Cmd, int, func() int) (bool, error) { return false, ErrStart }
