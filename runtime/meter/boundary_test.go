package meter

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// snippet is an instruction with its operands, if any, and the code that restores the stack.
type snippet struct {
	name string
	code []byte
	trap bool // whether it ends in one
}

// forms returns every instruction, with each number in it padded by so many bytes.
func forms(pad int) (all []snippet) {
	u := func(v int) string { return padTo(appendU32(nil, uint32(v)), pad, 5, 0) }
	s := func(v int64, most int) string {
		sign := byte(0)
		if v < 0 {
			sign = 0x7f
		}
		return padTo(appendS64(nil, v), pad, most, sign)
	}
	operand := map[rune]string{
		'i': "\x41" + s(1, 5), 'l': "\x42" + s(1, 10), 'f': "\x43\x00\x00\x80\x3f", 'd': "\x44\x00\x00\x00\x00\x00\x00\xf0\x3f",
		'v': "\xfd\x0c" + strings.Repeat("\x01", 16),
	}
	add := func(name, takes, code string, gives bool) {
		c := ""
		for _, t := range takes {
			c += operand[t]
		}
		if c += code; gives {
			c += "\x1a"
		}
		all = append(all, snippet{name, []byte(c), name == "unreachable"})
	}
	for op, p := range plain {
		if p != nil {
			add(fmt.Sprintf("%#x", op), p.takes, string([]byte{byte(op)}), true)
		}
	}
	for op, a := range accesses {
		if a != nil {
			add(fmt.Sprintf("%#x", op), a.takes, string([]byte{byte(op)})+u(0)+u(8), a.gives != 0)
		}
	}
	for n, c := range saturating {
		add(fmt.Sprintf("0xfc %d", n), c.takes, "\xfc"+u(n), true)
	}
	for n, v := range vectors {
		if v == nil {
			continue
		}
		for name, number := range map[string]string{"0xfd %d": string(appendU32(nil, uint32(n))), "0xfd padded %d": u(n)} {
			code := "\xfd" + number
			if v.memory {
				code += u(0) + u(8)
			}
			code += strings.Repeat("\x02", v.bytes)
			if v.lanes > 0 {
				code += "\x01"
			}
			if v.mix {
				code += strings.Repeat("\x03", 16)
			}
			add(fmt.Sprintf(name, n), v.takes, code, v.gives != 0)
		}
	}
	one, three := u(1), "iii"
	for _, f := range []struct {
		name, takes, code string
		gives             bool
	}{
		{"unreachable", "", "\x00", false}, {"nop", "", "\x01", false}, {"drop", "i", "\x1a", false},
		{"block", "", "\x02\x40\x0b", false}, {"block of a value", "", "\x02\x7e" + operand['l'] + "\x0b", true},
		{"block of a type", "i", "\x02" + s(2, 5) + "\x0b", true}, {"loop of a type", "i", "\x03" + s(2, 5) + "\x0b", true},
		{"if", "i", "\x04\x40\x05\x0b", false}, {"if of a type", "ii", "\x04" + s(2, 5) + "\x05\x0b", true},
		{"br", "", "\x02\x40\x0c" + u(0) + "\x0b", false}, {"br_if", "", "\x02\x40" + operand['i'] + "\x0d" + u(0) + "\x0b", false},
		{"br_table", "", "\x02\x40" + operand['i'] + "\x0e" + u(2) + u(0) + u(0) + u(0) + "\x0b", false},
		{"return", "", "\x02\x40\x0c\x00\x42\x01\x0f\x0b", false},
		{"call", "", "\x10" + u(0), true}, {"call_indirect", "i", "\x11" + u(0) + u(0), true},
		{"select", "iii", "\x1b", true}, {"select of a type", "lli", "\x1c\x01\x7e", true}, {"select of padded types", "lli", "\x1c" + one + "\x7e", true},
		{"local.get", "", "\x20" + u(0), true}, {"local.set", "i", "\x21" + u(0), false}, {"local.tee", "i", "\x22" + u(0), true},
		{"global.get", "", "\x23" + u(0), true}, {"global.set", "i", "\x24" + u(0), false},
		{"table.get", "i", "\x25" + u(0), true}, {"table.set", "i", "\xd0\x70\x26" + u(0), false},
		{"memory.size", "", "\x3f\x00", true}, {"memory.size, padded", "", "\x3f" + u(0), true},
		{"memory.grow", "i", "\x40\x00", true}, {"memory.grow, padded", "i", "\x40" + u(0), true},
		{"i32.const", "", "\x41" + s(-5, 5), true}, {"i64.const", "", "\x42" + s(-5, 10), true},
		{"f32.const", "f", "", true}, {"f64.const", "d", "", true},
		{"ref.null", "", "\xd0\x70", true}, {"ref.null extern", "", "\xd0\x6f", true}, {"ref.is_null", "", "\xd0\x6f\xd1", true}, {"ref.func", "", "\xd2" + u(0), true},
		{"memory.init", three, "\xfc\x08" + u(0) + "\x00", false}, {"memory.init, padded", three, "\xfc\x08" + u(0) + u(0), false},
		{"data.drop", "", "\xfc\x09" + one, false},
		{"memory.copy", three, "\xfc\x0a\x00\x00", false}, {"memory.copy, padded", three, "\xfc\x0a" + u(0) + u(0), false},
		{"memory.fill", three, "\xfc\x0b\x00", false}, {"memory.fill, padded", three, "\xfc\x0b" + u(0), false},
		{"table.init", three, "\xfc\x0c" + one + u(0), false}, {"elem.drop", "", "\xfc\x0d" + u(2), false},
		{"table.copy", three, "\xfc\x0e" + u(0) + u(0), false}, {"table.grow", "", "\xd0\x70\x41\x00\xfc\x0f" + u(0), true},
		{"table.size", "", "\xfc\x10" + u(0), true}, {"table.fill", "i", "\xd0\x70\x41\x01\xfc\x11" + u(0), false},
		{"0xfc, padded", three, "\xfc" + u(11) + "\x00", false},
	} {
		add(f.name, f.takes, f.code, f.gives)
	}
	return all
}

