package write

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
)

// TestCompileReadsNoPipes imports a pipe that nobody writes to: reading it would never end.
func TestCompileReadsNoPipes(t *testing.T) {
	dir := t.TempDir()
	source, pipe := filepath.Join(dir, "converter.js"), filepath.Join(dir, "names.js")
	if err := os.WriteFile(source, []byte("import {name} from './names.js'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err := compileScript(t.Context(), command.Streams{Out: &out, Err: &out}, source)
	if errors.Is(err, script.ErrNoEngine) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), pipe+" is not a regular file") {
		t.Errorf("the error is %v", err)
	}
}
