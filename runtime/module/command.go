package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/sys"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// A command module is a WASI program that reads a ConversionReview from stdin and writes one to
// stdout. It needs no SDK, and pays for that with an instantiation for every batch.

// commandUID is the uid of every review that a command gets. It is not the request's, so that equal
// conversions are equal bytes.
const commandUID = "00000000-0000-4000-8000-000000000000"

// commandDepth is the maximum nesting of a review that a program writes: three levels around
// objects as deep as API servers read. The caller checks the depth of the objects, as with other
// modules.
const commandDepth = 10_000 + 3

const (
	// leastMember is the fewest bytes that a member of an object takes: "":0 and a comma.
	leastMember = 5
	// envelopeMembers is the most members of a review that a program writes around an object; an
	// API server's has ten.
	envelopeMembers = 64
)

// runCommand converts objects by one run of the program. A program fails as a whole and cannot name
// the object. If it refuses a batch of several, they run one by one, so that the message names the
// right object.
func (m *Module) runCommand(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refused map[int]string, fault *FaultError) {
	converted, refusal, fault := m.runProgram(ctx, to, objects)
	if fault != nil || refusal == "" {
		return converted, nil, fault
	}
	if len(objects) == 1 {
		return make([][]byte, 1), map[int]string{0: refusal}, nil
	}
	converted, refused = make([][]byte, len(objects)), map[int]string{}
	for i := range objects {
		single, refusal, fault := m.runProgram(ctx, to, objects[i:i+1])
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

// runProgram runs the program once. refusal is its text if it does not convert.
func (m *Module) runProgram(ctx context.Context, to string, objects [][]byte) (converted [][]byte, refusal string, fault *FaultError) {
	release, fault := m.pool.reserve(ctx)
	if fault != nil {
		return nil, "", fault
	}
	defer release()

	request := commandRequest(to, objects)
	most := 4 << 10
	for _, o := range objects {
		most += m.limits.replyLimit(len(o))
	}
	most = min(most, m.limits.ReplyBytes) // a batch of many small objects may otherwise fill a gigabyte
	out := &cappedBuffer{left: most}
	c := newCall(m.guestLog)
	m.atWork.add(c)
	defer m.atWork.drop(c)
	c.stderr.keep = true
	c.stdin, c.output = request, out
	c.begin(ctx, int64(len(objects))*m.limits.FuelPerObject+int64(len(request))*m.limits.FuelPerByte+m.limits.FuelToStart, m.limits.CallTime, m.limits.LogBytes)
	if c.left -= m.price; c.left < 0 {
		return nil, "", c.exhausted()
	}
	err := m.runStart(c)
	size, _ := c.memorySize()
	m.held(int64(size))
	m.spent(c.end())

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
	return readCommandResponse(out.Bytes(), len(objects), m.limits.replyLimit, objects)
}

// runStart instantiates the program and calls its _start.
func (m *Module) runStart(c *call) (err error) {
	defer func() {
		if r := recover(); r != nil { // the engine panics if it cannot allocate memory
			err = fmt.Errorf("running the program: %v", r)
		}
	}()
	guest, err := m.engine.instantiate(c)
	if err != nil {
		return err
	}
	defer guest.Close(context.Background())
	c.attach(guest)
	_, err = guest.ExportedFunction(exportStart).Call(c.carrier)
	c.left, c.counter = c.remaining(), nil // the global goes with the instance
	return err
}

func commandRequest(to string, objects [][]byte) []byte {
	b := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"` + commandUID + `","desiredAPIVersion":`)
	b = rawjson.Quote(b, to)
	b = append(b, `,"objects":[`...)
	for i, o := range objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o...)
	}
	return append(b, `]}}`...)
}

// readCommandResponse takes the converted objects out of the ConversionReview that a program wrote.
func readCommandResponse(doc []byte, count int, limit func(int) int, objects [][]byte) (converted [][]byte, refusal string, fault *FaultError) {
	var (
		s            rawjson.Scanner
		uid, status  string
		message      string
		seenResponse bool
		returned     int // of converted, which keeps no more than were asked for: a program may write 60 million
	)
	s.Reset(doc, commandDepth)
	largest := 0
	for _, o := range objects {
		largest = max(largest, limit(len(o)))
	}
	s.LimitMembers(largest/leastMember + envelopeMembers)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) != "response" || s.Peek() != rawjson.Object {
			s.Skip()
			continue
		}
		seenResponse = true
		s.Object()
		for m, ok := s.Member(); ok; m, ok = s.Member() {
			switch key := string(m.Key); {
			case key == "uid" && s.Peek() == rawjson.String:
				_, value := s.String()
				uid = string(value)
			case key == "result" && s.Peek() == rawjson.Object:
				s.Object()
				for m, ok := s.Member(); ok; m, ok = s.Member() {
					key := string(m.Key)
					if (key != "status" && key != "message") || s.Peek() != rawjson.String {
						s.Skip()
						continue
					}
					_, value := s.String()
					if key == "status" {
						status = string(value)
					} else {
						message = foreign.Clean(value, maxRefusal)
					}
				}
			case key == "convertedObjects" && s.Peek() == rawjson.Array:
				s.Array()
				for s.Element() {
					object := s.Skip().Of(doc)
					if returned++; returned <= count {
						converted = append(converted, object)
					}
				}
			default:
				s.Skip()
			}
		}
	}
	if !s.End() {
		return nil, "", faultf(faults.ABI, "the program's stdout is not a ConversionReview: %v", s.Err())
	}
	switch {
	case !seenResponse:
		return nil, "", faultf(faults.ABI, "the ConversionReview that the program wrote has no response")
	case uid != commandUID:
		return nil, "", faultf(faults.ABI, "the program answered with response.uid %q; it was asked with %q", foreign.Clean(uid, maxRefusal), commandUID)
	case status != "Success":
		if message == "" {
			message = fmt.Sprintf("the program answered with status %q and no message", foreign.Clean(status, maxRefusal))
		}
		return nil, message, nil
	case returned != count:
		return nil, "", faultf(faults.ABI, "the program returned %d objects for %d", returned, count)
	}
	for i, o := range converted {
		if most := limit(len(objects[i])); len(o) > most {
			return nil, "", faultf(faults.Output, "the program's answer for object %d has %d bytes; %d are allowed", i, len(o), most)
		}
	}
	return converted, "", nil
}

// cappedBuffer keeps written bytes up to a bound; a negative left means that there were more.
// Writing never fails: a program that sees its stdout fail may do anything, and its answer is lost
// in any case.
type cappedBuffer struct {
	bytes.Buffer
	left int
}

func (b *cappedBuffer) write(p []byte) {
	if b.left >= 0 {
		if b.left -= len(p); b.left >= 0 {
			b.Buffer.Write(p)
		}
	}
}
