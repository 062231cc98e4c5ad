// Package gocmd runs the go command, and has the paths and files that all of adopt names.
package gocmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/replace"
)

// Command returns a go command that an interrupt ends as ^C does: it removes its temporary files.
func Command(ctx context.Context, dir string, environment []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = dir, environment
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second // then it is killed
	return command
}

// Relevant shortens the output of a go command about modules: it leaves out progress, and of the
// rest keeps the first line and the last, which have the package and the cause.
func Relevant(text string) string {
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

// Beginning shortens the output of a compiler: the first errors cause the others.
func Beginning(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… (%d more lines)", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

// ErrNoGo reports that there is no go command.
var ErrNoGo = errors.New("adopt compiles the operator's code, and there is no go in PATH: install Go 1.24 or later (https://go.dev/doc/install)")

// Output runs a go command in a directory and returns what it printed, without the spaces around it.
//
// # Errors
//
// ErrNoGo, the error of ctx if that ended, or the command's own with the relevant part of its output.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	return OutputWith(ctx, os.Environ(), dir, args...)
}

// OutputWith is Output with an environment.
func OutputWith(ctx context.Context, environment []string, dir string, args ...string) (string, error) {
	command := Command(ctx, dir, environment, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", ErrNoGo
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, Relevant(stderr.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// WriteFile writes a file in one step, and makes its directory.
func WriteFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return replace.File(name, text)
}

// SDKModule is the Go module of the SDKs, and SDKPackage the package for Go in it.
const (
	SDKModule  = "github.com/crosswalk-gateway/crosswalk/sdk"
	SDKPackage = SDKModule + "/go"
)
