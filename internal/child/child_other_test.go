//go:build !linux

package child

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain does in a child the work that its argument names.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "echo":
			Confine(time.Minute)
			_, _ = io.Copy(os.Stdout, os.Stdin)
			os.Exit(0)
		case "fail":
			os.Exit(3)
		case "sleep":
			time.Sleep(time.Hour)
		}
	}
	os.Exit(m.Run())
}

func TestRunElsewhere(t *testing.T) {
	run := func(program, argument string, limit time.Duration) (string, error) {
		task := Task{Program: program, Argument: argument, Input: strings.NewReader("some text"), Memory: 1 << 30, Time: limit, Output: 1 << 10}
		out, err := task.Run(context.Background())
		return string(out), err
	}
	if out, err := run(Self(), "echo", time.Minute); err != nil || out != "some text" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := run(Self(), "fail", time.Minute); err == nil || errors.Is(err, ErrStart) {
		t.Errorf("a child that fails: %v", err)
	}
	if _, err := run(Self(), "sleep", 100*time.Millisecond); !errors.Is(err, ErrTime) {
		t.Errorf("a child that sleeps: %v", err)
	}
	if _, err := run(Self()+".none", "echo", time.Minute); !errors.Is(err, ErrStart) {
		t.Errorf("no such program: %v", err)
	}
}
