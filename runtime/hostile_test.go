package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// hostile says what must become of each fixture in testdata, by the row of docs/threat-model.md that its name begins with.
// refused is a part of the message with which it is not loaded; fault and message what a call of it ends with; answer what
// it answers where what it tries must come to nothing.
var hostile = []struct {
	file    string
	refused string
	fault   string
	message string
	answer  string
}{
	{file: "m04_table_grow", answer: "{}"},
	{file: "m05_memory_min", refused: "16384"},
	{file: "m09_start_spin", refused: "used up the work"},
	{file: "m09_start_trap", refused: "trapped: unreachable"},
	{file: "m09_initialize_spin", refused: "used up the work"},
	{file: "m09_initialize_trap", refused: "trapped: unreachable"},
	{file: "m09_initialize_exit", refused: "exited with code 0"},
	{file: "m10_start_recursion", refused: "call depth passed the limit"},
	{file: "m11_import_function", refused: "imports what the gateway does not offer: env.abort; allowed are"},
	{file: "m11_import_wasi_unknown", refused: "wasi_snapshot_preview1.fd_teleport"},
	{file: "m11_import_wasi_signature", refused: "proc_exit with type (i64) -> () (WASI says (i32) -> ())"},
	{file: "m11_import_log_signature", refused: "crosswalk_v1.log with type () -> () (the ABI says (i32, i32, i32) -> ())"},
	{file: "m11_import_meter", refused: "crosswalk_meter"},
	{file: "m11_import_global", refused: "import"},
	{file: "m11_import_table", refused: "import"},
	{file: "m11_import_memory", refused: "import"},
	{file: "m11_export_meter", refused: "crosswalk_meter"},
	{file: "m14_data_range", refused: "data"},
	{file: "m14_elem_range", refused: "elem"},
	{file: "m15_no_memory", refused: `does not export memory (a memory)`},
	{file: "m15_no_convert", refused: "does not export crosswalk_abi_v1, crosswalk_alloc, crosswalk_convert: it is neither a converter built with an SDK nor a WASI command (which exports _start)"},
	{file: "m15_signature", refused: "export crosswalk_convert has type (i32, i32) -> i32; the ABI says (i32, i32) -> i64"},
	{file: "m15_memory_is_function", refused: "does not export memory (a memory)"},
	{file: "m16_abi_v2", refused: "the module speaks version 2 of the ABI; this gateway speaks version 1"},
	{file: "describe_garbage", refused: "crosswalk_describe does not return JSON"},
	{file: "describe_fields_wrong", refused: `crosswalk_describe: fields.v1: path "spec..a": a name is missing at byte 5`},

	{file: "x01_spin", fault: FaultFuel, message: "used up the work that this batch may cost"},
	{file: "x02_fib", fault: FaultFuel, message: "used up the work"},
	{file: "x02_double", fault: FaultFuel, message: "used up the work"},
	{file: "x02_indirect", fault: FaultStack, message: "call depth passed the limit"},
	{file: "x03_fill", fault: FaultFuel, message: "used up the work"},
	{file: "x03_copy", fault: FaultFuel, message: "used up the work"},
	{file: "x05_recursion", fault: FaultStack, message: "call depth passed the limit"},
	{file: "x05_recursion_wide", fault: FaultStack, message: "call depth passed the limit"},
	{file: "x07_grow", answer: "{}"},
	{file: "x09_unreachable", fault: FaultTrap, message: "the module trapped: unreachable"},
	{file: "x09_divide", fault: FaultTrap, message: "the module trapped: integer divide by zero"},
	{file: "x09_outside", fault: FaultTrap, message: "the module trapped: out of bounds memory access"},
	{file: "x09_indirect", fault: FaultTrap, message: "the module trapped: invalid table access"},
	{file: "x10_exit", fault: FaultTrap, message: "the module exited with code 0 instead of returning"},
	{file: "x10_exit_forged", fault: FaultTrap, message: "the module exited with code 4026531839 instead of returning"},
	{file: "golden_fixed", answer: `{"spec":{"big":9007199254740993,"ratio":1.0,"hosts":["a","b"]}}`},
	{file: "x13_state", answer: "{}"},
	{file: "x13_state_large", answer: "{}"},
	{file: "x13_state_table", answer: "{}"},
	{file: "x13_state_segment", answer: "{}"},
	{file: "x14_stdout", answer: "{}"},
	{file: "x14_log", answer: "{}"},
	{file: "x15_world", answer: "*"},
	{file: "x16_sleep", answer: "{}"},
	{file: "x17_iovec", answer: "{}"},

	{file: "a01_outside", fault: FaultABI, message: "is not within its memory of 65536 bytes"},
	{file: "a01_longest", fault: FaultOutput, message: "has 4294967295 bytes"},
	{file: "a01_overflow", fault: FaultABI, message: "is not within its memory"},
	{file: "a01_empty_at_end", fault: FaultABI, message: "ends before the answer for object 0 of 1"},
	{file: "a02_overlap", answer: "{}"},
	{file: "a03_grow", answer: "{}"},
	{file: "a04_large", fault: FaultOutput, message: "bytes"},
	{file: "a04_huge", fault: FaultOutput, message: "has 62914560 bytes"},
	{file: "a05_alloc_zero", fault: FaultMemory, message: "the module has no memory for a request of"},
	{file: "a05_alloc_outside", fault: FaultABI, message: "is not within its memory"},
	{file: "a05_alloc_end", fault: FaultABI, message: "is not within its memory"},
	{file: "a05_alloc_unaligned", answer: "{}"},
	{file: "a05_alloc_spin", fault: FaultFuel, message: "used up the work"},
	{file: "a06_none", fault: FaultABI, message: "ends before the answer for object 0 of 1"},
	{file: "a06_more", fault: FaultABI, message: "has 10 bytes after its last answer"},
	{file: "a06_status", fault: FaultABI, message: "has status 7; the ABI knows 0 and 1"},
	{file: "a06_short", fault: FaultABI, message: "claims 100 bytes; its response has 2 left"},
	{file: "a06_empty_batch", refused: "trying the module on an empty batch: the module's response to 0 object(s) has 8 bytes; 0 are allowed"},

	{file: "command_good", answer: `{"apiVersion":"g/v2","kind":"K"}`},
	{file: "command_garbage", fault: FaultABI, message: "what the program wrote to stdout is not a ConversionReview"},
	{file: "command_none", fault: FaultABI, message: "the program returned 0 objects for 1"},
	{file: "command_spin", fault: FaultFuel, message: "used up the work"},
	{file: "command_flood", fault: FaultFuel, message: "used up the work"},
}

