package module

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModuleNamesAreDroppedM12: a module that calls itself WASI, or the host, in its name section
// takes nobody's name, and a second of the same name loads beside it.
func TestModuleNamesAreDroppedM12(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, name := range []string{"wasi_snapshot_preview1", "crosswalk_v1", "crosswalk_meter"} {
		file := fixture(t, "x14_stdout") // imports WASI
		sub := append([]byte{0, byte(len(name) + 1), byte(len(name))}, name...)
		section := append([]byte{4, 'n', 'a', 'm', 'e'}, sub...)
		file.Content = append(append(file.Content, 0, byte(len(section))), section...)
		for range 2 {
			m, err := l.load(context.Background(), testName, file)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			defer m.Close()
			in, fault := m.program.newInstance(context.Background())
			if fault != nil {
				t.Fatal(fault)
			}
			defer in.close()
			if got := in.guest.Name(); got != "" {
				t.Errorf("an instance is named %q", got)
			}
			if m.program.engine.runtime.Module(name) == in.guest {
				t.Errorf("an instance took the name %s", name)
			}
			if got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil || string(got[0]) != "{}" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}

// TestCompiledCodeHasOneWayInM20: native code comes from the compiler in this process, or from the
// file that newEngine is given, and only compile.go gives it one: from the compile cache, which
// checked it, or from a vetting child, which sealed it.
func TestCompiledCodeHasOneWayInM20(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "bin" || d.Name() == ".git" || d.Name() == "node_modules") {
			if d != nil && d.IsDir() && err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if bytes.Contains(source, []byte("CompilationCache")) && !slices.Contains([]string{"engine.go", "program.go", "build.go", "codefile.go"}, filepath.Base(path)) {
			t.Errorf("%s has the engine keep compiled code", path)
		}
		if bytes.Contains(source, []byte("codeFile{")) && !slices.Contains([]string{"compile.go", "vet.go", "vetchild.go"}, filepath.Base(path)) {
			t.Errorf("%s makes a file of code", path)
		}
		if bytes.Contains(source, []byte("newEngine(")) && filepath.Base(path) != "engine.go" && filepath.Base(path) != "program.go" {
			t.Errorf("%s makes an engine", path)
		}
		seen++
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files looked at, error %v", seen, err)
	}
}
