package codec

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"
)

// stringHeader is the memory of a string.
type stringHeader struct {
	data unsafe.Pointer
	len  int
}

// structure decodes the object at pos into the struct at v. Most of an object is decoded here. A
// call costs a module that Go compiles as much as thirty other instructions, and so the usual cases
// are written out: names without escapes, text, small whole numbers, and truth values. The others
// are left to value.
func (d *decoder) structure(p *plan, v unsafe.Pointer) error {
	if d.depth++; d.depth > maxDepth {
		return errTooDeep
	}
	data, i := d.data, d.pos+1
	if at(data, i) <= ' ' {
		i = pastBlanks(data, i)
	}
	if at(data, i) == '}' {
		d.pos = i + 1
		d.depth--
		return nil
	}
	slots, mask := p.slots, p.mask
	if at(data, i) != '"' {
		return errSyntax
	}
	for { // text[i] is the quote before a name
		// The name, and the field of this name.
		var f *field
		start := i
		first := load(data, i+1)
		end := i + 1
		if special := quote.Specials(first); special != 0 {
			shift := bits.TrailingZeros64(special) &^ 7
			end += shift / 8
			first &= 1<<shift - 1
		} else {
			end = stop(data, i+9)
		}
		behind := load(data, end)
		if byte(behind) == '"' {
			n := end - i - 1
			for at := hash(first, n) & mask; ; at = (at + 1) & mask {
				s := (*slot)(unsafe.Add(slots, uintptr(at)*unsafe.Sizeof(slot{})))
				if s.field == nil {
					if !d.exact {
						f = p.fold(d.text[i+1 : end])
					}
					break
				}
				if s.start == first && s.len == n && (n <= 8 || s.field.end == load(data, end-8) && (n <= 16 || s.field.name == d.text[i+1:end])) {
					f = s.field
					break
				}
			}
			i = end + 1
		} else {
			d.pos = i
			name, err := d.string()
			if err != nil {
				return err
			}
			i, end, f = d.pos, d.pos-1, d.lookUp(p, name)
			behind = load(data, end)
		}
		c := byte(behind >> 16)
		if byte(behind>>8) == ':' && c > ' ' {
			i++
		} else {
			if at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
			if at(data, i) != ':' {
				return errSyntax
			}
			if i++; at(data, i) <= ' ' {
				i = pastBlanks(data, i)
			}
			c = at(data, i)
		}

		// The value.
		begin := i
		if f == nil {
			if i = d.valueEnd(i); i < 0 {
				return d.notJSON()
			}
			if d.parts != nil && d.depth <= 2 {
				d.note(nil, start, end, begin, i)
			}
		} else {
			if f.noted && d.depth == 1 {
				d.inMetadata = f.name == "metadata"
			}
			p, to := f.plan, unsafe.Add(v, f.offset)
			if f.indirect {
				goto slowly
			}
			if p.how == opPointer && c != 'n' && p.elem.pointerDecode == methodsNone {
				target := (*unsafe.Pointer)(to)
				p = p.elem
				if to = *target; to == nil {
					to = d.new(p)
					*target = to
				}
			}
			switch p.how {
			case opString:
				if c != '"' {
					break
				}
				first := load(data, i+1)
				if special := quote.Specials(first); special != 0 {
					end = i + 1 + bits.TrailingZeros64(special)/8
				} else {
					end = stop(data, i+9)
				}
				if at(data, end) == '"' {
					*(*stringHeader)(to) = stringHeader{unsafe.Add(data, i+1), end - i - 1}
					i = end + 1
					goto done
				}
			case opBool:
				switch uint32(load(data, i)) {
				case 'e'<<24 | 'u'<<16 | 'r'<<8 | 't':
					*(*bool)(to) = true
					i += 4
					goto done
				case 's'<<24 | 'l'<<16 | 'a'<<8 | 'f':
					if at(data, i+4) == 'e' {
						*(*bool)(to) = false
						i += 5
						goto done
					}
				}
			case opInt:
				if p.bits < 32 {
					break
				}
				if n, end := smallInt(data, i); end > 0 {
					if p.bits == 32 {
						*(*int32)(to) = int32(n)
					} else {
						*(*int64)(to) = n
					}
					i = end
					goto done
				}
			case opSkip:
				if i = d.valueEnd(i); i < 0 {
					return d.notJSON()
				}
				goto done
			case opStruct, opSlice:
				var err error
				switch {
				case p.how == opSlice && c == '[':
					if d.depth++; d.depth > maxDepth {
						return errTooDeep
					}
					d.pos = i
					err = d.list(p, to)
					d.depth--
				case c != '{' || p.how == opSlice:
					goto slowly
				default:
					d.pos = i
					err = d.structure(p, to)
				}
				if err != nil {
					return f.within(err)
				}
				i = d.pos
				goto done
			}
		slowly:
			d.pos = i
			if err := d.field(f, v); err != nil {
				return f.within(err)
			}
			i = d.pos
		done:
			if f.noted && d.parts != nil && d.depth <= 2 {
				d.note(f, start, start+len(f.name)+1, begin, i)
			}
		}

		switch next := load(data, i); {
		case uint16(next) == '"'<<8|',':
			i++
		case byte(next) == '}':
			d.pos = i + 1
			d.depth--
			return nil
		default:
			var err error
			if i, err = d.nextName(i); i == 0 {
				return err
			}
		}
	}
}

// nextName returns where the name behind a value's end i begins, with blanks before and behind the
// comma; or 0 if there is none.
func (d *decoder) nextName(i int) (int, error) {
	data := d.data
	i = pastBlanks(data, i)
	switch at(data, i) {
	case '}':
		d.pos = i + 1
		d.depth--
		return 0, nil
	case ',':
		if i = pastBlanks(data, i+1); at(data, i) == '"' {
			return i, nil
		}
	}
	return 0, errSyntax
}

func (d *decoder) notJSON() error {
	if d.depth > maxDepth {
		return errTooDeep
	}
	return errSyntax
}

// smallInt returns the whole number at i and its end; 0 if it is none, or has more than nine
// digits, which any type of 32 bits holds.
func smallInt(data unsafe.Pointer, i int) (n int64, end int) {
	first := at(data, i)
	if first == '-' {
		i++
	}
	start := i
	for ; at(data, i)-'0' <= 9; i++ {
		n = n*10 + int64(at(data, i)-'0')
		if i-start > 8 {
			return 0, 0
		}
	}
	if i == start || at(data, start) == '0' && i > start+1 {
		return 0, 0
	}
	switch at(data, i) {
	case '.', 'e', 'E':
		return 0, 0
	}
	if first == '-' {
		n = -n
	}
	return n, i
}

// field decodes the value at pos into a field of the struct at v.
func (d *decoder) field(f *field, v unsafe.Pointer) error {
	to := unsafe.Add(v, f.offset)
	if f.hops != nil {
		if to = f.make(v); to == nil {
			return fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", f.hops[len(f.hops)-1].to)
		}
	}
	if f.text {
		return d.textValue(f.plan, to)
	}
	return d.value(f.plan, to)
}
