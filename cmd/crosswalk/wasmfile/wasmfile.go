// Package wasmfile takes WebAssembly modules apart and puts them together again, as far as packing
// rules, scripts and files into prebuilt modules needs it. The modules are this project's own, or
// were validated before; the package still answers damaged bytes with errors.
package wasmfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Sections of a module, by their number.
const (
	Custom    = 0
	Type      = 1
	Import    = 2
	Function  = 3
	Table     = 4
	Memory    = 5
	Global    = 6
	Export    = 7
	Start     = 8
	Element   = 9
	Code      = 10
	Data      = 11
	DataCount = 12
)

// Types of globals.
const (
	I32 = 0x7f
	I64 = 0x7e
)

// PageSize is the size of a page of memory in bytes.
const PageSize = 1 << 16

var errDamaged = errors.New("the module is damaged")

// Section is one section of a module.
type Section struct {
	ID   byte
	Body []byte
}

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Sections returns the sections of a module; their bodies alias it.
func Sections(module []byte) ([]Section, error) {
	if len(module) < 8 || !slices.Equal(module[:8], header) {
		return nil, errors.New("the file is not a WebAssembly module")
	}
	var all []Section
	for r := (&Reader{Bytes: module, At: 8}); r.At < len(module); {
		s := Section{ID: r.Byte()}
		s.Body = r.Take(r.U32())
		if r.Err != nil {
			return nil, r.Err
		}
		all = append(all, s)
	}
	return all, nil
}

// Assemble is the inverse of Sections.
func Assemble(all []Section) []byte {
	out := slices.Clone(header)
	for _, s := range all {
		out = append(out, s.ID)
		out = binary.AppendUvarint(out, uint64(len(s.Body)))
		out = append(out, s.Body...)
	}
	return out
}

// Reader reads a section. After an error it returns zeros.
type Reader struct {
	Bytes []byte
	At    int
	Err   error
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Take returns the next n bytes, which alias the section; nil if there are fewer.
func (r *Reader) Take(n uint32) []byte {
	if r.Err != nil || uint64(n) > uint64(len(r.Bytes)-r.At) {
		r.Err = errDamaged
		return nil
	}
	r.At += int(n)
	return r.Bytes[r.At-int(n) : r.At]
}

// U32 reads an unsigned number.
func (r *Reader) U32() uint32 {
	v, n := binary.Uvarint(r.Bytes[r.At:])
	if r.Err != nil || n <= 0 || v > 1<<32-1 {
		r.Err = errDamaged
		return 0
	}
	r.At += n
	return uint32(v)
}

// Signed reads a signed number.
func (r *Reader) Signed() (v int64) {
	for shift := 0; shift < 70; shift += 7 {
		b := r.Byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.Err = errDamaged
	return 0
}

// AppendSigned appends a signed number.
func AppendSigned(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		if v >>= 7; v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

// Exported is an entry of the export section.
type Exported struct {
	Name  string
	Kind  byte // 0 function, 1 table, 2 memory, 3 global
	Index uint32
}

// Exports reads an export section.
func Exports(body []byte) ([]Exported, error) {
	r := &Reader{Bytes: body}
	var all []Exported
	for n := r.U32(); n > 0 && r.Err == nil; n-- {
		all = append(all, Exported{string(r.Take(r.U32())), r.Byte(), r.U32()})
	}
	return all, r.Err
}

// AppendExports is the inverse of Exports.
func AppendExports(dst []byte, all []Exported) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, e := range all {
		dst = append(binary.AppendUvarint(dst, uint64(len(e.Name))), e.Name...)
		dst = binary.AppendUvarint(append(dst, e.Kind), uint64(e.Index))
	}
	return dst
}

// Variable is an entry of the global section. Its start value is a constant number.
type Variable struct {
	Type    byte // I32 or I64
	Mutable bool
	Value   int64
}

// Globals reads a global section of numbers.
func Globals(body []byte) ([]Variable, error) {
	r := &Reader{Bytes: body}
	var all []Variable
	for n := r.U32(); n > 0 && r.Err == nil; n-- {
		v := Variable{Type: r.Byte(), Mutable: r.Byte() == 1}
		if op := r.Byte(); op != 0x41 && op != 0x42 {
			return nil, fmt.Errorf("a global variable begins with instruction %#x", op)
		}
		v.Value = r.Signed()
		if r.Byte() != 0x0b {
			return nil, errDamaged
		}
		all = append(all, v)
	}
	return all, r.Err
}

// AppendGlobals is the inverse of Globals.
func AppendGlobals(dst []byte, all []Variable) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, v := range all {
		mutable, op := byte(0), byte(0x41)
		if v.Mutable {
			mutable = 1
		}
		if v.Type == I64 {
			op = 0x42
		}
		dst = append(AppendSigned(append(dst, v.Type, mutable, op), v.Value), 0x0b)
	}
	return dst
}

// Segment is data at an address of memory.
type Segment struct {
	At    uint32
	Bytes []byte
}

// AppendSegments appends segments as the body of a data section, without their number.
func AppendSegments(dst []byte, all ...Segment) []byte {
	for _, s := range all {
		dst = append(AppendSigned(append(dst, 0, 0x41), int64(int32(s.At))), 0x0b)
		dst = append(binary.AppendUvarint(dst, uint64(len(s.Bytes))), s.Bytes...)
	}
	return dst
}

// GrowMemory returns a memory section whose one memory has at least a number of pages at start.
func GrowMemory(body []byte, pages uint32) ([]byte, error) {
	r := &Reader{Bytes: body}
	if r.U32() != 1 {
		return nil, errors.New("the module does not have one memory")
	}
	flags, least := r.Byte(), r.U32()
	out := binary.AppendUvarint([]byte{1, flags}, uint64(max(least, pages)))
	return append(out, r.Bytes[r.At:]...), r.Err
}
