package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestConfigMapScript asserts that deploy/configmap.sh prints ConfigMaps that API servers accept, and refuses files that they would not.
func TestConfigMapScript(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, size int) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, bytes.Repeat([]byte{0, 'a', 's', 'm'}, size/4), 0o644))
		return path
	}
	small, half, more := file("K.g_v1_v2.wasm", 4000), file("L.g_v1_v2.wasm.gz", 512<<10), file("M.g_v1_v2.wasm", 512<<10+4)
	for _, tc := range []struct {
		name  string
		files []string
		want  string // the error
	}{
		{"two", []string{small, half}, ""},
		{"signed", []string{small, file("K.g_v1_v2.yaml", 4), file("SHA256SUMS", 4), file("SHA256SUMS.sig", 4), file("SHA256SUMS.sigstore.json", 4)}, ""},
		{"as much as fits", []string{half, file("N.g_v1_v2.wasm", 512<<10)}, ""},
		{"too much", []string{half, more}, "1048580 bytes, but a ConfigMap has 1048576 at most: compress with zstd -19 or gzip -9, use several ConfigMaps or another volume (deploy/README.md)"},
		{"no module", []string{file("README.md", 4)}, dir + "/README.md: the gateway reads no such file: it takes modules (.wasm, .wasm.gz, .wasm.zst), what goes with them (.yaml, .crd.yaml, .crd.json, .removed), SHA256SUMS and its signature (SHA256SUMS.sig, SHA256SUMS.sigstore.json)"},
		{"no key", []string{file("K+.wasm", 4)}, dir + "/K+.wasm: a ConfigMap's keys have letters, digits, '-', '_' and '.' only"},
		{"no file", []string{dir + "/absent.wasm"}, dir + "/absent.wasm: there is no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, problem bytes.Buffer
			script := exec.Command(filepath.Join(deploy, "configmap.sh"), append([]string{"modules"}, tc.files...)...)
			script.Stdout, script.Stderr = &out, &problem
			err := script.Run()
			if tc.want != "" {
				if want := "configmap.sh: " + tc.want + "\n"; err == nil || problem.String() != want || out.Len() > 0 {
					t.Errorf("error %v: %s\nwant %s", err, problem.String(), want)
				}
				return
			}
			must(t, err)
			objects := decode(t, out.Bytes())
			m, ok := objects[0].(*corev1.ConfigMap)
			if !ok || m.Name != "modules" || m.Namespace != "crosswalk-system" || len(m.BinaryData) != len(tc.files) {
				t.Fatalf("printed %+v", objects)
			}
			for _, path := range tc.files {
				content, err := os.ReadFile(path)
				must(t, err)
				if !bytes.Equal(m.BinaryData[filepath.Base(path)], content) {
					t.Errorf("other content for %s", path)
				}
			}
		})
	}
}
