package module

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// TestFrames has the worked example of docs/spec/abi.md.
func TestFrames(t *testing.T) {
	object := []byte(`{"apiVersion":"g/v1","kind":"K"}`)
	frame := make([]byte, requestSize("g/v2", [][]byte{object}))
	writeRequest(frame, "g/v2", [][]byte{object})
	want := "01000000" + "04000000" + hex.EncodeToString([]byte("g/v2")) + "20000000" + hex.EncodeToString(object)
	if got := hex.EncodeToString(frame); got != want {
		t.Errorf("request\n got %s\nwant %s", got, want)
	}
	response, _ := hex.DecodeString("00000000" + "20000000" + hex.EncodeToString(object))
	converted, refused, fault := readResponse(response, 1, func(int) int { return 100 })
	if fault != nil || refused != nil || !bytes.Equal(converted[0], object) {
		t.Errorf("response: %q, %v, %v", converted, refused, fault)
	}
}

func TestABIVersionIsInTheExport(t *testing.T) {
	if want := fmt.Sprintf("crosswalk_abi_v%d", ABI); exportABI != want {
		t.Errorf("modules export %s, want %s", exportABI, want)
	}
}

// TestExportsHaveTheTypesOfTheABI: a module with one function of another type is rejected, for the
// engine would give it the wrong arguments.
func TestExportsHaveTheTypesOfTheABI(t *testing.T) {
	for name, want := range signatures {
		m := &meter.Module{Exports: []meter.Export{{Name: name, Kind: meter.KindFunction, Type: meter.FuncType{Params: []meter.ValueType{meter.F64}}}}}
		wrong := fmt.Sprintf("export %s has type (f64) -> (); the ABI says %s", name, want)
		if _, err := CheckABI(m); err == nil || err.Error() != wrong {
			t.Errorf("error %v, want %s", err, wrong)
		}
	}
	log := &meter.Module{
		Exports: []meter.Export{{Name: exportStart, Kind: meter.KindFunction}, {Name: exportMemory, Kind: meter.KindMemory}},
		Imports: []meter.Import{{Module: importHost, Name: importLog, Kind: meter.KindFunction, Type: meter.FuncType{Params: []meter.ValueType{meter.I64, meter.I64, meter.I64}}}},
	}
	if _, err := CheckABI(log); err == nil || !strings.Contains(err.Error(), "with type (i64, i64, i64) -> () (the ABI says (i32, i32, i32) -> ())") {
		t.Errorf("a log function of another type: %v", err)
	}
}

func TestWords(t *testing.T) {
	long := strings.Repeat("ä", maxRefusal)
	for in, want := range map[string]string{
		"":                      "",
		" \n":                   "",
		"spec.x: no\n":          "spec.x: no",
		"two\nlines\tand a tab": "two\nlines\tand a tab",
		"bell\a and \x1b[31m":   "bell and [31m",
		"bad \xff utf-8":        "bad \uFFFD utf-8",
	} {
		if got := foreign.Clean(in, maxRefusal); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, before := range []string{"", "x"} { // so that the bound falls between characters, and into one
		want := before + strings.Repeat("ä", (maxRefusal-len(before))/2)
		if got := foreign.Clean(before+long, maxRefusal); got != want {
			t.Errorf("a long text becomes %d bytes that end %q, want %d", len(got), got[len(got)-4:], len(want))
		}
	}
}

// TestResponseAnswers reads the answers of a frame by their status.
func TestResponseAnswers(t *testing.T) {
	answer := func(status byte, body string) string {
		return string([]byte{status, 0, 0, 0, byte(len(body)), 0, 0, 0}) + body
	}
	tests := []struct {
		name, frame string
		refused     map[int]string
		kind, fault string
		object      int // that crashed; -1 if none did
	}{
		{"a refusal", answer(0, "{}") + answer(1, "no"), map[int]string{1: "no"}, "", "", -1},
		{"an empty refusal", answer(0, "{}") + answer(1, ""), map[int]string{1: "refused without a reason"}, "", "", -1},
		{"a blank refusal", answer(0, "{}") + answer(1, " \n\a"), map[int]string{1: "refused without a reason"}, "", "", -1},
		{"a crash", answer(2, "index out\nof range"), nil, faults.Trap, "the module crashed: index out of range", 0},
		{"a crash behind a refusal", answer(1, "no") + answer(2, "boom"), nil, faults.Trap, "the module crashed: boom", 1},
		{"nothing behind a crash is read", answer(2, "boom") + "\xff", nil, faults.Trap, "the module crashed: boom", 0},
		{"a crash without a word", answer(0, "{}") + answer(2, ""), nil, faults.Trap, "the module crashed without a message", 1},
		{"memory of QuickJS", answer(2, "InternalError: out of memory"), nil, faults.Memory, "the module ran out of memory (--module-memory-bytes): InternalError: out of memory", 0},
		{"a crash that is cut off", answer(2, "boom")[:10], nil, faults.ABI, "the module's answer for object 0 claims 4 bytes; its response has 2 left", -1},
		{"an unknown status", answer(3, ""), nil, faults.ABI, "the module's answer for object 0 has status 3; the ABI knows 0, 1 and 2", -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, refused, fault := readResponse([]byte(test.frame), 2, func(int) int { return 100 })
			if fault == nil {
				if test.fault != "" || !maps.Equal(refused, test.refused) {
					t.Errorf("refused %v, want %v and fault %q", refused, test.refused, test.fault)
				}
				return
			}
			object, known := fault.Object()
			if fault.Kind != test.kind || fault.Error() != test.fault || known != (test.object >= 0) || known && object != test.object {
				t.Errorf("fault %s %q at object %d %v, want %s %q at %d", fault.Kind, fault, object, known, test.kind, test.fault, test.object)
			}
		})
	}
}

