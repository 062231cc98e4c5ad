package interpreter

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiler is the version of clang that built the interpreter in the repository. Another version
// makes other bytes.
const compiler = "clang version 19.1.7"

// digest is the SHA-256 of the interpreter in the repository.
const digest = "a6d63aaafc740627f0b291e40147f250c72b55980d16b14a0a149d2189522e06"

// TestInterpreterIsBuiltFromSource builds the interpreter and compares it with the one in the
// repository: nobody can put in code that the source does not have.
func TestInterpreterIsBuiltFromSource(t *testing.T) {
	sum := sha256.Sum256(interpreter)
	if got := hex.EncodeToString(sum[:]); got != digest {
		t.Errorf("interpreter.wasm has the digest %s, not %s: after a change of sdk/rules or sdk/c, run make interpreter, which writes both", got, digest)
	}
	if len(interpreter) > 150<<10 {
		t.Errorf("the interpreter has %d bytes, more than 150 KiB", len(interpreter))
	}
	out, err := exec.Command("clang-19", "--version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), compiler) {
		t.Skipf("the interpreter was built by %s, which is not here: %v", compiler, err)
	}
	file := filepath.Join(t.TempDir(), "interpreter.wasm")
	if out, err := exec.Command("../../../../sdk/rules/build.sh", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	built, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, interpreter) {
		t.Error("interpreter.wasm differs from what sdk/rules/build.sh builds: run make interpreter")
	}
}
