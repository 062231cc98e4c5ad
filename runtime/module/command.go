package module

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/sys"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// A command module is a WASI program that reads a ConversionReview from stdin and writes one to
// stdout. It needs no SDK, and pays for that with an instantiation for every batch.

// reserveFunc reserves a place for a run of a program. A call of release must follow.
type reserveFunc func(ctx context.Context) (release func(), fault *FaultError)

// runCommand converts objects by one run of the program. A program fails as a whole and cannot name
// the object. If it refuses a batch of several, they run one by one, so that the message names the
// right object.
func (p *Program) runCommand(ctx context.Context, reserve reserveFunc, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	converted, refusal, fault := p.runOnce(ctx, reserve, to, objects)
	if fault != nil || refusal == "" {
		return converted, nil, fault
	}
	if len(objects) == 1 {
		return make([][]byte, 1), map[int]string{0: refusal}, nil
	}
	converted, refused = make([][]byte, len(objects)), map[int]string{}
	for i := range objects {
		single, refusal, fault := p.runOnce(ctx, reserve, to, objects[i:i+1])
		if fault != nil {
			return nil, nil, fault
		}
		if refusal != "" {
			refused[i] = refusal
		} else {
			converted[i] = single[0]
		}
	}
	if len(refused) > 0 {
		return converted, refused, nil
	}
	return nil, nil, faultf(faults.ABI, "the program refuses %d objects together (%s) and converts each of them alone; an answer may depend on its object only", len(objects), refusal)
}

// runOnce runs the program once. refusal is its text if it does not convert.
func (p *Program) runOnce(ctx context.Context, reserve reserveFunc, to string, objects [][]byte) (converted [][]byte, refusal string, fault *FaultError) {
	release, fault := reserve(ctx)
	if fault != nil {
		return nil, "", fault
	}
	defer release()

	request := commandRequest(to, objects)
	most := 4 << 10
	for _, o := range objects {
		most += p.limits.replyLimit(len(o))
	}
	most = min(most, p.limits.ReplyBytes) // a batch of many small objects may otherwise fill a gigabyte
	out := &cappedBuffer{left: most}
	c := newCall(p.log, p.crowd)
	p.atWork.add(c)
	defer p.atWork.drop(c)
	c.stderr.keep = true
	c.stdin, c.output = request, out
	c.begin(ctx, int64(len(objects))*p.limits.FuelPerObject+int64(len(request))*p.limits.FuelPerByte+p.limits.FuelToStart, p.limits.CallTime, p.limits.LogBytes)
	if c.left -= p.price; c.left < 0 {
		return nil, "", c.exhausted()
	}
	err := p.runStart(c)
	size, _ := c.memorySize()
	p.counters.held(int64(size))
	p.counters.spent(c.end())

	var exit *sys.ExitError
	if errors.As(err, &exit) {
		code := exit.ExitCode()
		switch {
		case code == 0:
			err = nil
		case len(c.stderr.report) > 0: // the program crashed
			return nil, "", c.faultOf(err)
		case len(c.stderr.last) == 0:
			return nil, fmt.Sprintf("the program exited with code %d and wrote nothing to stderr", code), nil
		default:
			return nil, reason(c.stderr.last), nil
		}
	}
	switch {
	case err != nil:
		return nil, "", c.faultOf(err)
	case out.left < 0:
		return nil, "", faultf(faults.Output, "the program wrote more than %d bytes, the limit of an answer to %d object(s)", most, len(objects))
	}
	return readCommandResponse(out.Bytes(), len(objects), p.limits.replyLimit, objects)
}

// runStart instantiates the program and calls its _start.
func (p *Program) runStart(c *call) (err error) {
	defer func() {
		if r := recover(); r != nil { // the engine panics if it cannot allocate memory
			err = fmt.Errorf("running the program: %v", r)
		}
	}()
	guest, err := p.engine.instantiate(c)
	if err != nil {
		return err
	}
	defer guest.Close(context.Background())
	c.attach(guest)
	_, err = guest.ExportedFunction(exportStart).Call(c.carrier)
	c.left, c.counter = c.remaining(), nil // the global goes with the instance
	return err
}