// FuzzResponse reads arbitrary response frames: an answer for each object within its limits and
// within the frame, or an ABI or output fault.
func FuzzResponse(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 0, 0, 0, '{', '}'}, uint8(1))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 'n', 'o', 0, 0, 0, 0, 0, 0, 0, 0}, uint8(2))
	f.Add([]byte{0, 0, 0, 0, 255, 255, 255, 255}, uint8(1))
	f.Fuzz(func(t *testing.T, frame []byte, n uint8) {
		const limit = 64
		converted, refused, fault := readResponse(bytes.Clone(frame), int(n), func(int) int { return limit })
		if fault != nil {
			if fault.Kind != faults.ABI && fault.Kind != faults.Output && fault.object == 0 {
				t.Fatalf("a %s fault", fault.Kind)
			}
			return
		}
		used := 0
		for i := range int(n) {
			why, no := refused[i]
			if no != (converted[i] == nil) {
				t.Fatalf("answer %d: %q and refused %v", i, converted[i], no)
			}
			if len(converted[i]) > limit || len(why) > maxRefusal+40 {
				t.Fatalf("answer %d is too long", i)
			}
			used += 8 + len(converted[i])
		}
		if len(converted) != int(n) || used > len(frame) {
			t.Fatalf("%d answers of %d bytes from a frame of %d", len(converted), used, len(frame))
		}
	})
}

// TestForbiddenImportsAreListed: the error names eight forbidden imports, and counts the others.
func TestForbiddenImportsAreListed(t *testing.T) {
	for n, want := range map[int]string{8: "env.7; allowed", 9: "env.7 and 1 more; allowed", 12: "env.7 and 4 more; allowed"} {
		m := &meter.Module{}
		for i := range n {
			m.Imports = append(m.Imports, meter.Import{Module: "env", Name: string(rune('0' + i)), Kind: meter.KindFunction})
		}
		if err := checkImports(m, wasiTypes()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d imports: %v, want %q", n, err, want)
		}
	}
}

// TestCommandNeedsAMemory: a command without an exported memory cannot read its input.
func TestCommandNeedsAMemory(t *testing.T) {
	m := &meter.Module{Exports: []meter.Export{{Kind: meter.KindFunction, Name: exportStart}}}
	const want = `the module exports _start but no memory named "memory"`
	if _, err := CheckABI(m); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	m.Exports = append(m.Exports, meter.Export{Kind: meter.KindMemory, Name: exportMemory})
	if command, err := CheckABI(m); !command || err != nil {
		t.Errorf("with a memory: command %v, %v", command, err)
	}
}

// TestFirstInstanceErrors: a module does not start if no instance can be made, or if it describes
// itself in words that are not JSON.
func TestFirstInstanceErrors(t *testing.T) {
	l := testLoader(t, smallLimits)
	if _, err := l.load(t.Context(), testName, fixture(t, "describe_garbage")); err == nil || !strings.HasPrefix(err.Error(), "crosswalk_describe does not return JSON like ") {
		t.Errorf("a description that is not JSON: %v", err)
	}
	l.budget = NewBudget(0, false)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	if _, err := l.load(ctx, testName, fixture(t, "good_echo")); err == nil {
		t.Error("a module started without an instance")
	}
}
