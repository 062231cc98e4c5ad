// Package child runs the gateway's own binary as a child process with limits. Code that works on
// untrusted bytes and cannot be interrupted or bounded from inside, such as a compiler, runs there
// first: a limit ends only the child.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"
)

// Errors of [Task.Run], to compare with errors.Is. Every other error means that the child failed on
// its own.
var (
	ErrStart  = errors.New("starting a child process")
	ErrMemory = errors.New("the child process takes more memory than it may")
	ErrTime   = errors.New("the child process takes longer than it may")
	ErrUsed   = errors.New("the child process takes more processor time than it may")
	ErrOutput = errors.New("the child process writes more than it may")
	// ErrKilled: a SIGKILL that Run did not send. The kernel sends it when memory is short, or when
	// the limit of processor time that the child set itself is used up, which Task.Used shows.
	// Everything else is another process's doing.
	ErrKilled = errors.New("the child process was killed from outside")
)

// Task is one run of the binary. Its main function recognises Argument and calls the function that
// does the work.
type Task struct {
	Program  string // Self(), except in tests
	Argument string // the only argument
	Input    io.Reader
	Memory   int           // most resident bytes; bounded on Linux only
	Time     time.Duration // wall clock
	Output   int           // most bytes on its standard output
	// Processor is the most processor time; 0 means no bound. It is bounded on Linux only.
	Processor time.Duration

	// File is the child's descriptor 3; nil means that it has no such descriptor. The size of the
	// file counts as memory of the child.
	File *os.File
	// Line, if not nil, is called with each line that the child writes, without its end. A positive
	// result replaces the rest of Time, so a child that reports its progress gets a deadline for
	// each of its stages.
	Line func(line []byte) time.Duration
	// Used is the processor time that the child took; Run sets it.
	Used time.Duration
}

// waitForPipes is the time that the pipes of a dead child stay open. No other process holds them,
// so it only has to outlast a pause of the machine.
const waitForPipes = 10 * time.Second

// Run runs the task and returns its output. The child dies with this process, with ctx, and at its
// limits.
func (t *Task) Run(ctx context.Context) ([]byte, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	var late atomic.Bool
	deadline := time.AfterFunc(t.Time, func() {
		late.Store(true)
		cancel()
	})
	defer deadline.Stop()
	cmd := exec.CommandContext(limited, t.Program, t.Argument)
	// The collector works harder near three quarters of the memory; two threads bound the processor
	// time that one child takes.
	cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", t.Memory/4*3), "GOMAXPROCS=2"}
	out := &output{most: t.Output, line: func(line []byte) {
		if t.Line == nil {
			return
		}
		if left := t.Line(line); left > 0 {
			deadline.Reset(left)
		}
	}}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = t.Input, out, waitForPipes
	if t.File != nil {
		cmd.ExtraFiles = []*os.File{t.File}
	}
	limit, err := runBounded(cmd, t.Memory, t.Processor, t.fileBytes)
	if s := cmd.ProcessState; s != nil {
		t.Used = s.UserTime() + s.SystemTime()
	}
	switch {
	case errors.Is(err, ErrStart):
		return nil, err
	case limit != nil:
		return nil, limit
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case late.Load():
		return nil, ErrTime
	case out.over:
		return nil, ErrOutput
	case killed(cmd.ProcessState):
		return nil, ErrKilled
	}
	return out.buffer.Bytes(), err
}

// fileBytes is the size of File.
func (t *Task) fileBytes() int {
	if t.File == nil {
		return 0
	}
	info, err := t.File.Stat()
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// output keeps a child's output up to a limit. The write beyond it fails, and the child loses its
// pipe.
type output struct {
	buffer bytes.Buffer
	most   int
	over   bool
	told   int               // bytes of whole lines that line was called with
	line   func(line []byte) // called on the goroutine that reads the pipe
}

func (o *output) Write(p []byte) (int, error) {
	if o.buffer.Len()+len(p) > o.most {
		o.over = true
		return 0, ErrOutput
	}
	n, err := o.buffer.Write(p)
	for {
		rest := o.buffer.Bytes()[o.told:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return n, err
		}
		o.told += end + 1
		o.line(rest[:end])
	}
}

// Resident reads the second field of a statm file, a process's resident memory; 0 where it cannot.
func Resident(statm string) int {
	text, err := os.ReadFile(statm)
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize()
}

// Peak reads the most resident memory that this process has had, in bytes; 0 where it cannot. A
// child reports it, because its peak may fall between two looks of its parent.
func Peak() int { return peak("/proc/self/status") }

func peak(status string) int {
	text, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(text, []byte("\nVmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) < 2 || string(fields[1]) != "kB" {
		return 0
	}
	kibibytes, _ := strconv.Atoi(string(fields[0]))
	return kibibytes << 10
}
