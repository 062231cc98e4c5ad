package load

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// The stages of vetting, as the child reports them; the first is compiling. Each has its own time
// limit, so that an endless start is detected long before an endless compilation.
const (
	stageCompile = ""
	stageStart   = "start"   // from the first instruction of the module until it has answered an empty batch
	stageCases   = "cases"   // its sidecar's golden cases
	stageCompare = "compare" // compiled and interpreted
	stageVerdict = "verdict" // the last line
)

// vetReply is a line that the child writes: a stage that begins, or the verdict.
type vetReply struct {
	Stage string
	Used  time.Duration `json:",omitempty"` // processor time of the child so far

	// Of a verdict:
	Error string `json:",omitempty"`
	Busy  bool   `json:",omitempty"` // Error is a *BusyError
	Peak  int    `json:",omitempty"` // the child's peak memory, in bytes; 0 if unknown
	compareResult
}

// compareResult is how much of a module was compared.
type compareResult struct {
	Compared int `json:",omitempty"` // conversions with the same answer of compiled code and interpreter
	Of       int `json:",omitempty"` // conversions to compare
	Ran      int `json:",omitempty"` // blocks of code that ran in them
	Blocks   int `json:",omitempty"` // blocks of the module; 0 if they were not counted
}

// vetProgress reads a child's lines in its parent.
type vetProgress struct {
	limits  *module.Limits
	began   time.Time // when the child began
	entered time.Time // start of its current stage; zero for the first
	last    vetReply
}

// line reads one line and returns the child's remaining time. Each stage comes once and in order,
// so that a child cannot get more time than the stages have.
func (p *vetProgress) line(reported []byte) time.Duration {
	var reply vetReply
	order := []string{stageCompile, stageStart, stageCases, stageCompare, stageVerdict}
	if json.Unmarshal(reported, &reply) != nil || slices.Index(order, reply.Stage) <= slices.Index(order, p.last.Stage) {
		return 0
	}
	now := time.Now()
	p.last, p.entered = reply, now
	if reply.Stage == stageStart {
		return startTime(p.limits)
	}
	return max(p.limits.CompileTime-now.Sub(p.began), startTime(p.limits))
}

// startTime is the time limit of a child for a module's start, after which its parent ends it. The
// start itself ends well before: by its fuel, and on a busy machine by LoadTime for initialising,
// again for describing, and CallTime for an empty batch.
func startTime(l *module.Limits) time.Duration { return 2*l.LoadTime + l.CallTime + startSlack }

// startSlack is the time for the child's work around these calls on a busy machine.
const startSlack = 5 * time.Second

// late is the error of a child that exceeded the time of its stage and used so much processor time
// in total.
func (p *vetProgress) late(used time.Duration) error {
	entered := p.entered
	if entered.IsZero() {
		entered = p.began
	}
	err := fmt.Errorf("compiling and starting the module takes longer than %v: it is built to exhaust the compiler, or is too large: shrink it, or give the gateway more CPU", p.limits.CompileTime)
	if p.last.Stage == stageStart {
		err = fmt.Errorf("starting the module takes longer than %v: it does not end, and its limits of fuel and time do not end it", startTime(p.limits))
	}
	if starved(used-p.last.Used, time.Since(entered)) {
		return &BusyError{err}
	}
	return err
}

// starved reports whether a single thread got less than half of a processor: then elapsed time does
// not measure its work.
func starved(used, elapsed time.Duration) bool { return used < elapsed/2 }

// crashedIn names the work during which a child crashed.
func crashedIn(stage string) string {
	switch stage {
	case stageCompile:
		return "the compiler"
	case stageStart:
		return "the process when it starts"
	}
	return "the process when it converts"
}

// vetRequest goes to the child as four bytes of length, JSON, and then the module's file.
type vetRequest struct {
	Name    string
	Limits  module.Limits
	Sidecar *vetSidecar // nil if there is none
	Memory  int         // limit of the child's memory, in bytes
	Handed  bool        // whether descriptor 3 is a file for the compiled code
}

type vetSidecar struct {
	Name    string
	Content []byte
}

func readVetRequest(in io.Reader) (request vetRequest, content []byte, err error) {
	var n [4]byte
	if _, err := io.ReadFull(in, n[:]); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	header := make([]byte, binary.LittleEndian.Uint32(n[:]))
	if _, err := io.ReadFull(in, header); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	if err := json.Unmarshal(header, &request); err != nil {
		return request, nil, fmt.Errorf("reading the request: %w", err)
	}
	if content, err = io.ReadAll(in); err != nil {
		return request, nil, fmt.Errorf("reading the module: %w", err)
	}
	return request, content, nil
}
