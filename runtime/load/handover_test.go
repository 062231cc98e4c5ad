//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package load

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// TestVettedModuleIsNotCompiledAgain loads modules with the code that the process that vets
// compiled, and keeps that in the compile cache.
func TestVettedModuleIsNotCompiledAgain(t *testing.T) {
	for _, name := range []string{"good_echo", "command_good"} {
		dir := filepath.Join(t.TempDir(), "cache")
		for _, l := range []*Loader{testLoader(t, smallLimits), cachingLoader(t, dir)} {
			l.vetter = newVetter(l.limits, slog.New(slog.DiscardHandler))
			c, err := newCandidate(l, testName, fixture(t, name), nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := l.load(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if c.code == nil {
				t.Errorf("%s: the gateway compiled it itself", name)
			}
			if name == "good_echo" {
				convertsWell(t, m)
			}
			if n := len(l.vetter.slots.slots); n != 0 {
				t.Errorf("%s: %d places for vetting are still taken", name, n)
			}
			if l.cache == nil {
				continue
			}
			l.vetter.self = "/does/not/exist"
			loadFixture(t, l, name)
			if n := loads(l); n != [3]float64{1, 1, 0} {
				t.Errorf("%s: hits, misses and damaged are %v", name, n)
			}
		}
	}
}

// TestCodeIsSealedBeforeItRuns follows a process that vets: before the module's first instruction
// the code is final.
func TestCodeIsSealedBeforeItRuns(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, file := range []string{"m09_start_trap", "good_echo"} {
		code := &codeFile{file: newHandover(), most: 1 << 20}
		defer code.close()
		if err := checkSealed(code.file); err == nil || err.Error() != "the process that vetted the module did not seal the compiled code" {
			t.Errorf("before: %v", err)
		}
		var stages []string
		sealed := 0
		l.stages = &vetChild{code: code, sealed: func() { sealed++ }, out: json.NewEncoder(writerFunc(func(line []byte) (int, error) {
			var reply vetReply
			if err := json.Unmarshal(line, &reply); err != nil {
				t.Error(err)
			}
			if size, err := code.size(); err != nil || size == 0 {
				t.Errorf("%s: %d bytes of code, %v", reply.Stage, size, err)
			}
			if err := checkSealed(code.file); err != nil {
				t.Errorf("%s: %v", reply.Stage, err)
			}
			stages = append(stages, reply.Stage)
			return len(line), nil
		}))}
		want := "start cases"
		m, err := l.Load(context.Background(), testName, fixture(t, file), nil)
		if file == "m09_start_trap" {
			want = "start"
		} else if err == nil {
			m.Close()
		}
		if got := strings.Join(stages, " "); got != want || sealed != 1 {
			t.Errorf("%s: stages %s, want %s; sealed %d times", file, got, want, sealed)
		}
		if _, err := code.file.WriteAt([]byte("x"), 40); err == nil {
			t.Error("sealed code can be changed")
		}
		if err := code.file.Truncate(0); err == nil {
			t.Error("sealed code can be cut")
		}
	}
}

// TestCodeFileIsTheEnginesCache has the engine store code in a file and run from it, and gives it
// files that it must not run from.
func TestCodeFileIsTheEnginesCache(t *testing.T) {
	l := testLoader(t, smallLimits)
	rewritten := func(name string) *meter.Rewritten {
		r, err := meter.Rewrite(fixture(t, name).Content, meter.Limits{ModuleBytes: l.limits.ModuleBytes, MemoryPages: l.limits.MemoryPages}, meter.Options{MemoryPages: l.limits.MemoryPages})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	engineOn := func(r *meter.Rewritten, code *codeFile) error {
		p, err := l.compileWith(context.Background(), &candidate{limits: l.limits}, r, code)
		if err == nil {
			p.Close()
		}
		return err
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "code"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code := &codeFile{file: file, most: 1 << 20}
	if err := engineOn(rewritten("good_echo"), code); err != nil || code.err != nil {
		t.Fatal(err, code.err)
	}
	size, err := code.size()
	if err != nil || size <= sha256.Size {
		t.Fatalf("%d bytes of code, %v", size, err)
	}
	code.most = 0
	if err := engineOn(rewritten("good_echo"), code); err != nil {
		t.Errorf("its own code: %v", err)
	}
	const another = "compiling: the compiled code was made of another module, by another engine, or for another processor"
	if err := engineOn(rewritten("good_refuse"), code); err == nil || err.Error() != another {
		t.Errorf("another module's code: error %v, want %s", err, another)
	}
	var key codeKey
	if _, err := file.ReadAt(key[:], 0); err != nil {
		t.Fatal(err)
	}
	for _, bit := range []int{0, len(key)/2 - 1, len(key) - 1} {
		other := key
		other[bit] ^= 1
		if _, found, err := code.Get(other); found || err == nil {
			t.Errorf("code of a key that differs in byte %d: found %v, %v", bit, found, err)
		}
	}
	if err := file.Truncate(size - 5); err != nil {
		t.Fatal(err)
	}
	if err := engineOn(rewritten("good_echo"), code); err == nil {
		t.Error("code that was cut short is run")
	}
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if err := engineOn(rewritten("good_echo"), code); err == nil {
		t.Error("an empty file is taken for code")
	}

	if _, err := file.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	small := &codeFile{file: file, most: size - 1}
	if err := engineOn(rewritten("good_echo"), small); err != nil {
		t.Errorf("with too small a file: %v", err)
	}
	if size, err := small.size(); err != nil || size != 0 || small.err == nil {
		t.Errorf("of code that has no room %d bytes are kept, %v, %v", size, err, small.err)
	}
}

// TestHandoverRoom has modules hand over code only where all of it fits into the memory for
// vetting.
func TestHandoverRoom(t *testing.T) {
	code := &codeFile{most: int64(handoverBytes(1 << 30))}
	for wasm, want := range map[int]bool{2 << 20: true, 32 << 20: true, 77 << 20: false} {
		if got := code.hasRoom(wasm); got != want {
			t.Errorf("a module of %d MiB hands over its code: %v, want %v", wasm>>20, got, want)
		}
	}
	if !(*codeFile)(nil).hasRoom(1<<30) || !(&codeFile{}).hasRoom(1<<30) {
		t.Error("a file that is only read, or none, needs no room")
	}
}

// TestHandedCodeCounts: code that a child hands over must be sealed and counts as its memory.
func TestHandedCodeCounts(t *testing.T) {
	v := newVetter(testLoader(t, smallLimits).limits, slog.New(slog.DiscardHandler))
	handover := func(size int64, sealed bool) *os.File {
		f := newHandover()
		t.Cleanup(func() { f.Close() })
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if sealed {
			if err := seal(f); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	for _, tc := range []struct {
		name   string
		file   *os.File
		peak   int
		handed bool
		want   string
	}{
		{"code", handover(100, true), 50, true, ""},
		{"no code", handover(0, true), 50, false, ""},
		{"no file", nil, 50, false, ""},
		{"not sealed", handover(100, false), 50, false, "the process that vetted the module did not seal the compiled code"},
		{"not sealed, and empty", handover(0, false), 50, false, "the process that vetted the module did not seal the compiled code"},
		{"too much with the code", handover(100, true), 51, false, child.ErrMemory.Error()},
		{"too much without", nil, 151, false, child.ErrMemory.Error()},
	} {
		code, err := v.received(tc.file, 150, tc.peak)
		if (code != nil) != tc.handed || tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: code %v, error %v, want %q", tc.name, code, err, tc.want)
		}
	}
}
