package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNativeRust runs the converters' own tests, which run the vectors natively.
func TestNativeRust(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the golden cases that building all languages writes")
	}
	t.Parallel() // with the other compilers
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		cargo = "/opt/rust-wasm/bin/cargo"
		if _, err := os.Stat(cargo); err != nil {
			t.Skip("no Rust (https://rustup.rs)")
		}
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no linker for Rust's own tests (apt-get install gcc)")
	}
	target, err := filepath.Abs("../bin/rust")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range converters(t) {
		if c.language != "rust" {
			continue
		}
		t.Run(c.plugin, func(t *testing.T) {
			test := exec.Command(cargo, "test", "--quiet", "--locked", "--offline", "--target-dir", target)
			test.Dir = filepath.Join(c.plugin, c.language)
			if out, err := test.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
