package plugins_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// native builds the C converters in a directory for this machine, with the sanitizers if the compiler has them, and returns
// a function that has a request frame answered. Without a compiler the test is skipped.
func native(t *testing.T, source string) func(request []byte) []byte {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (apt-get install gcc)")
	}
	files, err := filepath.Glob(filepath.Join(source, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no C in %s: %v", source, err)
	}
	program := filepath.Join(t.TempDir(), "native")
	args := append([]string{"-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I../sdk/c", "-o", program, "../sdk/c/native.c"}, files...)
	sanitizers := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	if out, err := exec.Command(compiler, append(sanitizers, args...)...).CombinedOutput(); err != nil {
		t.Logf("without sanitizers: %s", out)
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return func(request []byte) []byte {
		t.Helper()
		run := exec.Command(program)
		run.Stdin = bytes.NewReader(append(binary.NativeEndian.AppendUint32(nil, uint32(len(request))), request...))
		var stderr bytes.Buffer
		run.Stderr = &stderr
		out, err := run.Output()
		if err != nil || len(out) < 4 {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		return out[4:]
	}
}

// TestNativeVectors runs the vectors against the C converters under the address and undefined-behaviour sanitizers.
func TestNativeVectors(t *testing.T) {
	for _, c := range converters(t) {
		if c.language != "c" {
			continue
		}
		t.Run(c.plugin, func(t *testing.T) {
			answer := native(t, filepath.Join(c.plugin, c.language))
			vectors, err := crosswalktest.Read(filepath.Join(c.plugin, "testdata", "vectors.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range vectors {
				t.Run(v.Name, func(t *testing.T) {
					response := answer(frame(v.DesiredAPIVersion, objects(v)))
					if err := v.Check(split(readAnswers(t, response, len(v.Objects)))); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}
