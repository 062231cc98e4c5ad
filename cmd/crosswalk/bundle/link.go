package bundle

import (
	"encoding/binary"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
)

// linker appends the functions of the shim to an interpreter and turns the interpreter's calls of
// the host to them. The numbers of the interpreter's own functions, types, globals and data
// segments do not change.
type linker struct {
	into, from *parts
	// replaced holds the shim's function for each import of the interpreter that it replaces, by
	// the number of the import.
	replaced map[uint32]uint32
	// passed holds the interpreter's import for each of the shim's, and dead the shim's functions
	// that nobody calls because the interpreter does not import them.
	passed map[uint32]uint32
	dead   map[uint32]bool
}

func newLinker(into, from *parts) *linker {
	l := &linker{into: into, from: from, replaced: map[uint32]uint32{}, passed: map[uint32]uint32{}, dead: map[uint32]bool{}}
	number := map[string]uint32{}
	for i, name := range into.imports {
		number[name] = uint32(i)
	}
	for i, name := range from.imports {
		if n, ok := number[name]; ok {
			l.passed[uint32(i)] = n
		}
	}
	exports, _ := wasmfile.Exports(from.sections[wasmfile.Export]) // the shim is this program's own
	for _, e := range exports {
		own := e.Index - uint32(len(from.imports))
		if _, ok := number[e.Name]; !ok {
			l.dead[own] = true
		}
		for i, name := range into.imports { // one function may be imported twice
			if name == e.Name {
				l.replaced[uint32(i)] = l.added(own)
			}
		}
	}
	return l
}

// added is the number of the shim's own function in the result.
func (l *linker) added(own uint32) uint32 {
	return uint32(len(l.into.imports)+len(l.into.functions)) + own
}

// ofInterpreter numbers the functions that the interpreter calls or takes references to.
func (l *linker) ofInterpreter(f uint32) uint32 {
	if to, ok := l.replaced[f]; ok {
		return to
	}
	return f
}

// ofShim numbers the functions that the shim calls.
func (l *linker) ofShim(f uint32) uint32 {
	if imports := uint32(len(l.from.imports)); f >= imports {
		return l.added(f - imports)
	}
	return l.passed[f]
}

// link returns the module.
func (l *linker) link(volume []byte) ([]byte, error) {
	code, err := l.code()
	if err != nil {
		return nil, err
	}
	// A table may hold the host's functions, and so may a global.
	elements, err := wasmfile.AppendElements(nil, l.into.sections[wasmfile.Element], wasmfile.Numbering{Function: l.ofInterpreter})
	if err != nil {
		return nil, err
	}
	globals, err := wasmfile.AppendGlobalSection(nil, l.into.sections[wasmfile.Global], wasmfile.Numbering{Function: l.ofInterpreter})
	if err != nil {
		return nil, err
	}
	exports, err := wasmfile.Exports(l.into.sections[wasmfile.Export])
	if err != nil {
		return nil, err
	}
	for i, e := range exports {
		if e.Kind == 0 {
			exports[i].Index = l.ofInterpreter(e.Index)
		}
	}
	in := l.into.sections
	var out []wasmfile.Section
	add := func(id byte, body []byte) {
		if body != nil {
			out = append(out, wasmfile.Section{ID: id, Body: body})
		}
	}
	add(wasmfile.Type, joined(in[wasmfile.Type], l.from.sections[wasmfile.Type]))
	if imports := in[wasmfile.Import]; imports != nil {
		add(wasmfile.Import, importsOf(imports))
	}
	add(wasmfile.Function, l.functions())
	add(wasmfile.Table, in[wasmfile.Table])
	add(wasmfile.Memory, in[wasmfile.Memory])
	add(wasmfile.Global, joined(globals, l.from.sections[wasmfile.Global]))
	add(wasmfile.Export, wasmfile.AppendExports(nil, exports))
	if start, n := binary.Uvarint(in[wasmfile.Start]); n > 0 {
		add(wasmfile.Start, binary.AppendUvarint(nil, uint64(l.ofInterpreter(uint32(start)))))
	}
	add(wasmfile.Element, elements)
	add(wasmfile.DataCount, binary.AppendUvarint(nil, uint64(l.into.data)+1))
	add(wasmfile.Code, code)
	passive := append(binary.AppendUvarint([]byte{1, 1}, uint64(len(volume))), volume...)
	add(wasmfile.Data, joined(in[wasmfile.Data], passive))
	return wasmfile.Assemble(out), nil
}

// joined joins two vectors, of which the first may be absent.
func joined(a, b []byte) []byte {
	if a == nil {
		return b
	}
	m, i := binary.Uvarint(a)
	n, j := binary.Uvarint(b)
	out := binary.AppendUvarint(make([]byte, 0, len(a)+len(b)+5), m+n)
	return append(append(out, a[i:]...), b[j:]...)
}

// functions returns the types of all own functions.
func (l *linker) functions() []byte {
	out := binary.AppendUvarint(nil, uint64(len(l.into.functions)+len(l.from.functions)))
	for _, of := range l.into.functions {
		out = binary.AppendUvarint(out, uint64(of))
	}
	for _, of := range l.from.functions {
		out = binary.AppendUvarint(out, uint64(l.into.types+of))
	}
	return out
}

// code returns the bodies of all own functions.
func (l *linker) code() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(len(l.into.bodies)+len(l.from.bodies)))
	unwound, err := l.unwound()
	if err != nil {
		return nil, err
	}
	var scratch []byte
	add := func(body []byte, n wasmfile.Numbering) bool {
		if scratch, err = wasmfile.AppendBody(scratch[:0], body, n); err != nil {
			return false
		}
		out = append(binary.AppendUvarint(out, uint64(len(scratch))), scratch...)
		return true
	}
	for i, body := range l.into.bodies {
		numbers := wasmfile.Numbering{Function: l.ofInterpreter}
		if unwound != nil {
			numbers.AfterCall = unwound.after(i, l.into.functions[i])
		}
		if !add(body, numbers) {
			return nil, err
		}
		if unwound != nil && unwound.room < 0 {
			return nil, errReturns
		}
	}
	ofShim := wasmfile.Numbering{
		Function: l.ofShim,
		Global:   func(g uint32) uint32 { return l.into.globals + g },
		Data:     func(uint32) uint32 { return l.into.data },
	}
	for i, body := range l.from.bodies {
		if l.dead[uint32(i)] {
			body = []byte{0, 0x00, 0x0b} // unreachable
		}
		if !add(body, ofShim) {
			return nil, err
		}
	}
	return out, nil
}
