package module

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The stages of vetting, as the child reports them. It begins by compiling. Each has a time of its own, so that a start that does not end
// is known long before a compiler that does not.
const (
	stageCompile = ""
	stageStart   = "start"   // from the first instruction of the module's own, until it has answered an empty batch
	stageCases   = "cases"   // its sidecar's golden cases
	stageCompare = "compare" // compiled and interpreted
	stageVerdict = "verdict" // there is no more to come
)

// vetReply is a line that the child writes: a stage that begins, or the verdict.
type vetReply struct {
	Stage string
	Used  time.Duration `json:",omitempty"` // processor time of the child so far

	// Of a verdict:
	Error    string `json:",omitempty"`
	Busy     bool   `json:",omitempty"` // Error is a *BusyError
	Peak     int    `json:",omitempty"` // bytes, the most memory that the child held; 0 where it cannot say
	Compared int    `json:",omitempty"` // conversions that compiled code and interpreter answered alike
	Of       int    `json:",omitempty"` // conversions that there were to compare
}

// vetProgress follows a child's lines on behalf of its parent.
type vetProgress struct {
	limits  *Limits
	began   time.Time // when the child began
	entered time.Time // when it began its present stage; zero for the first
	last    vetReply
}

// line reads one line and returns how long the child may take from now on. Each stage comes once and in its order, so that no child gets
// more time by its lines than the stages have.
func (p *vetProgress) line(text []byte) time.Duration {
	var reply vetReply
	order := []string{stageCompile, stageStart, stageCases, stageCompare, stageVerdict}
	if json.Unmarshal(text, &reply) != nil || slices.Index(order, reply.Stage) <= slices.Index(order, p.last.Stage) {
		return 0
	}
	now := time.Now()
	p.last, p.entered = reply, now
	if reply.Stage == stageStart {
		return p.limits.startTime()
	}
	return max(p.limits.CompileTime-now.Sub(p.began), p.limits.startTime())
}

// startTime is how long a child may take for a module's start before its parent ends it. The start ends on its own well before: by its
// fuel, and if the machine is busy, by LoadTime for initialising, again for describing, and CallTime for an empty batch.
func (l *Limits) startTime() time.Duration { return 2*l.LoadTime + l.CallTime + startSlack }

// startSlack is the time for what the child does around these calls on a busy machine.
const startSlack = 5 * time.Second

// late is the error of a child that took too long for its stage and used so much processor time in all.
func (p *vetProgress) late(used time.Duration) error {
	entered := p.entered
	if entered.IsZero() {
		entered = p.began
	}
	err := fmt.Errorf("compiling and starting the module takes longer than %v: it is built to exhaust the compiler, or is too large: shrink it, or give the gateway more CPU", p.limits.CompileTime)
	if p.last.Stage == stageStart {
		err = fmt.Errorf("starting the module takes longer than %v: it does not end, and its limits of fuel and time do not end it", p.limits.startTime())
	}
	if starved(used-p.last.Used, time.Since(entered)) {
		return &BusyError{err}
	}
	return err
}

// starved reports whether work of a single thread got less than half of a processor: then the clock says little of the work.
func starved(used, elapsed time.Duration) bool { return used < elapsed/2 }

// crashedIn says what a child was doing that died.
func crashedIn(stage string) string {
	switch stage {
	case stageCompile:
		return "the compiler"
	case stageStart:
		return "the process when it starts"
	}
	return "the process when it converts"
}
