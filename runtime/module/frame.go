package module

import (
	"encoding/binary"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// requestSize is the length of the frame that writeRequest writes.
func requestSize(desired string, objects [][]byte) int {
	n := 8 + len(desired)
	for _, o := range objects {
		n += 4 + len(o)
	}
	return n
}

// writeRequest writes the request frame of the ABI into dst, which has room for requestSize bytes.
func writeRequest(dst []byte, desired string, objects [][]byte) {
	le := binary.LittleEndian
	le.PutUint32(dst, uint32(len(objects)))
	le.PutUint32(dst[4:], uint32(len(desired)))
	at := 8 + copy(dst[8:], desired)
	for _, o := range objects {
		le.PutUint32(dst[at:], uint32(len(o)))
		at += 4 + copy(dst[at+4:], o)
	}
}

// The statuses of an answer in a response frame.
const (
	statusConverted = 0
	statusRefused   = 1
	statusCrashed   = 2 // the SDK caught a crash; the last answer of its response
)

// readResponse splits a response frame. frame is the gateway's own copy; converted aliases it.
// limit gives the most bytes that the answer for object i may have.
func readResponse(frame []byte, count int, limit func(i int) int) (converted [][]byte, refused map[int]string, fault *FaultError) {
	le := binary.LittleEndian
	rest := frame
	converted = make([][]byte, count)
	for i := range count {
		if len(rest) < 8 {
			return nil, nil, faultf(faults.ABI, "the module's response ends before the answer for object %d of %d", i, count)
		}
		status, n := le.Uint32(rest), le.Uint32(rest[4:])
		rest = rest[8:]
		if uint64(n) > uint64(len(rest)) {
			return nil, nil, faultf(faults.ABI, "the module's answer for object %d claims %d bytes; its response has %d left", i, n, len(rest))
		}
		body := rest[:n:n]
		rest = rest[n:]
		switch status {
		case statusConverted:
			if most := limit(i); len(body) > most {
				return nil, nil, faultf(faults.Output, "the module's answer for object %d has %d bytes; %d are allowed", i, len(body), most)
			}
			converted[i] = body
		case statusRefused:
			if refused == nil {
				refused = map[int]string{}
			}
			refused[i] = reason(body)
		case statusCrashed:
			return nil, nil, crashed(i, oneLine(foreign.Clean(body, maxRefusal)))
		default:
			return nil, nil, faultf(faults.ABI, "the module's answer for object %d has status %d; the ABI knows 0, 1 and 2", i, status)
		}
	}
	if len(rest) > 0 {
		return nil, nil, faultf(faults.ABI, "the module's response has %d bytes after its last answer", len(rest))
	}
	return converted, refused, nil
}

// crashed is the fault of a guest whose SDK caught a crash at an object.
func crashed(object int, said string) *FaultError {
	fault := faultf(faults.Trap, "the module crashed: %s", said)
	switch {
	case said == "":
		fault = faultf(faults.Trap, "the module crashed without a message")
	case saysOutOfMemory(said):
		fault = faultf(faults.Memory, "the module ran out of memory (--module-memory-bytes): %s", said)
	}
	fault.object = object + 1
	return fault
}

// reason returns a guest's text of a refusal.
func reason(b []byte) string {
	if s := foreign.Clean(b, maxRefusal); s != "" {
		return s
	}
	return "refused without a reason"
}
