package plugins_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compilers lists the languages whose converters can run natively, with their compilers.
var compilers = map[string]struct{ command, install, options string }{
	"c":   {"cc", "gcc", "-std=c99"},
	"cpp": {"c++", "g++", "-std=c++17 -fno-exceptions -fno-rtti -I../sdk/cpp -x c++"},
}

// native builds the converters in a directory, in C or C++, for this machine, with the sanitizers
// if the compiler has them, and returns a function that has a request frame answered. Without a
// compiler the test is skipped.
func native(t *testing.T, source string) func(request []byte) []byte {
	t.Helper()
	language := filepath.Base(source)
	with := compilers[language]
	compiler, err := exec.LookPath(with.command)
	if err != nil {
		t.Skipf("no compiler for %s (apt-get install %s)", language, with.install)
	}
	files, err := filepath.Glob(filepath.Join(source, "*."+language))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing to compile in %s: %v", source, err)
	}
	program := filepath.Join(t.TempDir(), "native")
	args := append(strings.Fields(with.options), "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I../sdk/c", "-o", program, "../sdk/c/native.c")
	args = append(args, files...)
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

// TestNativeVectors runs the vectors against the converters in C and C++ under the address and
// undefined-behaviour sanitizers.
func TestNativeVectors(t *testing.T) {
	t.Parallel() // with the other compilers
	for _, c := range converters(t) {
		if _, ok := compilers[c.language]; !ok {
			continue
		}
		t.Run(c.plugin+"/"+c.language, func(t *testing.T) {
			answer := native(t, filepath.Join(c.plugin, c.language))
			vectors := vectorsOf(t, c.plugin)
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
