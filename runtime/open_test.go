package runtime_test

import (
	"os"
	"path/filepath"
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
