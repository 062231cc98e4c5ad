package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// bomb is a converter with one more function, whose body is a prefix, a part repeated, and a
// suffix.
func bomb(t *testing.T, count int, part, suffix []byte) []byte {
	t.Helper()
	uleb := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	section := func(id byte, content []byte) []byte {
		return append(append([]byte{id}, uleb(len(content))...), content...)
	}
	str := func(s string) []byte { return append(uleb(len(s)), s...) }
	body := func(code []byte) []byte {
		b := append([]byte{0}, code...) // no locals
		return append(uleb(len(b)), b...)
	}
	var exports []byte
	exports = append(exports, 4)
	exports = append(append(exports, str("memory")...), 2, 0)
	exports = append(append(exports, str("crosswalk_abi_v1")...), 0, 0)
	exports = append(append(exports, str("crosswalk_alloc")...), 0, 1)
	exports = append(append(exports, str("crosswalk_convert")...), 0, 2)
	code := []byte{4}
	code = append(code, body([]byte{0x0b})...)
	code = append(code, body([]byte{0x41, 0x80, 0x08, 0x0b})...) // i32.const 1024
	code = append(code, body([]byte{0x42, 0x00, 0x0b})...)       // i64.const 0
	code = append(code, body(append(bytes.Repeat(part, count), suffix...))...)
	module := []byte("\x00asm\x01\x00\x00\x00")
	module = append(module, section(1, []byte{3, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e})...)
	module = append(module, section(3, []byte{4, 0, 1, 2, 0})...)
	module = append(module, section(5, []byte{1, 0, 1})...)
	module = append(module, section(7, exports)...)
	return append(module, section(10, code)...)
}

// vet vets a module that has no sidecar.
func vet(ctx context.Context, v *vetter, name artifact.Name, file watch.File) error {
	code, err := v.vet(ctx, name, file, nil)
	code.close()
	return err
}

// TestCompilerBombsAreVettedInChildM6 vets small modules that keep the compiler busy for long or
// fill its memory. With any verdict, this process is not the one that pays.
func TestCompilerBombsAreVettedInChildM6(t *testing.T) {
	if testing.Short() {
		t.Skip("burns processor time in child processes")
	}
	limits := smallLimits
	limits.CompileTime, limits.VetMemory = 2*time.Second, 256<<20
	table := append([]byte{0x41, 0x00, 0x0e}, binary.AppendUvarint(nil, 60_000)...) // br_table with 60,001 targets
	table = append(table, bytes.Repeat([]byte{0}, 60_001)...)
	for _, tc := range []struct {
		name   string
		module []byte
		killed bool // on any machine: it takes ten times as long as the limit
	}{
		{"20,000 empty loops", bomb(t, 20_000, []byte{0x03, 0x40, 0x0b}, []byte{0x0b}), true},
		{"15,000 ifs", bomb(t, 15_000, []byte{0x41, 0x01, 0x04, 0x40, 0x0b}, []byte{0x0b}), false},
		{"a br_table of 60,000", bomb(t, 1, table, []byte{0x0b}), false},
		{"1,300 memory.fills", bomb(t, 1_300, []byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 0x0b, 0}, []byte{0x0b}), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := residentBytes("/proc/self/statm")
			start := time.Now()
			l := testLoader(t, limits)
			err := vet(context.Background(), newVetter(l.limits, slog.New(slog.DiscardHandler)), testName, watch.File{Content: tc.module})
			t.Logf("%d bytes, after %v: %v", len(tc.module), time.Since(start).Round(time.Millisecond), err)
			if err != nil && !strings.Contains(err.Error(), "built to exhaust the compiler") && !strings.Contains(err.Error(), "allowed") && !strings.Contains(err.Error(), "once it is metered") {
				t.Errorf("refused for another reason: %v", err)
			}
			if tc.killed && err == nil {
				t.Error("was let through")
			}
			if took := time.Since(start); took > time.Minute { // the first alone takes some 20 s, were it let
				t.Errorf("took %v", took)
			}
			if grown := residentBytes("/proc/self/statm") - before; grown > 32<<20 {
				t.Errorf("this process grew by %d MiB", grown>>20)
			}
		})
	}
}

