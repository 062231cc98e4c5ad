// Package interpreter makes a module of a program: a copy of the prebuilt interpreter (sdk/rules).
package interpreter

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
)

// interpreter is sdk/rules, compiled; make interpreter builds it.
//
//go:embed interpreter.wasm
var interpreter []byte

// Exports of the interpreter that are for packing alone: the place for the program's address and
// the heap's, and where the heap begins without a program.
const (
	placeName = "crosswalk_rules"
	heapName  = "__heap_base"
)

// Module returns the interpreter with a program.
func Module(program []byte) ([]byte, error) {
	all, err := wasmfile.Sections(interpreter)
	if err != nil {
		return nil, fmt.Errorf("the interpreter of rules: %w", err)
	}
	place, heap, err := addresses(all)
	if err != nil {
		return nil, fmt.Errorf("the interpreter of rules: %w", err)
	}
	at := (heap + 15) &^ 15
	end := at + uint32(len(program))
	head := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, at), end)
	var out []wasmfile.Section
	for _, s := range all {
		switch s.ID {
		case wasmfile.Custom:
			continue
		case wasmfile.Memory:
			s.Body, err = wasmfile.GrowMemory(s.Body, end/wasmfile.PageSize+1)
		case wasmfile.Export:
			s.Body, err = withoutPacking(s.Body)
		case wasmfile.DataCount:
			r := &wasmfile.Reader{Bytes: s.Body}
			s.Body = binary.AppendUvarint(nil, uint64(r.U32())+2)
		case wasmfile.Data:
			r := &wasmfile.Reader{Bytes: s.Body}
			body := binary.AppendUvarint(nil, uint64(r.U32())+2)
			body = append(body, r.Bytes[r.At:]...)
			s.Body, err = wasmfile.AppendSegments(body, wasmfile.Segment{At: place, Bytes: head}, wasmfile.Segment{At: at, Bytes: program}), r.Err
		}
		if err != nil {
			return nil, fmt.Errorf("the interpreter of rules: %w", err)
		}
		out = append(out, s)
	}
	return wasmfile.Assemble(out), nil
}

// addresses returns the interpreter's place for the program's address, and the start of its heap.
func addresses(all []wasmfile.Section) (place, heap uint32, err error) {
	var exports []wasmfile.Exported
	var globals []wasmfile.Variable
	for _, s := range all {
		switch s.ID {
		case wasmfile.Global:
			globals, err = wasmfile.Globals(s.Body)
		case wasmfile.Export:
			exports, err = wasmfile.Exports(s.Body)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	for _, e := range exports {
		if e.Kind == 3 && int(e.Index) < len(globals) {
			switch e.Name {
			case placeName:
				place = uint32(globals[e.Index].Value)
			case heapName:
				heap = uint32(globals[e.Index].Value)
			}
		}
	}
	if place == 0 || heap == 0 {
		return 0, 0, errors.New("it does not export " + placeName + " and " + heapName)
	}
	return place, heap, nil
}

// withoutPacking returns an export section without the exports that are for packing.
func withoutPacking(body []byte) ([]byte, error) {
	all, err := wasmfile.Exports(body)
	var kept []wasmfile.Exported
	for _, e := range all {
		if e.Name != placeName && e.Name != heapName {
			kept = append(kept, e)
		}
	}
	return wasmfile.AppendExports(nil, kept), err
}
