package meter

import (
	"strings"
	"testing"
)

// TestPaddedVectorNumberIsRejectedX1: the engine reads one byte of a vector instruction's number.
// With a padded number it would decode instructions that were neither validated nor metered: here,
// a constant to a reader of LEB128 is an endless loop without charge to the engine.
func TestPaddedVectorNumberIsRejectedX1(t *testing.T) {
	hidden := "\x02\x40\x0c\x00\xfd\x8c\x00" + "\x0b\x03\x40\x0c\x00\x0b\x02\x40\x41\x00\x01\x01\x01\x01\x01\x01" + "\x1a\x0b\x0b"
	const want = "the number behind the prefix 0xfd is not in its shortest form"
	refuse(t, Limits{}, []refusal{
		{"a loop hidden in a constant", plainCode + body(hidden), "function 0, byte 27: " + want},
		{"v128.const, padded by one", plainCode + body("\xfd\x8c\x00"+strings.Repeat("\x00", 16)+"\x1a\x0b"), "function 0, byte 23: " + want},
		{"i8x16.shuffle, padded by one", plainCode + body("\xfd\x8d\x00"+strings.Repeat("\x00", 16)+"\x1a\x0b"), "function 0, byte 23: " + want},
		{"v128.const, padded by two", plainCode + body("\xfd\x8c\x80\x00"+strings.Repeat("\x00", 16)+"\x1a\x0b"), "function 0, byte 23: " + want},
		{"a number of two bytes, padded", plainCode + body("\xfd\xae\x81\x00\x0b"), "function 0, byte 23: " + want},
		{"i32.trunc_sat_f32_s, padded", plainCode + body("\x43\x00\x00\x00\x00\xfc\x80\x00\x1a\x0b"), "function 0, byte 28: the number behind the prefix 0xfc is not in its shortest form"},
		{"select of one type, padded", plainCode + body("\x41\x00\x41\x00\x41\x00\x1c\x81\x00\x7f\x1a\x0b"), "function 0, byte 29: the count of a select's types is not the byte 1"},
	})
	vector := "\xfd\x0c" + strings.Repeat("\x00", 16)
	accept(t, Limits{}, plainCode+body(vector+vector+"\xfd\xae\x01\x1a\x0b")) // i32x4.add, two bytes
}
