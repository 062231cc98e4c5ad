package meter

import "fmt"

// Error is the reason why a module is rejected.
type Error struct {
	Section string // where: the name of a section, "function N" within the code section, or "module"
	Offset  int    // in bytes from the beginning of the module
	Msg     string // the problem, with the limit if one was exceeded
}

func (e *Error) Error() string {
	return fmt.Sprintf("not a module that can be run: %s, byte %d: %s", e.Section, e.Offset, e.Msg)
}

// feature names the part of WebAssembly beyond core 2.0 that an instruction belongs to, with the
// remark that it is not supported, in parentheses behind a space.
func feature(op byte) string {
	switch op {
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		return " (exceptions are not supported)"
	case 0x12, 0x13, 0x15:
		return " (tail calls are not supported)"
	case 0x14, 0xd3, 0xd4, 0xd5, 0xd6, 0xfb:
		return " (garbage collection and typed references are not supported)"
	case 0xfe:
		return " (threads are not supported)"
	}
	return ""
}

// Tags declare exceptions.
const (
	tagSection = 13
	kindTag    = 4 // of an import
)

// featureOfType is the same for the first byte of a type.
func featureOfType(form byte) string {
	switch {
	case form == 0x69:
		return " (exceptions are not supported)"
	case form >= 0x63 && form <= 0x74, form == 0x4e, form == 0x4f, form == 0x50, form == 0x5e, form == 0x5f:
		return " (garbage collection and typed references are not supported)"
	}
	return ""
}
