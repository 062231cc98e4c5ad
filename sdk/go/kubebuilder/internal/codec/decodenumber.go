package codec

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// setNumber sets a number from its text, which may come from a string for fields with the option
// "string".
func (p *plan) setNumber(v unsafe.Pointer, text string, quoted bool) error {
	switch p.op {
	case opInt:
		n, err := strconv.ParseInt(text, 10, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		switch p.bits {
		case 8:
			*(*int8)(v) = int8(n)
		case 16:
			*(*int16)(v) = int16(n)
		case 32:
			*(*int32)(v) = int32(n)
		default:
			*(*int64)(v) = n
		}
	case opUint:
		n, err := strconv.ParseUint(text, 10, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		switch p.bits {
		case 8:
			*(*uint8)(v) = uint8(n)
		case 16:
			*(*uint16)(v) = uint16(n)
		case 32:
			*(*uint32)(v) = uint32(n)
		default:
			*(*uint64)(v) = n
		}
	case opFloat:
		n, err := strconv.ParseFloat(text, p.bits)
		if err != nil {
			return p.wrong("number " + text)
		}
		if p.bits == 32 {
			*(*float32)(v) = float32(n)
		} else {
			*(*float64)(v) = n
		}
	case opNumber:
		*(*string)(v) = text
	case opAny:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return &TypeError{Value: "number " + text, Type: reflect.TypeFor[float64]()}
		}
		*(*any)(v) = n
	default:
		if quoted {
			return p.unquotable(text)
		}
		return p.wrong("number")
	}
	return nil
}

func (p *plan) unquotable(text string) error {
	return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", text, p.t)
}
