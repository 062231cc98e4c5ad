package meter

import (
	"bytes"
	"strings"
)

// Module is the result of Scan.
type Module struct {
	Imports []Import
	Exports []Export
	// Functions counts the module's own functions, without imported ones; Globals its globals.
	Functions, Globals int
	HasMemory          bool
	MemoryMin          uint32 // in pages
	HasStart           bool

	limits  Limits
	wasm    []byte
	types   []FuncType
	funcs   []int // the type of every function, imported ones first
	tables  []table
	memory  limitsPair
	globals []global
	start   int
	exports []exported

	elements     []byte // the rewritten entries of the element section
	elementTypes []ValueType
	elementCount int    // in all segments together
	dataCount    int    // declared by the data count section; -1 without one
	data         []byte // the entries of the data section, unchanged
	dataEntries  int
	dataSizes    []uint32 // in bytes, by segment
	bodies       []span   // of every own function, without sizes
	declared     map[int]bool
	references   []int       // the functions that the code takes references to, and noFunction
	referenced   map[int]int // the index of a function in references
}

type span struct{ start, end int }

type table struct {
	of ValueType
	limitsPair
}

type global struct {
	of      ValueType
	mutable bool
	init    []byte // the rewritten constant expression, its end included
}

type exported struct {
	name  string
	kind  Kind
	index int
}

// The names through which the meter and the host communicate. A module may not import or export
// these names itself.
const (
	// YieldModule and YieldFunction name the function, of type () -> (), that the module calls when
	// its fuel is below zero. It refills the counter, or does not return.
	YieldModule   = "crosswalk_meter"
	YieldFunction = "yield"
	// CounterGlobal is an exported mutable i64 global: fuel and stack, by Pack. Fuel begins at
	// zero, so that the first charge yields; the stack begins with Options.StackBytes. Only yield
	// detects that the stack is used up. A host that grants at most the remaining stack /
	// FrameBytesPerFuel as fuel detects it before the guest enters another frame.
	CounterGlobal = "crosswalk_meter.left"

	reserved = "crosswalk_meter"
)

const headerBytes = 8

// parse decodes everything but the code.
func parse(wasm []byte, limits Limits) (*Module, error) {
	m := &Module{limits: limits.withDefaults(), wasm: wasm, dataCount: -1, declared: map[int]bool{}, referenced: map[int]int{}}
	r := &reader{module: wasm, end: len(wasm), section: "module"}
	switch {
	case len(wasm) > m.limits.ModuleBytes:
		r.fail(0, "has %d bytes; %d are allowed", len(wasm), m.limits.ModuleBytes)
	case len(wasm) == 0:
		r.fail(0, "is empty")
	case bytes.HasPrefix(wasm, []byte("\x1f\x8b")):
		r.fail(0, "is packed with gzip: its name has to end in .wasm.gz")
	case bytes.HasPrefix(wasm, []byte("\x28\xb5\x2f\xfd")):
		r.fail(0, "is packed with zstd: its name has to end in .wasm.zst")
	case len(wasm) < headerBytes || string(wasm[:4]) != "\x00asm":
		r.fail(0, "does not begin like a WebAssembly module")
	case string(wasm[4:headerBytes]) == "\x0d\x00\x01\x00":
		r.fail(4, "is a component; only core modules can be run: build the same source for wasm32-wasip1; crosswalk compile takes JavaScript, and Python with an interpreter")
	case string(wasm[4:headerBytes]) != "\x01\x00\x00\x00":
		r.fail(4, "has a version of the binary format other than 1")
	}
	r.bytes(headerBytes)
	last := 0
	for r.err == nil && !r.done() {
		at := r.pos
		id := int(r.byte())
		size := r.u32()
		if r.err != nil {
			break
		}
		if int64(size) > int64(r.end-r.pos) {
			r.fail(at, "section %d declares %d bytes; %d are left", id, size, r.end-r.pos)
			break
		}
		s := &reader{module: wasm, pos: r.pos, end: r.pos + int(size)}
		r.pos = s.end
		if id == 0 {
			s.section = "custom section"
			s.name("a custom section")
			r.err = s.err
			continue
		}
		if id == tagSection {
			r.fail(at, "has a section of tags: exceptions are not supported")
			break
		}
		if id >= len(sections) {
			r.fail(at, "there is no section of id %d", id)
			break
		}
		s.section = sections[id].name
		if order := sections[id].order; order <= last {
			s.fail(at, "comes twice, or after a section that it belongs before")
		} else {
			last = order
		}
		sections[id].read(m, s)
		if s.err == nil && !s.done() {
			s.fail(s.pos, "has %d bytes more than its content", s.end-s.pos)
		}
		r.err = s.err
	}
	if r.err == nil {
		m.complete(r)
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// sections holds, by id, the reader and the position of each section.
var sections = [...]struct {
	name  string
	order int
	read  func(*Module, *reader)
}{
	1:  {"type section", 1, (*Module).readTypes},
	2:  {"import section", 2, (*Module).readImports},
	3:  {"function section", 3, (*Module).readFunctions},
	4:  {"table section", 4, (*Module).readTables},
	5:  {"memory section", 5, (*Module).readMemory},
	6:  {"global section", 6, (*Module).readGlobals},
	7:  {"export section", 7, (*Module).readExports},
	8:  {"start section", 8, (*Module).readStart},
	9:  {"element section", 9, (*Module).readElements},
	10: {"code section", 11, (*Module).readCode},
	11: {"data section", 12, (*Module).readData},
	12: {"data count section", 10, (*Module).readDataCount},
}

// complete checks the rules that involve several sections.
func (m *Module) complete(r *reader) {
	switch {
	case len(m.bodies) != m.Functions:
		r.fail(r.end, "declares %d functions and has code for %d", m.Functions, len(m.bodies))
	case m.dataCount >= 0 && m.dataCount != m.dataEntries:
		r.fail(r.end, "counts %d data segments and has %d", m.dataCount, m.dataEntries)
	}
}

// imported is the number of functions that the module imports.
func (m *Module) imported() int { return len(m.Imports) }

// shifted is a function's index in the rewritten module, in which yield follows the imports.
func (m *Module) shifted(f int) int {
	if f < m.imported() {
		return f
	}
	return f + 1
}

func isReserved(name string) bool { return strings.HasPrefix(name, reserved) }
