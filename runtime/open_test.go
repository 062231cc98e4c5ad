package runtime_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestOpenWaitsForABusyMachine asserts that a tool has an hour to compile a module, as adopt does on a
// machine with 40 other processes, and that a limit of the caller holds.
func TestOpenWaitsForABusyMachine(t *testing.T) {
	wasm, err := os.ReadFile("testdata/good_echo.wasm")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "CronTab.stable.example.com_v1_v2.wasm")
	if err := os.WriteFile(path, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ limit, want time.Duration }{{0, time.Hour}, {5 * time.Minute, 5 * time.Minute}} {
		m, err := runtime.Open(t.Context(), path, runtime.OpenConfig{Limits: module.Limits{CompileTime: test.limit}})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Limits().CompileTime; got != test.want {
			t.Errorf("with a limit of %v: %v, want %v", test.limit, got, test.want)
		}
		m.Close()
	}
}

// TestOpenReadsRegularFilesUnderABound: a file that does not end, that nobody writes to, or that is
// larger than the limits allow is refused before its content is in memory.
func TestOpenReadsRegularFilesUnderABound(t *testing.T) {
	wasm, err := os.ReadFile("testdata/good_echo.wasm")
	if err != nil {
		t.Fatal(err)
	}
	sparse := func(path string, size int64) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, size)
	}
	for _, test := range []struct {
		name, want string
		make       func(module, sidecar string) error
	}{
		{"a large module", "is too large: 33554433 bytes; 33554432 are allowed (--max-module-bytes)", func(module, _ string) error { return sparse(module, 32<<20+1) }},
		{"a large sidecar", "is too large: 1048577 bytes; 1048576 are allowed (the limit of a sidecar)", func(module, sidecar string) error {
			return errors.Join(os.WriteFile(module, wasm, 0o600), sparse(sidecar, 1<<20+1))
		}},
		{"a pipe", "is a named pipe", func(module, _ string) error { return syscall.Mkfifo(module, 0o600) }},
		{"a device", "is a device", func(module, _ string) error { return os.Symlink("/dev/zero", module) }},
		{"a directory", "is a directory", func(module, _ string) error { return os.Mkdir(module, 0o700) }},
		{"a link to nothing", "no such file or directory", func(module, _ string) error { return os.Symlink("nowhere", module) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "CronTab.stable.example.com_v1_v2")
			if err := test.make(base+".wasm", base+".yaml"); err != nil {
				t.Fatal(err)
			}
			m, err := runtime.Open(t.Context(), base+".wasm", runtime.OpenConfig{})
			if err == nil {
				m.Close()
			}
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "open "), base) || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
