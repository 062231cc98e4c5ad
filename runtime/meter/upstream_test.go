package meter

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// upstream lists the fixes of wazero from v1.12.0 to revision f4779551afb4 of 29 August 2026, which
// are in no release: the difference of the two trees, without tests, documentation and work on
// speed. Each names the reason why this project does not need the fix, and a test that holds it.
var upstream = []struct{ pull, fix, answer, test string }{
	{"2481", "poll_oneoff forgets files other than stdin", "runtime/wasi has functions of its own", "TestLikeWazero"},
	{"2504", "locals are lost when an exception is caught", "exceptions are refused", "TestUnsupportedFeaturesAreRejectedM13"},
	{"2507", "fd_renumber onto stdio fails", "runtime/wasi has functions of its own, and no files", "TestDescriptorsStayOpen"},
	{"2508", "arm64: remainders are lost under register pressure", "the meter divides instead", "TestRemainderIsLoweredM17"},
	{"2511", "compiled code on another runtime mixes up signatures", "each module has one runtime", "TestModuleNamesAreDroppedM12"},
	{"2512", "a closed module frees a memory that it imported", "imported memories are refused", "TestHostile/m11_import_memory"},
	{"2517", "memory of a maximum above the limit is refused", "the meter writes a maximum within the limit", "TestMemoryMaximumIsWithinTheLimitX7"},
	{"2535", "amd64: selects of floats and vectors are wrong under register pressure", "the meter branches instead", "TestSelectIsLoweredM17"},
}

// TestUpstreamFixesHaveAnAnswerM17: another version of the engine needs another list, and each
// answer a test.
func TestUpstreamFixesHaveAnAnswerM17(t *testing.T) {
	root := filepath.Join("..", "..")
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(modules), "github.com/tetratelabs/wazero v1.12.0\n") {
		t.Errorf("go.mod has another version of wazero: list the fixes after it, and remove from the meter what it fixes")
	}
	var tests strings.Builder
	err = filepath.WalkDir(filepath.Join(root, "runtime"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range upstream {
		name, fixture, _ := strings.Cut(u.test, "/")
		if !strings.Contains(tests.String(), "\nfunc "+name+"(") || fixture != "" && !strings.Contains(tests.String(), fixture) {
			t.Errorf("wazero pull request %s (%s): there is no test %s that shows: %s", u.pull, u.fix, u.test, u.answer)
		}
	}
}

// TestMemoryMaximumIsWithinTheLimitX7: the engine reserves a memory's maximum.
func TestMemoryMaximumIsWithinTheLimitX7(t *testing.T) {
	for _, tc := range []struct{ declared, want string }{
		{"\x01\x00\x01", "\x01\x01\x01\x10"},             // none: the limit
		{"\x01\x01\x01\x04", "\x01\x01\x01\x04"},         // below it
		{"\x01\x01\x01\x80\x80\x04", "\x01\x01\x01\x10"}, // 65,536 pages
		{"\x01\x01\x20\x80\x80\x04", "\x01\x01\x20\x20"}, // a minimum above Options.MemoryPages, which the limits allow
	} {
		r, err := Rewrite([]byte(header+emptyType+oneFunc+sect(5, tc.declared)+body("\x0b")), Limits{}, Options{MemoryPages: 16})
		if err != nil {
			t.Fatal(err)
		}
		if want := sect(5, tc.want); !strings.Contains(string(r.Wasm), want) {
			t.Errorf("memory %x: the module has no section %x:\n%x", tc.declared, want, r.Wasm)
		}
	}
}
