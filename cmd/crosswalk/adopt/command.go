package adopt

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// goCommand returns a go command that an interrupt ends as ^C does: it removes its temporary files.
func goCommand(ctx context.Context, dir string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = dir, environment
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second // then it is killed
	return command
}

// relevant shortens the output of a go command about modules: it leaves out progress, and of the
// rest keeps the first line and the last, which have the package and the cause.
func relevant(text string) string {
	const most = 4
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "go: downloading ") || strings.HasPrefix(line, "go: added ") || strings.HasPrefix(line, "go: finding ") {
			continue
		}
		lines = append(lines, line)
	}
	if len(lines) > most {
		lines = append(append(lines[:1:1], fmt.Sprintf("… (%d lines)", len(lines)-most)), lines[len(lines)-most+1:]...)
	}
	return strings.Join(lines, "\n")
}

// beginning shortens the output of a compiler: the first errors cause the others.
func beginning(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… (%d more lines)", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}
