package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNativeZig runs the converters' own tests, which run the vectors natively, with Zig's checks
// of bounds and overflows.
func TestNativeZig(t *testing.T) {
	t.Parallel() // with the other compilers
	zig := findZig(t)
	cache, err := filepath.Abs("../bin/zig")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range converters(t) {
		if c.language != "zig" {
			continue
		}
		t.Run(c.plugin, func(t *testing.T) {
			args := []string{"test", "--cache-dir", cache, "--global-cache-dir", cache, "--dep", "crosswalk", "--dep", "vectors",
				"-Mroot=" + filepath.Join(c.plugin, "zig", "main.zig"), "-Mcrosswalk=../sdk/zig/src/crosswalk.zig",
				"-Mvectors=" + goldenFile(c.plugin)}
			if out, err := exec.Command(zig[0], append(zig[1:], args...)...).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// findZig returns the command that is Zig, as build.sh finds it, or skips the test.
func findZig(t *testing.T) []string {
	commands := [][]string{{"zig"}, {"/opt/ziglang/ziglang/zig"}, {"python3", "-m", "ziglang"}}
	if name := os.Getenv("ZIG"); name != "" {
		commands = [][]string{strings.Fields(name)}
	}
	for _, c := range commands {
		if exec.Command(c[0], append(c[1:], "version")...).Run() == nil {
			return c
		}
	}
	t.Skip("no Zig (https://ziglang.org/download, or pip install ziglang)")
	return nil
}