func TestVetVerdicts(t *testing.T) {
	l := testLoader(t, smallLimits)
	v := newVetter(l.limits, slog.New(slog.DiscardHandler))
	for _, tc := range []struct{ file, want string }{
		{"good_echo", ""},
		{"command_good", ""},
		{"x15_world", ""},
		{"x09_unreachable", ""}, // an object may be to blame; it loads, and traps alike on both engines
		{"m09_start_trap", "starting the module: the module trapped: unreachable"},
		{"m15_no_convert", "neither a converter built with an SDK nor a WASI command"},
	} {
		err := vet(context.Background(), v, testName, fixture(t, tc.file))
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.file, err, tc.want)
		}
	}
}

// TestVetShares has children work at once, each with a part of the memory, and a module that needs
// more than that get all of it.
func TestVetShares(t *testing.T) {
	v := newVetter(testLoader(t, smallLimits).limits, slog.New(slog.DiscardHandler))
	v.slots = newChildSlots(v.limits.VetMemory >> 20) // a MiB each, less than the process needs to start
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { // ends with the verdict
			if err := vet(context.Background(), v, testName, fixture(t, "good_echo")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(v.slots.slots) + len(v.slots.alone); n != 0 {
		t.Errorf("%d slots are still taken", n)
	}

	other, err := v.slots.acquire(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	var vetted atomic.Bool
	wg.Go(func() { // ends with the verdict
		if err := vet(context.Background(), v, testName, fixture(t, "good_echo")); err != nil {
			t.Error(err)
		}
		vetted.Store(true)
	})
	eventually.True(t, "the module to wait for all of the memory, or its verdict", func() bool { return len(v.slots.alone) == 1 || vetted.Load() })
	if vetted.Load() {
		t.Error("beside another child, a module had more than its part of the memory")
	}
	other()
	wg.Wait()
}

func TestChildSlots(t *testing.T) {
	slots := newChildSlots(2)
	one, err := slots.acquire(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := slots.acquire(soon, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("all places are had beside another: %v", err)
	}
	two, err := slots.acquire(context.Background(), false) // the slots of the caller that gave up are free again
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := slots.acquire(ended, false); !errors.Is(err, context.Canceled) {
		t.Errorf("a third of two places is had: %v", err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { // ends when its turn was
			all, err := slots.acquire(context.Background(), true)
			if err != nil {
				t.Error(err)
				return
			}
			if n := len(slots.slots); n != 2 {
				t.Errorf("alone with %d places", n)
			}
			all()
		})
	}
	one()
	two()
	wg.Wait()
	for processors, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 64: 4} {
		if n := vetChildren(processors); n != want {
			t.Errorf("%d children with %d processors, want %d", n, processors, want)
		}
	}
}

// TestVetMemory has a child exceed its memory, for so short a time that nobody may look meanwhile.
func TestVetMemory(t *testing.T) {
	limits := testLoader(t, smallLimits).limits
	limits.VetMemory = 1 << 20 // less than the process needs to start
	err := vet(context.Background(), newVetter(limits, slog.New(slog.DiscardHandler)), testName, fixture(t, "good_echo"))
	if err == nil || !strings.Contains(err.Error(), "takes more than 1 MiB of memory") {
		t.Errorf("error %v", err)
	}
}

// TestVetWithoutChild cannot start a process: nothing in the gateway looks into the file, and no
// module is loaded.
func TestVetWithoutChild(t *testing.T) {
	l := testLoader(t, smallLimits)
	l.vetter = newVetter(l.limits, slog.New(slog.DiscardHandler))
	l.vetter.self = "/does/not/exist"
	const want = "no process can be started to vet the module in (starting a child process: fork/exec /does/not/exist: no such file or directory): give the pod more memory or process ids, or set --vet=false if you trust all modules"
	garbage := watch.File{Content: []byte("no module at all")}
	for name, file := range map[string]watch.File{"a good module": fixture(t, "good_echo"), "garbage": garbage} {
		if _, err := l.Load(context.Background(), testName, file, nil); err == nil || err.Error() != want {
			t.Errorf("%s: error\n %v\nwant\n %s", name, err, want)
		}
	}
	for err, busy := range map[error]bool{syscall.EAGAIN: true, syscall.ENOMEM: true, syscall.EPERM: false} {
		if got := IsBusy(noChild(fmt.Errorf("%w: %w", child.ErrStart, err))); got != busy {
			t.Errorf("%v: busy is %v, want %v", err, got, busy)
		}
	}
}

func TestConfineIsForChildren(t *testing.T) {
	if _, err := os.Stat(child.Self()); err != nil {
		t.Errorf("cannot vet on this machine: %v", err)
	}
}

// TestShutdownWhileVettingM7 shuts down while a child compiles: nobody waits for it.
func TestShutdownWhileVettingM7(t *testing.T) {
	l := testLoader(t, smallLimits)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	bomb := watch.File{Content: bomb(t, 20_000, []byte{0x03, 0x40, 0x0b}, []byte{0x0b})}
	if err := vet(ctx, newVetter(l.limits, slog.New(slog.DiscardHandler)), testName, bomb); err == nil {
		t.Error("vetted, although the context had ended")
	}
	took := time.Since(start)
	t.Logf("stopped after %v", took)
	if took > 15*time.Second { // it takes some 20 s to compile
		t.Errorf("stopped after %v", took)
	}
}

// TestVetChildThatMisbehaves has a shell in the child's place, which reports stages and then ends
// or hangs.
func TestVetChildThatMisbehaves(t *testing.T) {
	if child.Self() == "" {
		t.Skip("no process can be started here")
	}
	const (
		start   = `echo '{"Stage":"start"}'; `
		compare = start + `echo '{"Stage":"cases"}'; echo '{"Stage":"compare"}'; `
		hang    = `exec sleep 1000`
		stop    = `kill -STOP $$`
		killed  = "the machine was too busy to load the module, which is tried again soon: the process that vetted the module was killed, by the kernel for lack of memory or by another process: if it happens again, give the pod more memory"
	)
	for _, tc := range []struct {
		name, script string
		want         string
		busy         bool
	}{
		{"ends at once", `exit 3`, "the process that vetted the module died (exit status 3): the module crashes the compiler", false},
		{"ends in the start", start + `exit 3`, "the process that vetted the module died (exit status 3): the module crashes the process when it starts", false},
		{"ends while it compares", compare + `exit 3`, "the process that vetted the module died (exit status 3): the module crashes the process when it converts", false},
		{"is killed in the compiler", `kill -KILL $$`, killed, true},
		{"is killed in the start", start + `kill -KILL $$`, killed, true},
		{"is killed while it compares", compare + `kill -KILL $$`, killed, true},
		{"writes no verdict", `echo hello`, "the process that vetted the module died (<nil>): the module crashes the compiler", false},
		{"refuses", start + `echo '{"Stage":"verdict","Error":"bad"}'`, "bad", false},
		{"was too busy", start + `echo '{"Stage":"verdict","Error":"late","Busy":true}'`, "the machine was too busy to load the module, which is tried again soon: late", true},
		{"accepts without sealing", start + `echo '{"Stage":"verdict"}'`, "the process that vetted the module did not seal the compiled code", false},
		// These wait for the time of a stage, 5 s of which are startSlack. A shell that sleeps
		// takes no processor time.
		{"hangs in the compiler", hang, "the machine was too busy to load the module, which is tried again soon: compiling and starting the module takes longer than 300ms: it is built to exhaust the compiler, or is too large: shrink it, or give the gateway more CPU", true},
		{"hangs in the start", start + hang, "the machine was too busy to load the module, which is tried again soon: starting the module takes longer than 5.3s: it does not end, and its limits of fuel and time do not end it", true},
		{"is stopped in the compiler", stop, "the machine was too busy to load the module, which is tried again soon: compiling and starting the module takes longer than 300ms: it is built to exhaust the compiler, or is too large: shrink it, or give the gateway more CPU", true},
		{"is stopped in the start", start + stop, "the machine was too busy to load the module, which is tried again soon: starting the module takes longer than 5.3s: it does not end, and its limits of fuel and time do not end it", true},
		{"hangs while it compares, having passed all that decides", compare + hang, "the process that vetted the module did not seal the compiled code", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shell := filepath.Join(t.TempDir(), "child")
			if err := os.WriteFile(shell, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Parallel() // a file that is open for writing, in a process just forked too, cannot be run: all are written by now
			limits := testLoader(t, smallLimits).limits
			limits.CompileTime, limits.LoadTime, limits.CallTime = 300*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
			if !strings.Contains(tc.script, "sleep") && !strings.Contains(tc.script, "STOP") {
				limits.CompileTime = time.Minute
			}
			v := newVetter(limits, slog.New(slog.DiscardHandler))
			v.self = shell
			err := vet(context.Background(), v, testName, fixture(t, "good_echo"))
			if err == nil || err.Error() != tc.want || IsBusy(err) != tc.busy {
				t.Errorf("busy %v, error\n %v\nwant\n %s", IsBusy(err), err, tc.want)
			}
		})
	}
}
