package plainyaml

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// InUTF8 returns a text in UTF-8, also that of a file in UTF-16 with its mark, as Windows PowerShell writes
// the output of commands. The parser decodes that, too, but some callers find lines and documents first.
func InUTF8(text []byte) (result []byte, changed bool) {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return text, false
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units))), true
}
