package module

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/wasi"
)

// ABI is the version of the interface between gateway and modules (docs/spec/abi.md). The gateway loads
// modules of this version only.
const ABI = 1

// The names of the ABI.
const (
	exportMemory     = "memory"
	exportABI        = "crosswalk_abi_v1" // with the version ABI
	exportAlloc      = "crosswalk_alloc"
	exportConvert    = "crosswalk_convert"
	exportDescribe   = "crosswalk_describe"
	exportInitialize = "_initialize"
	exportStart      = "_start"

	importHost = "crosswalk_v1"
	importLog  = "log"
)

// signatures are the types of the functions a reactor may export for the gateway.
var signatures = map[string]string{
	exportABI:        "() -> ()",
	exportAlloc:      "(i32) -> i32",
	exportConvert:    "(i32, i32) -> i64",
	exportDescribe:   "() -> i64",
	exportInitialize: "() -> ()",
	exportStart:      "() -> ()",
}

// kindOf reports whether a module is a reactor or a command. The error names missing or wrong
// exports. It reads declarations only; no code of the module has run yet.
func kindOf(m *meter.Module) (command bool, err error) {
	functions := map[string]string{}
	memory := false
	for _, e := range m.Exports {
		switch {
		case e.Kind == meter.KindMemory && e.Name == exportMemory:
			memory = true
		case e.Kind == meter.KindFunction:
			functions[e.Name] = e.Type.String()
		}
	}
	for name, got := range functions {
		if want, ok := signatures[name]; ok && got != want {
			return false, fmt.Errorf("export %s has type %s; the ABI says %s", name, got, want)
		}
	}
	if _, ok := functions[exportABI]; !ok {
		for name := range functions {
			if v, ok := strings.CutPrefix(name, "crosswalk_abi_v"); ok {
				return false, fmt.Errorf("the module speaks version %s of the ABI; this gateway speaks version 1: build it with a matching SDK", v)
			}
		}
		if _, ok := functions[exportStart]; ok {
			if !memory {
				return true, fmt.Errorf("the module exports %s but no memory named %q", exportStart, exportMemory)
			}
			return true, nil
		}
	}
	var missing []string
	for _, name := range []string{exportABI, exportAlloc, exportConvert} {
		if _, ok := functions[name]; !ok {
			missing = append(missing, name)
		}
	}
	if !memory {
		missing = append(missing, exportMemory+" (a memory)")
	}
	if len(missing) > 0 {
		return false, fmt.Errorf("the module does not export %s: it is neither a converter built with an SDK nor a WASI command (which exports %s)", strings.Join(missing, ", "), exportStart)
	}
	return false, nil
}

// checkImports rejects a module with imports other than those of the ABI: inert WASI functions and
// the log function.
func checkImports(m *meter.Module, signatures map[string]string) error {
	var bad []string
	for _, im := range m.Imports {
		switch {
		case im.Kind != meter.KindFunction:
			bad = append(bad, fmt.Sprintf("%v (a module may import functions only)", im))
		case im.Module == importHost && im.Name == importLog:
			if got, want := im.Type.String(), "(i32, i32, i32) -> ()"; got != want {
				bad = append(bad, fmt.Sprintf("%v with type %s (the ABI says %s)", im, got, want))
			}
		case im.Module == wasi.ModuleName && signatures[im.Name] != "":
			if got, want := im.Type.String(), signatures[im.Name]; got != want {
				bad = append(bad, fmt.Sprintf("%v with type %s (WASI says %s)", im, got, want))
			}
		default:
			bad = append(bad, im.String())
		}
	}
	if len(bad) > 0 {
		sort.Strings(bad)
		const most = 8
		more := ""
		if len(bad) > most {
			more, bad = fmt.Sprintf(" and %d more", len(bad)-most), bad[:most]
		}
		return fmt.Errorf("the module imports what the gateway does not offer: %s%s; allowed are the functions of %s and %s.%s",
			strings.Join(bad, ", "), more, wasi.ModuleName, importHost, importLog)
	}
	return nil
}

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

// maxRefusal bounds the text of a refusal in bytes: enough for an explanation, and short enough for
// a terminal.
const maxRefusal = 4 << 10

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
