// Package bundle makes a module of an interpreter and its scripts: it links read-only files and
// arguments into a WASI command, which then needs no file system. It runs nothing.
package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	_ "embed"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// shim is files.wat: the WASI functions for files and arguments.
//
//go:embed files.wasm
var shim []byte

const wasi = "wasi_snapshot_preview1"

// MaxInterpreter is the most bytes of an interpreter, debug information included.
const MaxInterpreter = 128 << 20

// Module links files and arguments into a command. The arguments begin with the program's name. The
// result has no custom sections, such as debug information.
//
// The interpreter may be any bytes: it is validated first, within the limits of meter.Limits.
//
// # Errors
//
// The interpreter is damaged, uses a part of WebAssembly or imports a function that a gateway does
// not support, or is not a command; two files have one path, or they exceed a bound.
func Module(interpreter []byte, files []File, arguments []string) ([]byte, error) {
	if err := suitable(interpreter); err != nil {
		return nil, err
	}
	for _, a := range arguments {
		if strings.ContainsRune(a, 0) {
			return nil, fmt.Errorf("the argument %q has a character 0", a)
		}
	}
	data, err := volume(files, arguments)
	if err != nil {
		return nil, err
	}
	into, err := take(interpreter)
	if err != nil {
		return nil, fmt.Errorf("the interpreter: %w", err)
	}
	from, err := take(shim)
	if err != nil {
		return nil, fmt.Errorf("the files' functions: %w", err)
	}
	l := newLinker(into, from)
	out, err := l.link(data)
	if err != nil {
		return nil, fmt.Errorf("linking: %w", err)
	}
	return out, nil
}

// suitable reports an interpreter that cannot be a gateway's command.
func suitable(interpreter []byte) error {
	m, err := meter.Scan(interpreter, meter.Limits{ModuleBytes: MaxInterpreter})
	if err != nil {
		return err
	}
	exported := func(name string) bool {
		return slices.ContainsFunc(m.Exports, func(e meter.Export) bool { return e.Name == name })
	}
	switch {
	case exported("crosswalk_abi_v1"):
		return errors.New("exports crosswalk_abi_v1: it is a converter, which needs no bundle")
	case !exported("_start") && exported("_initialize"):
		return errors.New("exports _initialize and not _start: it is a library (a WASI reactor), and bundle needs a command, a program with main")
	case !exported("_start"):
		return errors.New("does not export _start: it is not a WASI command, a program with main built for wasm32-wasip1")
	case !m.HasMemory || m.MemoryMin == 0:
		return errors.New("has no memory at start")
	case m.Functions == 0:
		return errors.New("has no functions of its own")
	}
	replacing, err := meter.Scan(shim, meter.Limits{})
	if err != nil {
		return fmt.Errorf("the files' functions: %w", err)
	}
	for _, i := range m.Imports {
		if i.Module != wasi && !(i.Module == own && (i.Name == throw || i.Name == caught)) {
			return fmt.Errorf("imports %q.%q: a gateway gives modules WASI preview 1 only (%s); build the interpreter without it, for example without JavaScript's glue", i.Module, i.Name, wasi)
		}
		for _, e := range replacing.Exports {
			if e.Name == i.Name && e.Type.String() != i.Type.String() {
				return fmt.Errorf("imports %s.%s with type %v (WASI says %v)", i.Module, i.Name, i.Type, e.Type)
			}
		}
	}
	return nil
}

// parts are the sections of a module, as far as linking needs them.
type parts struct {
	sections  map[byte][]byte // without custom sections
	imports   []string        // the names of the functions that it imports: WASI's, throw and caught
	types     uint32          // number of types
	functions []uint32        // the types of its own functions
	bodies    [][]byte
	globals   uint32 // number of global variables
	data      uint32 // number of data segments
}

// take reads a valid module.
func take(module []byte) (*parts, error) {
	all, err := wasmfile.Sections(module)
	if err != nil {
		return nil, err
	}
	p := &parts{sections: map[byte][]byte{}}
	for _, s := range all {
		if s.ID != wasmfile.Custom {
			p.sections[s.ID] = s.Body
		}
	}
	count := func(id byte) uint32 {
		n, _ := binary.Uvarint(p.sections[id])
		return uint32(n)
	}
	p.types, p.globals, p.data = count(wasmfile.Type), count(wasmfile.Global), count(wasmfile.Data)

	r := &wasmfile.Reader{}
	if imports := p.sections[wasmfile.Import]; imports != nil {
		r.Bytes = imports
		for n := r.U32(); n > 0 && r.Err == nil; n-- {
			r.Take(r.U32()) // the module
			p.imports = append(p.imports, string(r.Take(r.U32())))
			r.Byte() // a function: meter.Scan accepts nothing else
			r.U32()  // its type
		}
	}
	f := &wasmfile.Reader{Bytes: p.sections[wasmfile.Function]}
	for n := f.U32(); n > 0 && f.Err == nil; n-- {
		p.functions = append(p.functions, f.U32())
	}
	c := &wasmfile.Reader{Bytes: p.sections[wasmfile.Code]}
	for n := c.U32(); n > 0 && c.Err == nil; n-- {
		p.bodies = append(p.bodies, c.Take(c.U32()))
	}
	return p, errors.Join(r.Err, f.Err, c.Err)
}
