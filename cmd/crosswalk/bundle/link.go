package bundle

import (
	"encoding/binary"
	"fmt"

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

// own is the module of two functions that an interpreter may import instead of setjmp and longjmp,
// which WASI has only with WebAssembly's exceptions. throw sets a flag. Functions return while it is
// set, one after the other, up to a call that is followed by a call of caught, which returns the
// flag and clears it. Neither has parameters, and both return an i32.
const (
	own    = "crosswalk"
	throw  = "throw"
	caught = "caught"
)

// indirect stands for the callee of a call through a table.
const indirect = -1

// unwinding inserts the returns. Calls that cannot throw get none.
type unwinding struct {
	flag  []byte // global.get of the flag
	calls [][]int64
	// throws and catches are the imports, or -2.
	throws, catches int64
	// may has the functions of which a call can throw, by number.
	may map[int64]bool
	// types has the results of each type.
	types [][]byte
	// room is left for returns, in bytes. Below zero, the code is of no use.
	room int
}

// A call and its arguments take five bytes or more, and a usual return seven. A hostile interpreter
// has calls of two bytes, and functions with a hundred vectors as results: a return of 1.8 KB.
const (
	returnsGrowth  = 4
	returnsAtLeast = 64 << 10
)

// errReturns reports an interpreter whose returns would take too much memory.
var errReturns = fmt.Errorf("the returns after calls would take more than %d times the bytes of the interpreter's functions: its functions have too many results", returnsGrowth)

// unwound returns nil if the interpreter imports no throw.
func (l *linker) unwound() (*unwinding, error) {
	u := &unwinding{throws: -2, catches: -2, may: map[int64]bool{indirect: true}}
	for i, name := range l.into.imports {
		switch name {
		case throw:
			u.throws = int64(i)
		case caught:
			u.catches = int64(i)
		}
	}
	if u.throws < 0 {
		return nil, nil
	}
	u.may[u.throws] = true
	u.flag = binary.AppendUvarint([]byte{0x23}, uint64(l.into.globals)) // the first of the shim's
	u.room = returnsAtLeast
	for _, body := range l.into.bodies {
		u.room += returnsGrowth * len(body)
		var calls []int64
		if _, err := wasmfile.AppendBody(nil, body, wasmfile.Numbering{AfterCall: func(callee int64) []byte {
			calls = append(calls, callee)
			return nil
		}}); err != nil {
			return nil, err
		}
		u.calls = append(u.calls, calls)
	}
	u.spread(len(l.into.imports))
	var err error
	u.types, err = resultsOf(l.into.sections[wasmfile.Type])
	return u, err
}

// spread finds the functions that may throw: those with a call of one, unless it is caught.
func (u *unwinding) spread(imports int) {
	callers := map[int64][]int64{}
	var next []int64
	for i, calls := range u.calls {
		f := int64(imports + i)
		for at, callee := range calls {
			if u.isCaught(calls, at) {
				continue
			}
			if known := callers[callee]; len(known) == 0 || known[len(known)-1] != f {
				callers[callee] = append(known, f)
			}
		}
	}
	for next = append(next, indirect, u.throws); len(next) > 0; {
		callee := next[len(next)-1]
		next = next[:len(next)-1]
		for _, f := range callers[callee] {
			if !u.may[f] {
				u.may[f] = true
				next = append(next, f)
			}
		}
	}
}

// isCaught reports whether the call is followed by one of caught.
func (u *unwinding) isCaught(calls []int64, at int) bool {
	return at+1 < len(calls) && calls[at+1] == u.catches
}

// after returns the instructions to insert after each call of a function, in order.
func (u *unwinding) after(function int, of uint32) func(callee int64) []byte {
	leave := append(append([]byte{}, u.flag...), 0x04, 0x40)  // if
	leave = append(append(leave, u.types[of]...), 0x0f, 0x0b) // return, end
	at := -1
	return func(callee int64) []byte {
		at++
		if !u.may[callee] || u.isCaught(u.calls[function], at) {
			return nil
		}
		if u.room -= len(leave); u.room < 0 {
			return nil
		}
		return leave
	}
}

// resultsOf returns the instructions that give the results of each type the value zero.
func resultsOf(section []byte) (types [][]byte, err error) {
	zero := map[byte][]byte{
		0x7f: {0x41, 0}, 0x7e: {0x42, 0}, 0x7d: append([]byte{0x43}, make([]byte, 4)...), 0x7c: append([]byte{0x44}, make([]byte, 8)...),
		0x7b: append([]byte{0xfd, 0x0c}, make([]byte, 16)...), 0x70: {0xd0, 0x70}, 0x6f: {0xd0, 0x6f},
	}
	r := &wasmfile.Reader{Bytes: section}
	for n := r.U32(); n > 0 && r.Err == nil; n-- {
		r.Byte() // a function's
		r.Take(r.U32())
		var code []byte
		for _, of := range r.Take(r.U32()) {
			if zero[of] == nil {
				return nil, fmt.Errorf("a function has a result of type 0x%x", of)
			}
			code = append(code, zero[of]...)
		}
		types = append(types, code)
	}
	return types, r.Err
}

// importsOf gives the imports of this package's own functions the name of one of WASI's with the same
// type: numbers stay the same, and nobody calls it.
func importsOf(section []byte) []byte {
	r := &wasmfile.Reader{Bytes: section}
	n := r.U32()
	out := binary.AppendUvarint(nil, uint64(n))
	text := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	for ; n > 0; n-- {
		module, name := string(r.Take(r.U32())), string(r.Take(r.U32()))
		if module == own {
			module, name = wasi, "sched_yield"
		}
		text(module)
		text(name)
		out = append(out, r.Byte()) // a function
		out = binary.AppendUvarint(out, uint64(r.U32()))
	}
	return out
}
