package wasmfile

import (
	"encoding/binary"
	"fmt"
)

// Numbering gives functions, global variables and data segments new numbers. A nil function keeps
// the numbers.
type Numbering struct {
	Function, Global, Data func(uint32) uint32
	// AfterCall returns instructions to insert after a call of a function, by its old number, or of
	// -1 through a table. It may be nil.
	AfterCall func(callee int64) []byte
}

func (n Numbering) function(i uint32) uint32 { return renumbered(n.Function, i) }
func (n Numbering) global(i uint32) uint32   { return renumbered(n.Global, i) }
func (n Numbering) data(i uint32) uint32     { return renumbered(n.Data, i) }

func renumbered(f func(uint32) uint32, i uint32) uint32 {
	if f == nil {
		return i
	}
	return f(i)
}

// AppendBody appends the body of a function, its locals included, with new numbers. The module of
// the body must be valid: AppendBody reads the instructions of core WebAssembly 2.0 and validates
// nothing but their length.
func AppendBody(dst, body []byte, numbers Numbering) ([]byte, error) {
	w := walker{Reader: Reader{Bytes: body}, out: dst}
	for n := w.U32(); n > 0 && w.Err == nil; n-- {
		w.U32()
		w.Byte()
	}
	for w.At < len(body) && w.Err == nil {
		w.instruction(numbers)
	}
	return append(w.out, body[w.copied:]...), w.Err
}

// walker reads instructions. What lies between copied and At has not been written to out.
type walker struct {
	Reader
	out    []byte
	copied int
}

// number reads a number and writes a new one.
func (w *walker) number(next func(uint32) uint32) {
	at := w.At
	old := w.U32()
	if now := next(old); now != old && w.Err == nil {
		w.out = append(w.out, w.Bytes[w.copied:at]...)
		w.out = binary.AppendUvarint(w.out, uint64(now))
		w.copied = w.At
	}
}

func (w *walker) numbers(n int) {
	for ; n > 0; n-- {
		w.U32()
	}
}

// insert writes the instructions of AfterCall behind a call.
func (w *walker) insert(numbers Numbering, callee int64) {
	if numbers.AfterCall == nil || w.Err != nil {
		return
	}
	if code := numbers.AfterCall(callee); len(code) > 0 {
		w.out = append(append(w.out, w.Bytes[w.copied:w.At]...), code...)
		w.copied = w.At
	}
}

func (w *walker) instruction(numbers Numbering) {
	var callee int64
	switch op := w.Byte(); {
	case op >= 0x02 && op <= 0x04, op == 0x41, op == 0x42: // a block's type, a constant
		w.Signed()
	case op == 0x0c, op == 0x0d, op >= 0x20 && op <= 0x22, op == 0x25, op == 0x26, op == 0x3f, op == 0x40:
		w.numbers(1)
	case op == 0x0e: // br_table
		for n := w.U32(); n > 0 && w.Err == nil; n-- {
			w.U32()
		}
		w.numbers(1)
	case op == 0x10:
		w.number(func(f uint32) uint32 { callee = int64(f); return numbers.function(f) })
		w.insert(numbers, callee)
	case op == 0xd2: // ref.func
		w.number(numbers.function)
	case op == 0x11: // call_indirect
		w.numbers(2)
		w.insert(numbers, -1)
	case op == 0x1c: // select with types
		w.Take(w.U32())
	case op == 0x23, op == 0x24:
		w.number(numbers.global)
	case op >= 0x28 && op <= 0x3e: // loads and stores
		w.numbers(2)
	case op == 0x43:
		w.Take(4)
	case op == 0x44:
		w.Take(8)
	case op == 0xd0:
		w.Byte()
	case op == 0xfc:
		w.bulk(numbers)
	case op == 0xfd:
		w.vector()
	}
}

// bulk reads the rest of an instruction with prefix 0xfc.
func (w *walker) bulk(numbers Numbering) {
	switch n := w.U32(); {
	case n < 8: // conversions
	case n == 8 || n == 9: // memory.init, data.drop
		w.number(numbers.data)
		if n == 8 {
			w.numbers(1)
		}
	case n == 10, n == 12, n == 14:
		w.numbers(2)
	case n <= 17:
		w.numbers(1)
	default:
		w.Err = fmt.Errorf("unknown instruction 0xfc %d", n)
	}
}

// vector reads the rest of an instruction with prefix 0xfd.
func (w *walker) vector() {
	switch n := w.U32(); {
	case n <= 11, n == 92, n == 93: // loads and stores
		w.numbers(2)
	case n == 12, n == 13: // a constant, a shuffle
		w.Take(16)
	case n >= 21 && n <= 34: // lanes
		w.Byte()
	case n >= 84 && n <= 91: // loads and stores of lanes
		w.numbers(2)
		w.Byte()
	}
}

// AppendElements appends an element section with new numbers of functions. An
// absent section, nil, stays absent.
func AppendElements(dst, section []byte, numbers Numbering) ([]byte, error) {
	if section == nil {
		return nil, nil
	}
	w := walker{Reader: Reader{Bytes: section}, out: dst}
	for n := w.U32(); n > 0 && w.Err == nil; n-- {
		flags := w.U32()
		if flags&1 == 0 { // active: at a place in a table
			if flags&2 != 0 {
				w.U32()
			}
			w.expression(numbers)
		}
		if flags&3 != 0 { // a kind or a type
			w.Byte()
		}
		for entries := w.U32(); entries > 0 && w.Err == nil; entries-- {
			if flags&4 != 0 {
				w.expression(numbers)
			} else {
				w.number(numbers.function)
			}
		}
	}
	return append(w.out, section[w.copied:]...), w.Err
}

// AppendGlobalSection appends a global section with new numbers of functions. An absent section, nil,
// stays absent.
func AppendGlobalSection(dst, section []byte, numbers Numbering) ([]byte, error) {
	if section == nil {
		return nil, nil
	}
	w := walker{Reader: Reader{Bytes: section}, out: dst}
	for n := w.U32(); n > 0 && w.Err == nil; n-- {
		w.Take(2) // type, and whether it is mutable
		w.expression(numbers)
	}
	return append(w.out, section[w.copied:]...), w.Err
}

// expression reads a constant expression, which is one instruction and its end.
func (w *walker) expression(numbers Numbering) {
	w.instruction(numbers)
	w.Byte()
}