// smallLimits let hostile modules do little work before they are stopped, so that tests are quick.
var smallLimits = Limits{
	FuelPerObject: 20_000_000, FuelPerByte: 1000, FuelToLoad: 50_000_000, FuelToStart: 20_000_000,
	CallTime: 30 * time.Second, LoadTime: time.Minute, // fuel comes first, however busy the machine is
	ModuleInstances: 2, Instances: 6, BreakerFaults: 1000,
}

func testLoader(t testing.TB, limits Limits) *loader {
	t.Helper()
	l, err := newLoader(limits.withDefaults(), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fixture(t testing.TB, name string) watch.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return watch.File{Name: name, Content: content, Sum: sha256.Sum256(content)}
}

var testName = Name{File: "K.g_v1_v2.wasm", Base: "K.g_v1_v2", Kind: "K", Group: "g", Versions: []string{"v1", "v2"}}

func loadFixture(t testing.TB, l *loader, name string) *Module {
	t.Helper()
	m, err := l.load(context.Background(), testName, fixture(t, name))
	if err != nil {
		t.Fatalf("loading %s: %v", name, err)
	}
	t.Cleanup(m.close)
	return m
}

var testObject = []byte(`{"apiVersion":"g/v1","kind":"K"}`)

// TestHostile loads and calls every fixture while a good module converts beside it: whatever a module does, the good one
// must go on answering, and soon.
func TestHostile(t *testing.T) {
	l := testLoader(t, smallLimits)
	good := loadFixture(t, l, "good_echo")
	seen := map[string]bool{}
	for _, tc := range hostile {
		seen[tc.file] = true
		t.Run(tc.file, func(t *testing.T) {
			alive := watchOver(t, good)
			defer alive()
			m, err := l.load(context.Background(), testName, fixture(t, tc.file))
			if tc.refused != "" {
				if err == nil {
					m.close()
					t.Fatal("was loaded")
				}
				if !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("refused with\n %q\nwhich does not say\n %q", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatalf("not loaded: %v", err)
			}
			defer m.close()
			var first string
			for try := range 3 { // one instance, over and over, or a new one after each fault
				got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
				if tc.fault == "" {
					if err != nil {
						t.Fatalf("call %d: %v", try, err)
					}
					if s := string(got[0]); tc.answer != "*" && s != tc.answer {
						t.Fatalf("call %d: answered %q, want %q", try, s, tc.answer)
					} else if try > 0 && s != first {
						t.Fatalf("call %d answered %q, the first %q", try, s, first)
					} else {
						first = s
					}
					continue
				}
				var fault *FaultError
				if !errors.As(err, &fault) {
					t.Fatalf("call %d: error %v is no fault", try, err)
				}
				if fault.Kind != tc.fault || !strings.Contains(fault.Error(), tc.message) {
					t.Fatalf("call %d: %s fault %q, want %s fault with %q", try, fault.Kind, fault, tc.fault, tc.message)
				}
				if idle, working := m.pool.count(); idle+working != 0 {
					t.Fatalf("call %d: an instance that faulted was kept (%d idle, %d working)", try, idle, working)
				}
			}
		})
	}
	files, err := filepath.Glob("testdata/*.wat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".wat")
		if !seen[name] && !strings.HasPrefix(name, "good_") && name != "command_refuse" && name != "command_failed" {
			t.Errorf("testdata/%s.wat is in no test", name)
		}
	}
}

// watchOver has a good module convert until the returned function is called, which fails the test if one of its calls failed
// or took longer than a good module may ever have to wait for a bad one.
func watchOver(t *testing.T, good *Module) (stop func()) {
	const patience = 2 * time.Second // 250 ms on a quiet machine (docs/threat-model.md); tests share theirs with others
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() { // ends when stop is called
		var failed error
		for {
			select {
			case <-done:
				ended <- failed
				return
			default:
			}
			start := time.Now()
			got, _, err := good.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			switch took := time.Since(start); {
			case err != nil:
				failed = fmt.Errorf("the good module failed: %w", err)
			case string(got[0]) != string(testObject):
				failed = fmt.Errorf("the good module answered %q", got[0])
			case took > patience:
				failed = fmt.Errorf("the good module took %v", took)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return func() {
		close(done)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
