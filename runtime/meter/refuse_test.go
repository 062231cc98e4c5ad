package meter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const header = "\x00asm\x01\x00\x00\x00"

// sect is a section with a content, count included.
func sect(id byte, content string) string {
	return string(append(appendU32([]byte{id}, uint32(len(content))), content...))
}

// counted is a section of n entries with the same bytes.
func counted(id byte, n int, entry string) string {
	return sect(id, string(appendU32(nil, uint32(n)))+strings.Repeat(entry, n))
}

const (
	emptyType = "\x01\x04\x01\x60\x00\x00"   // type section: () -> ()
	oneFunc   = "\x03\x02\x01\x00"           // function section: one of type 0
	emptyBody = "\x0a\x04\x01\x02\x00\x0b"   // code section: one empty body
	oneTable  = "\x04\x04\x01\x70\x00\x04"   // table section: four funcrefs
	oneMemory = "\x05\x03\x01\x00\x01"       // memory section: one page
	huge      = "\xff\xff\xff\xff\x0f"       // 2^32-1
	plainCode = header + emptyType + oneFunc // needs a code section
	withTable = header + emptyType + oneFunc + oneTable
)

// body is a code section with one function of the given code, its end included.
func body(code string) string {
	b := "\x00" + code
	return sect(10, "\x01"+string(appendU32(nil, uint32(len(b))))+b)
}

// refuse scans and rewrites each case and compares the whole message.
func refuse(t *testing.T, limits Limits, cases []refusal) {
	t.Helper()
	for _, tc := range cases {
		_, err := Scan([]byte(tc.module), limits)
		if want := "not a module that can be run: " + tc.want; err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", tc.name, err, want)
		}
		if _, err2 := Rewrite([]byte(tc.module), limits, Options{}); fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("%s: Rewrite says %v", tc.name, err2)
		}
	}
}

type refusal struct{ name, module, want string }

func TestLargeCountsAreRejectedM1(t *testing.T) {
	var cases []refusal
	for id, name := range map[byte]string{
		1:  "type section, byte 10: declares 4294967295 types; 10000 are allowed",
		2:  "import section, byte 10: declares 4294967295 imports; 256 are allowed",
		3:  "function section, byte 10: declares 4294967295 functions; 100000 are allowed",
		4:  "table section, byte 10: declares 4294967295 tables; 4 are allowed",
		5:  "memory section, byte 10: declares 4294967295 memories; 2 are allowed",
		6:  "global section, byte 10: declares 4294967295 globals; 10000 are allowed",
		7:  "export section, byte 10: declares 4294967295 exports; 1000 are allowed",
		9:  "element section, byte 10: declares 4294967295 element segments; 100001 are allowed",
		10: "code section, byte 10: declares 4294967295 functions; 100000 are allowed",
		11: "data section, byte 10: declares 4294967295 data segments; 100001 are allowed",
		12: "data count section, byte 10: declares 4294967295 data segments; 100001 are allowed",
	} {
		cases = append(cases, refusal{fmt.Sprintf("section %d", id), header + sect(id, huge), name})
	}
	cases = append(cases,
		refusal{"within the limit, beyond the bytes", header + sect(1, "\x09\x60\x00"), "type section, byte 10: declares 9 types in 2 bytes"},
		refusal{"parameters", header + sect(1, "\x01\x60"+huge), "type section, byte 12: declares 4294967295 parameters; 100 are allowed"},
		refusal{"a name", header + emptyType + sect(2, "\x01"+huge), "import section, byte 17: declares 4294967295 bytes of a name; 10000 are allowed"},
		refusal{"elements", withTable + sect(9, "\x01\x00\x41\x00\x0b"+huge) + emptyBody, "element section, byte 31: declares 4294967295 elements; 131072 are allowed"},
		refusal{"bytes of data", header + oneMemory + sect(11, "\x01\x00\x41\x00\x0b"+huge), "data section, byte 20: declares 4294967295 bytes of data; 25 are allowed"},
		refusal{"labels", plainCode + body("\x41\x00\x0e"+huge+"\x0b"), "function 0, byte 26: declares 4294967295 labels; 524288 are allowed"},
		refusal{"a section's size", header + "\x01" + huge, "module, byte 8: section 1 declares 4294967295 bytes; 0 are left"},
	)
	refuse(t, Limits{}, cases)
}

