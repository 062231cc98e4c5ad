package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// VetArgument, as the only argument of the gateway's binary, makes the process vet one module and end: see [VetMain].
const VetArgument = "vet-module"

// A native compiler is the largest piece of code that untrusted bytes ever meet, and it can neither be interrupted nor
// bounded from outside: inputs of a few kilobytes keep it busy for a minute or make it take gigabytes (faults.md M6). A new
// module is therefore loaded in a child process first, where both have an end. What survives there is loaded here.
type vetter struct {
	limits Limits
	logger *slog.Logger
	self   string // the running binary
	turns  *turns
	warned sync.Once
}

func newVetter(limits Limits, logger *slog.Logger) *vetter {
	return &vetter{limits: limits, logger: logger, self: child.Self, turns: newTurns(vetChildren(goruntime.GOMAXPROCS(0)))}
}

// vetRequest goes to the child as four bytes of length, JSON, and then the module's file.
type vetRequest struct {
	Name    string
	Limits  Limits
	Sidecar *vetSidecar // nil where there is none
}

type vetSidecar struct {
	Name    string
	Content []byte
}

type vetReply struct {
	Error string
	Peak  int // bytes, the most memory that the child held; 0 where it cannot say
}

// vet vets a module that has no sidecar; see vetWith.
func (v *vetter) vet(ctx context.Context, name Name, file watch.File) error {
	return v.vetWith(ctx, name, file, nil)
}

// vetWith loads a module and its sidecar, if it has one, in a child and returns why it must not be loaded here. Where no child can be
// started it says so in the log, once, and lets the module pass: scan, meter and the recovery from panics still stand in its way.
func (v *vetter) vetWith(ctx context.Context, name Name, file watch.File, beside *watch.File) error {
	memory := v.limits.VetMemory / cap(v.turns.places)
	done, err := v.turns.take(ctx, false)
	if err != nil {
		return err
	}
	startTry(ctx)
	killed, err := v.inChild(ctx, memory, name, file, beside)
	done()
	if !killed || memory == v.limits.VetMemory {
		return err
	}
	if done, err = v.turns.take(ctx, true); err != nil {
		return err
	}
	defer done()
	_, err = v.inChild(ctx, v.limits.VetMemory, name, file, beside)
	return err
}

// inChild vets with so much memory, and reports whether that was too little, which is an error as well.
func (v *vetter) inChild(ctx context.Context, memory int, name Name, file watch.File, beside *watch.File) (killed bool, err error) {
	limits := v.limits
	toVet := vetRequest{Name: name.File, Limits: limits}
	if beside != nil {
		toVet.Sidecar = &vetSidecar{beside.Name, beside.Content}
	}
	request, err := json.Marshal(toVet)
	if err != nil {
		return false, fmt.Errorf("vetting the module: %w", err)
	}
	task := child.Task{
		Program: v.self, Argument: VetArgument, Memory: memory, Time: limits.CompileTime, Output: maxVetReply,
		Input: io.MultiReader(bytes.NewReader(binary.LittleEndian.AppendUint32(nil, uint32(len(request)))), bytes.NewReader(request), bytes.NewReader(file.Content)),
	}
	out, err := task.Run(ctx)
	tooMuch := fmt.Errorf("compiling the module takes more than %d MiB of memory: it is built to exhaust the compiler, or needs a higher --vet-memory-bytes", limits.VetMemory>>20)
	switch {
	case errors.Is(err, child.ErrStart):
		v.warned.Do(func() {
			v.logger.Warn("cannot start a process to vet modules in; they are compiled unvetted", "err", err)
		})
		return false, nil
	case errors.Is(err, child.ErrMemory):
		return true, tooMuch
	case errors.Is(err, child.ErrTime):
		return false, fmt.Errorf("compiling and starting the module takes longer than %v: it is built to exhaust the compiler, or needs a higher --compile-timeout", limits.CompileTime)
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	var reply vetReply
	if jsonErr := json.Unmarshal(out, &reply); jsonErr != nil {
		return false, fmt.Errorf("the process that vetted the module died (%v): the module crashes the compiler", err)
	}
	if reply.Peak > memory { // and was done with it before anybody looked: the verdict is not to depend on that
		return true, tooMuch
	}
	if reply.Error != "" {
		return false, errors.New(reply.Error)
	}
	return false, nil
}

// maxVetReply is the most bytes of a reply: room for the longest error, which shows a golden case and a module's own words.
const maxVetReply = 1 << 20

// VetMain is what the gateway's binary does when it is started with [VetArgument]: it reads a request from in, loads the
// module under resource limits, tests the compiled code against the interpreter, and writes the verdict to out. It returns the exit code.
func VetMain(in io.Reader, out io.Writer) int {
	reply := vetReply{}
	if err := vetOne(in); err != nil {
		reply.Error = err.Error()
	}
	reply.Peak = child.Peak()
	if err := json.NewEncoder(out).Encode(reply); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func vetOne(in io.Reader) error {
	start := time.Now()
	var n [4]byte
	if _, err := io.ReadFull(in, n[:]); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	header := make([]byte, binary.LittleEndian.Uint32(n[:]))
	if _, err := io.ReadFull(in, header); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	var request vetRequest
	if err := json.Unmarshal(header, &request); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	child.Confine(request.Limits.CompileTime)
	name, err := ParseName(request.Name)
	if err != nil {
		return err
	}
	ctx := context.Background()
	l, err := newLoader(request.Limits, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	file := watch.File{Name: name.File, Content: content, Sum: sha256.Sum256(content)}
	var beside *watch.File
	if s := request.Sidecar; s != nil {
		beside = &watch.File{Name: s.Name, Content: s.Content, Sum: sha256.Sum256(s.Content)}
	}
	m, err := l.loadWith(ctx, name, file, beside)
	if err != nil {
		return err
	}
	defer m.close()
	l.interpret = true
	reference, err := l.loadWith(ctx, name, file, beside)
	if err != nil {
		return fmt.Errorf("on the interpreter: %w", err)
	}
	defer reference.close()
	// The parent's patience ends with CompileTime. What the interpreter has not answered well before that stays uncompared.
	ctx, cancel := context.WithDeadline(ctx, start.Add(request.Limits.CompileTime*3/4))
	defer cancel()
	return selfTest(ctx, m, reference)
}
