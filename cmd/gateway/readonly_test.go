//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// TestGatewayWritesNoFileW13: a gateway that can write to no file and has no temporary directory
// vets, loads, converts and reloads.
func TestGatewayWritesNoFileW13(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", "/nowhere")
	t.Setenv(noFiles, "1") // child processes inherit the limit
	p := start(t, "--modules", dir)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.cmd.Process.Pid))
	if err != nil || !regexp.MustCompile(`(?m)^Max file size +0 `).Match(limits) {
		t.Fatalf("the gateway may write files: %s, %v", limits, err)
	}
	p.waitReady(t)
	p.install(t, "one.wasm")
	p.reviewUntil(t, `{"module":"one"}, <nil>`)
	p.install(t, "two.wasm")
	p.reviewUntil(t, `{"module":"two"}, <nil>`)
}
