package script

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
)

// packing matches the engine's exports that are for packing alone.
var packing = regexp.MustCompile(`^(_initialize|crosswalk_(initialize|start|buffer|module|load|missing))$`)

// variable names the exports with which the engine's build makes global variables readable.
const variable = "global "

// freeze returns the module that begins where an instance of it is now: with its memory and its
// global variables, without a start function.
func freeze(wasm []byte, m api.Module) ([]byte, error) {
	memory, ok := m.Memory().Read(0, m.Memory().Size())
	if !ok {
		return nil, fmt.Errorf("the memory of the JavaScript engine cannot be read")
	}
	segments := segmentsOf(memory)
	all, err := wasmfile.Sections(wasm)
	if err != nil {
		return nil, err
	}
	var out []wasmfile.Section
	for _, s := range all {
		switch s.ID {
		case wasmfile.Custom, wasmfile.Start:
			continue
		case wasmfile.Memory:
			s.Body, err = wasmfile.GrowMemory(s.Body, uint32(len(memory)/wasmfile.PageSize))
		case wasmfile.Global:
			s.Body, err = frozenGlobals(s.Body, m)
		case wasmfile.Export:
			s.Body, err = frozenExports(s.Body)
		case wasmfile.DataCount:
			s.Body = binary.AppendUvarint(nil, uint64(len(segments)))
		case wasmfile.Data:
			s.Body = wasmfile.AppendSegments(binary.AppendUvarint(nil, uint64(len(segments))), segments...)
		}
		if err != nil {
			return nil, fmt.Errorf("the JavaScript engine: %w", err)
		}
		out = append(out, s)
	}
	return wasmfile.Assemble(out), nil
}

func frozenGlobals(body []byte, m api.Module) ([]byte, error) {
	all, err := wasmfile.Globals(body)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if !all[i].Mutable {
			continue
		}
		g := m.ExportedGlobal(fmt.Sprint(variable, i))
		if g == nil {
			return nil, fmt.Errorf("global variable %d is not exported", i)
		}
		if all[i].Value = int64(g.Get()); all[i].Type == wasmfile.I32 {
			all[i].Value = int64(int32(g.Get()))
		}
	}
	return wasmfile.AppendGlobals(nil, all), nil
}

func frozenExports(body []byte) ([]byte, error) {
	all, err := wasmfile.Exports(body)
	var kept []wasmfile.Exported
	for _, e := range all {
		if !strings.HasPrefix(e.Name, variable) && !packing.MatchString(e.Name) {
			kept = append(kept, e)
		}
	}
	return wasmfile.AppendExports(nil, kept), err
}

// segmentsOf returns the parts of memory that are not zero. Zeros stay in a segment if they are
// fewer than the head of another segment would need.
func segmentsOf(memory []byte) (all []wasmfile.Segment) {
	const gap = 16
	for at := 0; ; {
		for at < len(memory) && memory[at] == 0 {
			at++
		}
		if at == len(memory) {
			return all
		}
		end := at + 1
		for p := end; p < len(memory) && p-end < gap; p++ {
			if memory[p] != 0 {
				end = p + 1
			}
		}
		all = append(all, wasmfile.Segment{At: uint32(at), Bytes: memory[at:end]})
		at = end
	}
}
