package main

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

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/schema"
)

// schemaArgument, as the only argument of the binary, makes the process read one CustomResourceDefinition and end: see schemaMain.
const schemaArgument = "read-definition"

// A definition is read in a child process first: YAML is parsed nowhere else, and the schemas are compiled there once before the gateway
// compiles the same JSON again, which then takes no more than the child was seen to take.
const (
	// schemaMemory is the most memory of the child: 20 MiB for the process, and 30 times the largest file for a tree of YAML and a
	// definition of the most schemas.
	schemaMemory = 160 << 20
	// schemaProcessor gives the child 5 s of processor time, see child.Confine; the largest file of testdata takes 0.1 s.
	schemaProcessor = 2 * time.Second
	// schemaWait is how long the gateway waits for those on a busy machine.
	schemaWait = 30 * time.Second
	// maxSchemas is the most memory of all definitions together: those of a hundred large operators, at some 2 MiB each.
	maxSchemas = 256 << 20
)

// schemaReply goes to the parent as a line of JSON; the definition as JSON follows.
type schemaReply struct {
	Error string
	Peak  int // bytes, the most memory that the child held; 0 where it cannot say
	Kept  int // bytes that the compiled definition keeps
}

// schemaMain reads a definition's file from in, under resource limits, and writes a schemaReply to out. It returns the exit code.
func schemaMain(in io.Reader, out io.Writer) int {
	child.Confine(schemaProcessor)
	var reply schemaReply
	doc, err := readDefinition(in, &reply)
	if err != nil {
		reply.Error, doc = err.Error(), nil
	}
	reply.Peak = child.Peak()
	if err = json.NewEncoder(out).Encode(reply); err == nil {
		_, err = out.Write(doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailure
	}
	return exitOK
}

func readDefinition(in io.Reader, reply *schemaReply) ([]byte, error) {
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
	reply.Kept = max(heapBytes()-before, 0)
	runtime.KeepAlive(crd)
	return doc, nil
}

// heapBytes is how much of the heap is in use. The second collection frees the sync.Pools that the first has only emptied.
func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// laterError is an error that says nothing against the file: it is read again at the next pass.
type laterError struct{ error }

// vetDefinition has a child read a definition's file. It returns the definition as JSON, and how many bytes it keeps once compiled.
func vetDefinition(ctx context.Context, program string, memory int, file []byte) (doc []byte, kept int, err error) {
	task := child.Task{Program: program, Argument: schemaArgument, Input: bytes.NewReader(file), Memory: memory, Time: schemaWait, Output: 5 * maxDefinition}
	out, err := task.Run(ctx)
	tooMuch := fmt.Errorf("reading it takes more than %d MiB of memory: it is built to exhaust the gateway, or needs fewer schemas", memory>>20)
	switch {
	case errors.Is(err, child.ErrStart):
		return nil, 0, laterError{fmt.Errorf("it is not read: %w, in which definitions are read: let the gateway start processes, or set --schema-check=off", err)}
	case errors.Is(err, child.ErrMemory):
		return nil, 0, tooMuch
	case errors.Is(err, child.ErrTime):
		return nil, 0, laterError{fmt.Errorf("reading it took longer than %v: the machine is busy, and the gateway tries again", schemaWait)}
	case ctx.Err() != nil:
		return nil, 0, laterError{ctx.Err()}
	}
	var reply schemaReply
	head, doc, _ := bytes.Cut(out, []byte("\n"))
	if jsonErr := json.Unmarshal(head, &reply); err != nil || jsonErr != nil {
		return nil, 0, fmt.Errorf("the process that read it died (%v): it is built to exhaust the gateway, or takes more than %v of processor time", errors.Join(err, jsonErr), 2*schemaProcessor)
	}
	switch {
	case reply.Error != "":
		return nil, 0, errors.New(reply.Error)
	case reply.Peak > memory: // between two looks at the child
		return nil, 0, tooMuch
	}
	return doc, reply.Kept, nil
}