func TestManyLocalsAreRejectedM2(t *testing.T) {
	locals := func(groups ...int) string {
		b := string(appendU32(nil, uint32(len(groups))))
		for _, n := range groups {
			b += string(appendU32(nil, uint32(n))) + "\x7f"
		}
		b += "\x0b"
		return plainCode + sect(10, "\x01"+string(appendU32(nil, uint32(len(b))))+b)
	}
	refuse(t, Limits{}, []refusal{
		{"ten million", locals(10_000_000), "function 0, byte 23: 10000000 locals; 5000 are allowed"},
		{"one too many in two groups", locals(5000, 1), "function 0, byte 26: 5001 locals; 5000 are allowed"},
		{"2^32-1 and some", locals(5000, 1<<32-1), "function 0, byte 26: 4294972295 locals; 5000 are allowed"},
	})
	accept(t, Limits{}, locals(4999, 1))
}

// TestWorkOfScanIsBoundedM6: lists of a hundred values, named by two bytes each, over and over.
func TestWorkOfScanIsBoundedM6(t *testing.T) {
	hundred := strings.Repeat("\x7f", 100)
	types := sect(1, "\x03\x60\x00\x00\x60\x64"+hundred+"\x00\x60\x00\x64"+hundred) // () -> (), (100) -> (), () -> (100)
	code := func(c string) string {
		c = "\x00" + c
		return header + types + sect(3, "\x02\x00\x01") + sect(10, "\x02"+string(appendU32(nil, uint32(len(c))))+c+"\x02\x00\x0b")
	}
	const want = "too much to check: parameters, results, labels and locals of all functions come to more than 4 values for each byte of the module"
	refuse(t, Limits{}, []refusal{
		{"calls", code("\x00" + strings.Repeat("\x10\x01", 50_000) + "\x0b"), "function 0, byte 28256: " + want},
		{"labels", code("\x02\x02\x00\x0e\xd0\x86\x03" + strings.Repeat("\x00", 50_001) + "\x0b\x0b"), "function 0, byte 12252: " + want},
		{"locals", header + emptyType + counted(3, 5_000, "\x00") + counted(10, 5_000, "\x05\x01\x88\x27\x7f\x0b"), "function 228, byte 6398: " + want},
	})
	accept(t, Limits{}, code("\x00"+strings.Repeat("\x10\x01", 5_000)+"\x0b"))
}

func TestLargeTablesAreRejectedM3(t *testing.T) {
	table := func(min int) string { return "\x70\x00" + string(appendU32(nil, uint32(min))) }
	refuse(t, Limits{}, []refusal{
		{"a large table", header + sect(4, "\x01"+table(1<<27)), "table section, byte 11: a table of 134217728 elements; 131072 are allowed"},
		{"five tables", header + counted(4, 5, table(1)), "table section, byte 10: declares 5 tables; 4 are allowed"},
		{"of numbers", header + sect(4, "\x01\x7f\x00\x01"), "table section, byte 11: a table of i32"},
	})
	accept(t, Limits{}, header+counted(4, 4, table(131072)))
}

