package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	goruntime "runtime"
	"syscall"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// VetArgument, as the only argument of the gateway's binary, makes the process vet one module and
// exit: see [VetMain].
const VetArgument = "vet-module"

// vetter loads new modules in a child process first. A native compiler is the largest piece of code
// that reads untrusted bytes, and it can neither be interrupted nor bounded from outside: inputs of
// a few kilobytes keep it busy for a minute or make it allocate gigabytes (faults.md M6). The child
// has limits of time and memory. A module that passes there is loaded here, with the code that the
// child compiled.
type vetter struct {
	limits module.Limits
	logger *slog.Logger
	self   string // the running binary
	slots  *childSlots
}

func newVetter(limits module.Limits, logger *slog.Logger) *vetter {
	return &vetter{limits: limits, logger: logger, self: child.Self(), slots: newChildSlots(vetChildren(goruntime.GOMAXPROCS(0)))}
}

// vet loads a module and its sidecar, if it has one, in a child, and returns an error if it
// must not be loaded here. code is the compiled code; nil if the child handed over none. The caller
// closes it soon: until then it occupies its part of the memory.
func (v *vetter) vet(ctx context.Context, name artifact.Name, file watch.File, beside *watch.File) (code *codeFile, err error) {
	memory := v.limits.VetMemory / cap(v.slots.slots)
	done, err := v.slots.acquire(ctx, false)
	if err != nil {
		return nil, err
	}
	StartTry(ctx)
	code, err = v.inChild(ctx, memory, name, file, beside)
	if errors.Is(err, child.ErrMemory) && memory < v.limits.VetMemory {
		done()
		if done, err = v.slots.acquire(ctx, true); err != nil {
			return nil, err
		}
		code, err = v.inChild(ctx, v.limits.VetMemory, name, file, beside)
	}
	if errors.Is(err, child.ErrMemory) {
		err = fmt.Errorf("compiling the module takes more than %d MiB of memory: it is built to exhaust the compiler, or is too large: shrink it, or raise --vet-memory-bytes", v.limits.VetMemory>>20)
	}
	if code == nil {
		done()
		return nil, err
	}
	code.release = done
	return code, nil
}

// Compared is the line of the log about the comparison with the interpreter.
const Compared = "compared the module's compiled code with the interpreter"

// inChild vets a module with so much memory. child.ErrMemory means that the memory did not suffice.
func (v *vetter) inChild(ctx context.Context, memory int, name artifact.Name, file watch.File, beside *watch.File) (code *codeFile, err error) {
	handover := newHandover()
	defer func() {
		if handover != nil && code == nil {
			handover.Close()
		}
	}()
	toVet := vetRequest{Name: name.File, Limits: v.limits, Memory: memory, Handed: handover != nil}
	if beside != nil {
		toVet.Sidecar = &vetSidecar{beside.Name, beside.Content}
	}
	request, err := json.Marshal(toVet)
	if err != nil {
		return nil, fmt.Errorf("vetting the module: %w", err)
	}
	look := &vetProgress{limits: &v.limits, began: time.Now()}
	task := child.Task{
		Program: v.self, Argument: VetArgument, Memory: memory, Time: v.limits.CompileTime, Output: maxVetReply, Processor: TryProcessor(ctx), File: handover, Line: look.line,
		Input: io.MultiReader(bytes.NewReader(binary.LittleEndian.AppendUint32(nil, uint32(len(request)))), bytes.NewReader(request), bytes.NewReader(file.Content)),
	}
	_, err = task.Run(ctx)
	reply := &look.last
	switch {
	case errors.Is(err, child.ErrStart):
		return nil, noChild(err)
	case errors.Is(err, child.ErrUsed):
		endTry(ctx)
		return nil, ErrOverran
	case errors.Is(err, child.ErrMemory), ctx.Err() != nil:
		return nil, err
	case errors.Is(err, child.ErrTime) && reply.Stage == stageCompare: // it has passed all required checks
		reply = &vetReply{Stage: stageVerdict}
	case errors.Is(err, child.ErrTime):
		return nil, look.late(task.Used)
	case errors.Is(err, child.ErrKilled) && reply.Stage != stageVerdict:
		return nil, v.killed(task.Used, reply.Stage)
	case reply.Stage != stageVerdict:
		return nil, fmt.Errorf("the process that vetted the module died (%v): the module crashes %s", err, crashedIn(reply.Stage))
	}
	if reply.Error != "" {
		err := errors.New(reply.Error)
		if reply.Busy {
			return nil, &BusyError{err}
		}
		return nil, err
	}
	attrs := []any{"module", name.File, "objects", reply.Compared, "of", reply.Of}
	if reply.Blocks > 0 {
		attrs = append(attrs, "blocks", reply.Ran, "ofBlocks", reply.Blocks)
	}
	v.logger.Info(Compared, attrs...)
	return v.received(handover, memory, reply.Peak)
}

