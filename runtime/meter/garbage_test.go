package meter

import (
	"strings"
	"testing"
)

func TestGarbageIsRejectedM8(t *testing.T) {
	refuse(t, Limits{}, []refusal{
		{"empty", "", "module, byte 0: is empty"},
		{"gzip", "\x1f\x8b\x08\x00", "module, byte 0: is packed with gzip: its name has to end in .wasm.gz"},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x00", "module, byte 0: is packed with zstd: its name has to end in .wasm.zst"},
		{"text", "(module)", "module, byte 0: does not begin like a WebAssembly module"},
		{"an ELF file", "\x7fELF\x02\x01\x01\x00\x00", "module, byte 0: does not begin like a WebAssembly module"},
		{"version 2", "\x00asm\x02\x00\x00\x00", "module, byte 4: has a version of the binary format other than 1"},
		{"cut in a section", header + "\x01\x05\x01\x60", "module, byte 8: section 1 declares 5 bytes; 2 are left"},
		{"cut behind a section id", header + "\x01", "module, byte 9: ends early"},
		{"an unknown section", header + "\x0d\x00", "module, byte 8: has a section of tags: exceptions are not supported"},
		{"a section twice", header + emptyType + emptyType, "type section, byte 14: comes twice, or after a section that it belongs before"},
		{"sections out of order", header + oneFunc + emptyType, "function section, byte 11: type 0 does not exist; there are 0"},
		{"more than the content", header + sect(1, "\x00\x00"), "type section, byte 11: has 1 bytes more than its content"},
		{"functions without code", plainCode, "module, byte 18: declares 1 functions and has code for 0"},
		{"code without functions", header + emptyType + emptyBody, "code section, byte 17: has code for 1 functions, and 0 are declared"},
		{"no end", plainCode + body("\x01"), "function 0, byte 24: ends early"},
		{"code behind the end", plainCode + body("\x0b\x0b"), "function 0, byte 24: code goes on after the function's end"},
		{"a number that is too long", header + sect(1, "\x80\x80\x80\x80\x80\x00"), "type section, byte 10: a number does not fit 32 bits"},
		{"a number that is too large", header + sect(1, "\x80\x80\x80\x80\x10"), "type section, byte 10: a number does not fit 32 bits"},
		{"a signed number that is too large", plainCode + body("\x41\xff\xff\xff\xff\x0f\x1a\x0b"), "function 0, byte 24: a number does not fit 32 bits"},
		{"a name that is not UTF-8", header + emptyType + sect(2, "\x01\x01\xff\x00\x00\x00"), "import section, byte 17: the name of an import is not UTF-8"},
		{"an empty stack", plainCode + body("\x1a\x0b"), "function 0, byte 24: takes a value from an empty stack"},
		{"values left over", plainCode + body("\x41\x00\x0b"), "function 0, byte 25: a block ends with 1 values more than its type says"},
		{"the wrong type", plainCode + body("\x42\x00\x45\x1a\x0b"), "function 0, byte 26: takes a value of type i32 where there is one of i64"},
		{"a global that does not exist, where the meter's will be", plainCode + body("\x23\x00\x1a\x0b"), "function 0, byte 24: global 0 does not exist; there are 0"},
		{"a function that does not exist, where yield will be", plainCode + body("\x10\x01\x0b"), "function 0, byte 24: function 1 does not exist; there are 1"},
		{"a local that does not exist, where scratch will be", plainCode + body("\x20\x00\x1a\x0b"), "function 0, byte 24: local 0 does not exist; there are 0"},
		{"a reference nobody declared", plainCode + body("\xd2\x00\x1a\x0b"), "function 0, byte 23: takes a reference to function 0, which is neither exported nor in a table nor declared"},
		{"a label that does not exist", plainCode + body("\x0c\x01\x0b"), "function 0, byte 24: label 1 does not exist; there are 1"},
		{"memory without memory", plainCode + body("\x41\x00\x28\x02\x00\x1a\x0b"), "function 0, byte 25: uses a memory, and there is none"},
		{"an alignment too large", header + emptyType + oneFunc + oneMemory + body("\x41\x00\x28\x03\x00\x1a\x0b"), "function 0, byte 30: declares an alignment of 2^3; 2^2 is the largest for its size"},
		{"data that nobody counts", header + emptyType + oneFunc + oneMemory + body("\xfc\x09\x00\x0b") + sect(11, "\x01\x01\x00"), "function 0, byte 28: names a data segment, and the module does not count them"},
		{"data miscounted", header + sect(12, "\x02") + sect(11, "\x01\x01\x00"), "module, byte 16: counts 2 data segments and has 1"},
		{"exports of one name", plainCode + sect(7, "\x02\x01a\x00\x00\x01a\x00\x00") + emptyBody, "export section, byte 25: two exports are named \"a\""},
		{"a start function with parameters", header + sect(1, "\x01\x60\x01\x7f\x00") + oneFunc + sect(8, "\x00") + emptyBody, "start section, byte 21: the start function has type (i32) -> (); it must be () -> ()"},
		{"a shuffle beyond 32 lanes", plainCode + body("\xfd\x0c"+strings.Repeat("\x00", 16)+"\xfd\x0c"+strings.Repeat("\x00", 16)+"\xfd\x0d"+strings.Repeat("\x20", 16)+"\x1a\x0b"), "function 0, byte 59: lane 32 of 32"},
	})
}