// TestTableMaximumIsItsMinimumM4: the maximum of every table is its minimum, also if the module
// declares a larger one.
func TestTableMaximumIsItsMinimumM4(t *testing.T) {
	for _, declared := range []string{"\x70\x00\x07", "\x70\x01\x07\xff\xff\xff\xff\x0f"} {
		r, err := Rewrite([]byte(header+sect(4, "\x01"+declared)), Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseRewritten(r.Wasm)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.tables[0]; got.min != 7 || got.max != 7 || !got.hasMax {
			t.Errorf("table %+v", got)
		}
	}
}

// parseRewritten decodes a rewritten module, which Scan would reject for the reserved names in it.
func parseRewritten(wasm []byte) (*Module, error) {
	other := strings.Repeat("x", len(reserved))
	return parse(bytes.ReplaceAll(wasm, []byte(reserved), []byte(other)), Limits{})
}

func TestLargeMemoryIsRejectedM5(t *testing.T) {
	memory := func(limits string) string { return header + sect(5, "\x01"+limits) }
	refuse(t, Limits{}, []refusal{
		{"begins too large", memory("\x00\x81\x08"), "memory section, byte 10: the memory begins with 1025 pages of 64 KiB; 1024 are allowed"},
		{"maximum beyond the address space", memory("\x01\x01\x81\x80\x04"), "memory section, byte 10: a memory of more than 65536 pages"},
		{"maximum below minimum", memory("\x01\x02\x01"), "memory section, byte 11: the maximum 1 is below the minimum 2"},
	})
	for _, tc := range []struct {
		limits string
		pages  uint32
		want   uint32
	}{
		{"\x00\x01", 0, 1024},
		{"\x00\x01", 16, 16},
		{"\x01\x01\x80\x80\x04", 16, 16},
		{"\x01\x01\x08", 16, 8},
		{"\x00\x20", 16, 32}, // never below the minimum, which Scan accepted
	} {
		r, err := Rewrite([]byte(memory(tc.limits)), Limits{}, Options{MemoryPages: tc.pages})
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseRewritten(r.Wasm)
		if err != nil {
			t.Fatal(err)
		}
		if m.memory.max != tc.want || !m.memory.hasMax {
			t.Errorf("memory %q of at most %d pages has maximum %d, want %d", tc.limits, tc.pages, m.memory.max, tc.want)
		}
	}
}

func TestUnsupportedFeaturesAreRejectedM13(t *testing.T) {
	refuse(t, Limits{}, []refusal{
		{"a component", "\x00asm\x0d\x00\x01\x00", "module, byte 4: is a component; only core modules can be run: build the same source for wasm32-wasip1; crosswalk compile takes JavaScript, and Python with an interpreter"},
		{"shared memory", header + sect(5, "\x01\x03\x01\x01"), "memory section, byte 11: limits of kind 0x03: shared and 64-bit memories are not supported"},
		{"64-bit memory", header + sect(5, "\x01\x04\x01"), "memory section, byte 11: limits of kind 0x04: shared and 64-bit memories are not supported"},
		{"several memories", header + sect(5, "\x02\x00\x01\x00\x01"), "memory section, byte 10: several memories are not supported"},
		{"an atomic instruction", plainCode + body("\xfe\x03\x00\x0b"), "function 0, byte 23: unknown instruction 0xfe (threads are not supported)"},
		{"a tail call", plainCode + body("\x12\x00\x0b"), "function 0, byte 23: unknown instruction 0x12 (tail calls are not supported)"},
		{"an instruction of garbage collection", plainCode + body("\xfb\x00\x00\x0b"), "function 0, byte 23: unknown instruction 0xfb (garbage collection and typed references are not supported)"},
		{"an unknown instruction", plainCode + body("\xe0\x0b"), "function 0, byte 23: unknown instruction 0xe0"},
		{"a structure", header + sect(1, "\x01\x5f\x00"), "type section, byte 11: 0x5f begins no function type (garbage collection and typed references are not supported)"},
		{"a type of references", header + sect(1, "\x01\x60\x01\x64\x00\x00"), "type section, byte 13: 0x64 is not a value type (garbage collection and typed references are not supported)"},
		{"an imported tag", header + sect(1, "\x01\x60\x00\x00") + sect(2, "\x01\x01e\x01t\x04\x00\x00"), "import section, byte 17: import e.t is a tag: exceptions are not supported"},
		{"an exception", plainCode + body("\x06\x40\x0b\x0b"), "function 0, byte 23: unknown instruction 0x06 (exceptions are not supported)"},
		{"a tag section", header + sect(13, "\x00"), "module, byte 8: has a section of tags: exceptions are not supported"},
		{"relaxed SIMD", plainCode + body("\xfd\x80\x02\x0b"), "function 0, byte 23: unknown vector instruction 256 (relaxed SIMD is not supported)"},
		{"a reference type of garbage collection", header + sect(4, "\x01\x6e\x00\x01"), "table section, byte 11: 0x6e is not a value type (garbage collection and typed references are not supported)"},
		{"an imported memory", header + sect(2, "\x01\x01a\x01b\x02\x00\x01"), `import section, byte 11: import a.b is a memory; a module may import functions only`},
	})
}

// TestLongNamesAreShortenedM11: a message quotes names of a module shortened and without control
// characters.
func TestLongNamesAreShortenedM11(t *testing.T) {
	name := string(appendName(nil, "env\x1b[31m"+strings.Repeat("é", 1000)))
	short := "env\ufffd[31m" + strings.Repeat("é", 46) + "…"
	refuse(t, Limits{}, []refusal{
		{"an import", header + sect(2, "\x01"+name+name+"\x03"), "import section, byte 12: import " + short + "." + short + " is a global; a module may import functions only"},
		{"an export", header + oneMemory + sect(7, "\x02"+name+"\x02\x00"+name+"\x02\x00"), "export section, byte 2029: two exports are named \"" + short + "\""},
	})
}

func TestSegmentsOutOfRangeAreRejectedM14(t *testing.T) {
	refuse(t, Limits{}, []refusal{
		{"data", header + oneMemory + sect(11, "\x01\x00\x41\xff\xff\x03\x0b\x02xy"), "data section, byte 16: 2 bytes of data at 65535 of a memory that begins with 65536"},
		{"data at a negative offset", header + oneMemory + sect(11, "\x01\x00\x41\x7f\x0b\x01x"), "data section, byte 16: 1 bytes of data at 4294967295 of a memory that begins with 65536"},
		{"elements", withTable + sect(9, "\x01\x00\x41\x04\x0b\x01\x00") + emptyBody, "element section, byte 27: 1 elements at 4 of a table that has 4"},
		{"data without memory", header + sect(11, "\x01\x00\x41\x00\x0b\x00"), "data section, byte 11: a data segment for a memory, and there is none"},
		{"elements without table", plainCode + sect(9, "\x01\x00\x41\x00\x0b\x00") + emptyBody, "element section, byte 21: an element segment for a table, and there is none"},
	})
	accept(t, Limits{}, header+oneMemory+sect(11, "\x01\x00\x41\xfe\xff\x03\x0b\x02xy"))
	accept(t, Limits{}, withTable+sect(9, "\x01\x00\x41\x03\x0b\x01\x00")+emptyBody)
}

// TestLimitsAtTheirBoundaryM18 tries each limit at its boundary.
func TestLimitsAtTheirBoundaryM18(t *testing.T) {
	few := Limits{ModuleBytes: 100, Types: 2, Imports: 2, Functions: 2, Globals: 2, Exports: 2, Segments: 2, BodyBytes: 10, Params: 2, SegmentElements: 3}
	for _, tc := range []struct {
		name, ok, tooMany, want string
	}{
		{"types", header + counted(1, 2, "\x60\x00\x00"), header + counted(1, 3, "\x60\x00\x00"), "type section, byte 10: declares 3 types; 2 are allowed"},
		{"parameters", header + sect(1, "\x01\x60\x02\x7f\x7f\x00"), header + sect(1, "\x01\x60\x03\x7f\x7f\x7f\x00"), "type section, byte 12: declares 3 parameters; 2 are allowed"},
		{"results", header + sect(1, "\x01\x60\x00\x02\x7f\x7f"), header + sect(1, "\x01\x60\x00\x03\x7f\x7f\x7f"), "type section, byte 13: declares 3 results; 2 are allowed"},
		{"imports", header + emptyType + counted(2, 2, "\x01a\x01b\x00\x00"), header + emptyType + counted(2, 3, "\x01a\x01b\x00\x00"), "import section, byte 16: declares 3 imports; 2 are allowed"},
		{"functions", header + emptyType + counted(3, 2, "\x00") + counted(10, 2, "\x02\x00\x0b"), header + emptyType + counted(3, 3, "\x00"), "function section, byte 16: declares 3 functions; 2 are allowed"},
		{"globals", header + counted(6, 2, "\x7f\x00\x41\x00\x0b"), header + counted(6, 3, "\x7f\x00\x41\x00\x0b"), "global section, byte 10: declares 3 globals; 2 are allowed"},
		{"exports", header + oneMemory + sect(7, "\x02\x01a\x02\x00\x01b\x02\x00"), header + oneMemory + sect(7, "\x03\x01a\x02\x00\x01b\x02\x00\x01c\x02\x00"), "export section, byte 15: declares 3 exports; 2 are allowed"},
		{"data segments", header + counted(11, 2, "\x01\x00"), header + counted(11, 3, "\x01\x00"), "data section, byte 10: declares 3 data segments; 2 are allowed"},
		{"elements in all", withTable + counted(9, 2, "\x01\x00\x01\x00") + emptyBody, withTable + counted(9, 2, "\x01\x00\x02\x00\x00") + emptyBody, "element section, byte 34: declares 2 elements; 1 are allowed"},
		{"bytes of a function", plainCode + body(strings.Repeat("\x01", 8)+"\x0b"), plainCode + body(strings.Repeat("\x01", 9)+"\x0b"), "code section, byte 21: a function of 11 bytes; 10 are allowed"},
		{"bytes in all", header + sect(0, "\x01a"+strings.Repeat("x", 88)), header + sect(0, "\x01a"+strings.Repeat("x", 89)), "module, byte 0: has 101 bytes; 100 are allowed"},
	} {
		accept(t, few, tc.ok)
		refuse(t, few, []refusal{{tc.name, tc.tooMany, tc.want}})
	}
}

func accept(t *testing.T, limits Limits, module string) {
	t.Helper()
	if _, err := Scan([]byte(module), limits); err != nil {
		t.Errorf("%q is refused: %v", module[:min(len(module), 60)], err)
	}
}

// TestFixtures scans and rewrites compiled modules, including the example converters that have been
// built.
func TestFixtures(t *testing.T) {
	files, _ := filepath.Glob("../../bin/plugins/*/*.wasm")
	good, _ := filepath.Glob("../testdata/good_*.wasm")
	for _, f := range append(files, good...) {
		wasm, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Scan(wasm, Limits{}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		r, err := Rewrite(wasm, Limits{}, Options{})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if !r.Resettable {
			t.Errorf("%s cannot be reset", f)
		}
		t.Logf("%s: %d bytes become %d, resettable %v", f, len(wasm), len(r.Wasm), r.Resettable)
	}
}
