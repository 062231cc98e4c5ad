package load

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// vetChild is the state of a vetting child: the code that it hands over, and its stage.
type vetChild struct {
	out     *json.Encoder
	memory  int           // its limit, in bytes
	code    *codeFile     // nil if there is none
	sealed  func()        // called when the code is sealed
	entered time.Time     // start of the current stage
	used    time.Duration // processor time of the process until then
}

// handover returns the file for the compiled code; nil if there is none.
func (c *vetChild) handover() *codeFile {
	return c.code
}

// smallModule is the least ratio of memory to module size at which the child compiles with less
// garbage collection: JavaScript's engine, of 0.9 MB, then takes 120 MB instead of 90, and Go's 2.1
// MB a tenth less processor time.
const smallModule = 100

// expect prepares for compiling a module of so many bytes.
func (c *vetChild) expect(wasm int) {
	if wasm <= c.memory/smallModule {
		debug.SetGCPercent(300)
	}
}

// begin begins a stage, and reports it to the parent. It seals the compiled code before the
// first instruction of the module runs: even if the module takes over this process, it cannot
// change the code that the parent loads.
func (c *vetChild) begin(stage string) error {
	if stage == stageStart && c.code != nil {
		if err := seal(c.code.file); err != nil {
			return err
		}
		c.sealed()
	}
	c.entered, c.used = time.Now(), child.Used()
	return c.out.Encode(vetReply{Stage: stage, Used: c.used})
}

// verdict is the reply with the result of vetting.
func (c *vetChild) verdict(result compareResult, err error) vetReply {
	reply := vetReply{Stage: stageVerdict, Peak: child.Peak(), compareResult: result}
	var busy *BusyError
	switch {
	case errors.As(err, &busy):
		reply.Error, reply.Busy = busy.Err.Error(), starved(child.Used()-c.used, time.Since(c.entered))
	case err != nil:
		reply.Error = err.Error()
	}
	return reply
}

// VetMain is the main function of the gateway's binary started with [VetArgument]: it reads a
// request from in, loads the module under resource limits, hands over the compiled code, compares
// it with the interpreter, and writes the verdict to out. It returns the exit code.
func VetMain(in io.Reader, out io.Writer) int {
	c := &vetChild{out: json.NewEncoder(out), sealed: func() { child.ConfineFiles(0) }, entered: time.Now()}
	result, err := c.vet(in)
	if err := c.out.Encode(c.verdict(result, err)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (c *vetChild) vet(in io.Reader) (result compareResult, err error) {
	start := time.Now()
	request, content, err := readVetRequest(in)
	if err != nil {
		return result, err
	}
	c.memory = request.Memory
	if request.Handed {
		most := handoverBytes(request.Memory)
		child.ConfineWriter(request.Limits.CompileTime, most)
		c.code = &codeFile{file: os.NewFile(3, "code"), most: int64(most)}
	} else {
		child.Confine(request.Limits.CompileTime)
	}
	name, err := artifact.ParseOwned(request.Name)
	if err != nil {
		return result, err
	}
	ctx := context.Background()
	l := newLoader(request.Limits, slog.New(slog.DiscardHandler), nil)
	file := watch.File{Name: name.File, Content: content, Sum: sha256.Sum256(content)}
	var beside *watch.File
	if s := request.Sidecar; s != nil {
		beside = &watch.File{Name: s.Name, Content: s.Content, Sum: sha256.Sum256(s.Content)}
	}
	l.stages = c
	loading, err := newCandidate(l, name, file, beside)
	if err != nil {
		return result, err
	}
	m, err := l.load(ctx, loading)
	if err != nil {
		return result, busyOr(err)
	}
	defer m.Close()
	if err := c.begin(stageCompare); err != nil {
		return result, err
	}
	// The parent ends this process at CompileTime. The comparison ends well before, and conversions
	// left are not compared.
	ctx, cancel := context.WithDeadline(ctx, start.Add(request.Limits.CompileTime*3/4))
	defer cancel()
	return l.compare(ctx, m, loading)
}