// padTo makes a number longer, up to most bytes.
func padTo(b []byte, pad, most int, last byte) string {
	for ; pad > 0 && len(b) < most; pad-- {
		b[len(b)-1] |= 0x80
		b = append(b, last)
	}
	return string(b)
}

// manyFunctions is a module whose functions f0, f1 … each run a snippet and return their number.
func manyFunctions(snippets []snippet) []byte {
	out := []byte(header + sect(1, "\x03\x60\x00\x01\x7e\x60\x00\x00\x60\x01\x7f\x01\x7f")) // () -> i64, () -> (), (i32) -> i32
	var functions, exports, code []byte
	for i, s := range snippets {
		functions = append(functions, 0)
		exports = appendU32(append(appendName(exports, "f"+strconv.Itoa(i)), 0), uint32(i))
		body := "\x02\x01\x7f\x01\x7e" + string(s.code) + "\x42" + string(appendS64(nil, int64(i))) + "\x0b"
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	out = appendSection(out, 3, len(snippets), functions)
	out = append(out, sect(4, "\x01\x70\x00\x04")+oneMemory+sect(6, "\x01\x7f\x01\x41\x00\x0b")...)
	out = appendSection(out, 7, len(snippets), exports)
	out = append(out, sect(9, "\x03\x00\x41\x00\x0b\x04\x00\x00\x00\x00\x01\x00\x03\x00\x00\x00\x01\x00\x01\x00")+"\x0c\x01\x02"...)
	out = appendSection(out, 10, len(snippets), code)
	return append(out, sect(11, "\x02\x01\x08aaaaaaaa\x01\x01b")...)
}

// TestInstructionsEndWhereTheEnginesDoX1 runs every instruction, with its numbers in the shortest
// form and padded, on both engines. An accepted instruction must have its effect and end where the
// meter ends it: an engine that decoded another length would run code that was neither validated
// nor metered. No instruction may be rejected in its shortest form.
func TestInstructionsEndWhereTheEnginesDoX1(t *testing.T) {
	for pad := range 5 {
		var accepted []snippet
		for _, s := range append([]snippet{{"the first", []byte{0x01}, false}}, forms(pad)...) {
			if _, err := Scan(manyFunctions([]snippet{s}), Limits{}); err == nil {
				accepted = append(accepted, s)
			} else if pad == 0 {
				t.Errorf("%s is refused: %v", s.name, err)
			}
		}
		if t.Logf("padded by %d: %d accepted", pad, len(accepted)); len(accepted) < 150 {
			t.Error("too few to test anything")
		}
		r, err := Rewrite(manyFunctions(accepted), Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, config := range map[string]wazero.RuntimeConfig{"compiler": wazero.NewRuntimeConfigCompiler(), "interpreter": wazero.NewRuntimeConfigInterpreter()} {
			m := newMachine(t, config, r.Wasm, 1<<20)
			for i, s := range accepted {
				got := m.call("f"+strconv.Itoa(i), FuncType{Results: []ValueType{I64}}, nil)
				if want := fmt.Sprintf(" %x", i); s.trap != strings.HasPrefix(got, "wasm error: unreachable") || !s.trap && got != want {
					t.Errorf("%s, padded by %d, on the %s: got %s, want %s", s.name, pad, name, got, want)
				}
			}
			m.close()
		}
	}
}
