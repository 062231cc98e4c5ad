// Package child runs the gateway's own binary as a child process with limits. Code that works on untrusted bytes and that nobody can
// interrupt or bound from inside, such as a compiler, runs there first: a limit ends the child and nothing else.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Errors of [Task.Run], to compare with errors.Is. Every other error means that the child failed on its own.
var (
	ErrStart  = errors.New("starting a child process")
	ErrMemory = errors.New("the child process takes more memory than it may")
	ErrTime   = errors.New("the child process takes longer than it may")
	ErrOutput = errors.New("the child process writes more than it may")
)

// Task is one run of the binary. Its main function recognises Argument and calls the function that does the work.
type Task struct {
	Program  string // Self, except in tests
	Argument string // the only argument
	Input    io.Reader
	Memory   int           // most resident bytes
	Time     time.Duration // wall clock
	Output   int           // most bytes on its standard output
}

// waitForPipes is the time that the pipes of a dead child stay open. No other process holds them, so it only has to outlast a pause of
// the machine.
const waitForPipes = 10 * time.Second

// Run runs the task and returns its output. The child dies with this process, with ctx, and at its limits.
func (t *Task) Run(ctx context.Context) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, t.Time)
	defer cancel()
	cmd := exec.CommandContext(limited, t.Program, t.Argument)
	// The collector works harder near three quarters of the memory; two threads bound the processor time that one child takes.
	cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", t.Memory/4*3), "GOMAXPROCS=2"}
	out := &output{most: t.Output}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = t.Input, out, waitForPipes
	killed, err := runBounded(cmd, t.Memory)
	switch {
	case errors.Is(err, ErrStart):
		return nil, err
	case killed:
		return nil, ErrMemory
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, ErrTime
	case out.over:
		return nil, ErrOutput
	}
	return out.buffer.Bytes(), err
}

// output keeps a child's output up to a limit. The write beyond it fails, and the child loses its pipe.
type output struct {
	buffer bytes.Buffer
	most   int
	over   bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.buffer.Len()+len(p) > o.most {
		o.over = true
		return 0, ErrOutput
	}
	return o.buffer.Write(p)
}
