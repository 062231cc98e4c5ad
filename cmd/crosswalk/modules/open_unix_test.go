//go:build unix

package modules

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestOpenWaitsForNoPipe: opening a pipe to read waits until somebody writes to it, and the first
// interrupt does not end that.
func TestOpenWaitsForNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "CronTab.stable.example.com_v1_v2.wasm")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := Files([]string{pipe})
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if _, err := Open(t.Context(), pipe, runtime.OpenConfig{}); err == nil || !strings.HasSuffix(err.Error(), " is a named pipe") {
		t.Error(err)
	}
}
