package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/child"
)

// ChildArgument, as the only argument of the binary, makes the process read one
// CustomResourceDefinition and exit: see ChildMain.
const ChildArgument = "read-definition"

// A child process reads each definition first. It is the only process that parses YAML, and it
// compiles the schemas once before the gateway compiles the same JSON, which then takes no more
// memory than the child reported.
const (
	// childMemory bounds the memory of the child: 20 MiB for the process, and 30 times the largest
	// file for a YAML tree and a definition of the most schemas.
	childMemory = 160 << 20
	// childProcessor gives the child 5 s of processor time, see child.Confine; the largest file of
	// testdata takes 0.1 s.
	childProcessor = 2 * time.Second
	// childWait is how long the gateway waits for this processor time on a busy machine.
	childWait = 30 * time.Second
)

// MaxMemory is the default of Config.Memory: the definitions of a hundred large operators, at about
// 2 MiB each.
const MaxMemory = 256 << 20

// reply is the first line of the output of the child, in JSON. The definition follows, in JSON.
type reply struct {
	Error string
	Peak  int // bytes, the most memory that the child held; 0 if the system does not report it
	Kept  int // bytes that the compiled definition keeps
}

// ChildMain reads a definition's file from in, under resource limits, and writes a reply to out. It
// returns the exit code of the process.
func ChildMain(in io.Reader, out io.Writer) int {
	child.Confine(childProcessor)
	var r reply
	doc, err := readDefinition(in, &r)
	if err != nil {
		r.Error, doc = err.Error(), nil
	}
	r.Peak = child.Peak()
	if err = json.NewEncoder(out).Encode(r); err == nil {
		_, err = out.Write(doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func readDefinition(in io.Reader, r *reply) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(in, maxDefinition+1))
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	doc, err := schema.ToJSON(file)
	if err != nil {
		return nil, err
	}
	before := heapBytes()
	crd, err := schema.Parse(doc)
	if err != nil {
		return nil, err
	}
	r.Kept = max(heapBytes()-before, 0)
	runtime.KeepAlive(crd)
	return doc, nil
}

// heapBytes is how much of the heap is in use. The second collection frees the sync.Pools that the
// first has only emptied.
func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// laterError is an error that is not the file's fault: the next scan reads the file again.
type laterError struct{ error }

// readInChild has a child process read a definition's file. It returns the definition as JSON, and
// how many bytes it keeps once compiled.
func readInChild(ctx context.Context, program string, memory int, file []byte) (doc []byte, kept int, err error) {
	task := child.Task{Program: program, Argument: ChildArgument, Input: bytes.NewReader(file), Memory: memory, Time: childWait, Output: 5 * maxDefinition}
	out, err := task.Run(ctx)
	remedy := ""
	if memory < childMemory {
		remedy = ", or raise --max-definition-bytes"
	}
	tooMuch := fmt.Errorf("reading it takes more than %d MiB of memory: it is built to exhaust the gateway, or has too many schemas: simplify them%s", memory>>20, remedy)
	switch {
	case errors.Is(err, child.ErrStart):
		return nil, 0, laterError{fmt.Errorf("reading it needs a child process: %w: let the gateway start processes, or set --schema-check=off", err)}
	case errors.Is(err, child.ErrMemory):
		return nil, 0, tooMuch
	case errors.Is(err, child.ErrTime):
		return nil, 0, laterError{fmt.Errorf("reading it took longer than %v: the machine is busy, and the gateway tries again", childWait)}
	case errors.Is(err, child.ErrKilled) && task.Used < 2*childProcessor: // else its own limit ended it
		return nil, 0, laterError{errors.New("the process that read it was killed, by the kernel for lack of memory or by another process: the gateway tries again; if it happens again, give the pod more memory")}
	case ctx.Err() != nil:
		return nil, 0, laterError{ctx.Err()}
	}
	var r reply
	head, doc, _ := bytes.Cut(out, []byte("\n"))
	if jsonErr := json.Unmarshal(head, &r); err != nil || jsonErr != nil {
		return nil, 0, fmt.Errorf("the process that read it died (%v): it is built to exhaust the gateway, or takes more than %v of processor time", errors.Join(err, jsonErr), 2*childProcessor)
	}
	switch {
	case r.Error != "":
		return nil, 0, errors.New(r.Error)
	case r.Peak > memory: // the parent samples the memory and can miss a peak
		return nil, 0, tooMuch
	}
	return doc, r.Kept, nil
}
