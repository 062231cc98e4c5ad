package bundle

import (
	"encoding/binary"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
)

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