// killed is the error of a child that a SIGKILL ended after so much processor time. Nobody knows
// whether the module is the reason that memory ran short, so it is not blamed; only the limit of
// processor time that the child sets itself, see child.Confine, is the module's.
func (v *vetter) killed(used time.Duration, stage string) error {
	if used >= 2*v.limits.CompileTime {
		return fmt.Errorf("the process that vetted the module used more than %v of processor time: the module occupies %s", 2*v.limits.CompileTime, crashedIn(stage))
	}
	return &BusyError{errors.New("the process that vetted the module was killed, by the kernel for lack of memory or by another process: if it happens again, give the pod more memory")}
}

// received returns the code that a child handed over; nil if there is none. peak is the child's
// memory without it.
func (v *vetter) received(handover *os.File, memory, peak int) (*codeFile, error) {
	code := &codeFile{file: handover}
	size := int64(0)
	if handover != nil {
		if err := checkSealed(handover); err != nil {
			return nil, err
		}
		var err error
		if size, err = code.size(); err != nil {
			return nil, fmt.Errorf("vetting the module: %w", err)
		}
	}
	switch {
	case peak+int(size) > memory: // the child exited before its memory was checked: the verdict must not depend on timing
		return nil, child.ErrMemory
	case size == 0:
		return nil, nil
	}
	return code, nil
}

// noChild is the error if no child can be started: then no module can be vetted or loaded.
func noChild(err error) error {
	err = fmt.Errorf("no process can be started to vet the module in (%w): give the pod more memory or process ids, or set --vet=false if you trust all modules", err)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM) {
		return &BusyError{err}
	}
	return err
}

// handoverBytes is the most code that a child with so much memory hands over. Compiling the largest
// known module takes 11 bytes of memory per byte. Its code has codePerByte, once in the engine and
// once in the file. All of it fits if the memory is 24 times the module.
func handoverBytes(memory int) int { return memory / 24 * codePerByte }

// maxVetReply is the most bytes that a child writes: enough for the longest error, which quotes a
// golden case and a module's text.
const maxVetReply = 1 << 20

// childSlots divides the memory for vetting children: several run at once with a part each, and one
// that needs more runs alone with all of it.
type childSlots struct {
	slots chan struct{} // one for each child at work
	alone chan struct{} // held while collecting all slots, so that no two callers wait for each other
}

// vetChildren is the number of children that vet at once: each has two threads. Above four, the
// part of the memory would be too small for most modules: of the default gigabyte, 256 MiB.
func vetChildren(processors int) int { return min(max(processors/2, 1), 4) }

func newChildSlots(children int) *childSlots {
	return &childSlots{slots: make(chan struct{}, children), alone: make(chan struct{}, 1)}
}

// acquire waits for a slot, or for all of them. done releases them.
func (t *childSlots) acquire(ctx context.Context, all bool) (done func(), err error) {
	want := 1
	if all {
		want = cap(t.slots)
		select {
		case t.alone <- struct{}{}:
			defer func() { <-t.alone }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	release := func(n int) {
		for range n {
			<-t.slots
		}
	}
	for got := range want {
		select {
		case t.slots <- struct{}{}:
		case <-ctx.Done():
			release(got)
			return nil, ctx.Err()
		}
	}
	return func() { release(want) }, nil
}
