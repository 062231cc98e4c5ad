package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

func TestConfigMapHasTheFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, size int) string {
		path := filepath.Join(dir, name)
		writeFile(t, path, strings.Repeat("\x00asm", size/4))
		return path
	}
	small, half, more := file("K.g.io_v1_v2.wasm", 4000), file("L.g.io_v1_v2.wasm.gz", 512<<10), file("M.g.io_v1_v2.wasm", 512<<10+4)
	for _, args := range [][]string{{"configmap", "Modules", small}, {"configmap", "-n", "a_b", "modules", small}, {"configmap", "--namespace=", "modules", small}} {
		if code, out, errors := crosswalk("", args...); code != command.ExitError || out != "" || !strings.Contains(errors, "cannot be the name of a ConfigMap or of its namespace") {
			t.Errorf("%v: %d %s%s", args, code, out, errors)
		}
	}
	for _, tc := range []struct {
		name  string
		files []string
		want  string // the error
	}{
		{"two", []string{small, half}, ""},
		{"all kinds", []string{small, file("K.g.io_v1_v2.yaml", 4), file("ks.g.io.crd.yaml", 4), file("ks.g.io.crd.json", 4), file("O.g.io_v1_v2.removed", 0),
			file("SHA256SUMS", 4), file("SHA256SUMS.sig", 4), file("SHA256SUMS.sigstore.json", 4)}, ""},
		{"as much as fits", []string{half, file("N.g.io_v1_v2.wasm", 512<<10)}, ""},
		{"too much", []string{half, more}, "the files have 1048580 bytes; a ConfigMap may have 1048576: compress modules with zstd -19 or gzip -9, or use"},
		{"no module", []string{file("README.md", 4)}, dir + "/README.md: a gateway does not read this file; it reads modules"},
		{"a YAML file that is no sidecar", []string{file("values.yaml", 4)}, dir + "/values.yaml: a gateway does not read this file"},
		{"a wrong name", []string{file("crontab.wasm", 4)}, `crontab.wasm: `},
		{"no key", []string{file("K+.wasm", 4)}, dir + "/K+.wasm: a ConfigMap's keys have letters, digits, '-', '_' and '.' only"},
		{"no file", []string{dir + "/absent.wasm"}, "no such file or directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, errors := crosswalk("", append([]string{"configmap", "modules"}, tc.files...)...)
			if tc.want != "" {
				if code == command.ExitOK || !strings.Contains(errors, tc.want) || out != "" {
					t.Errorf("%d %s\nwant %s", code, errors, tc.want)
				}
				return
			}
			var m corev1.ConfigMap
			if err := yaml.UnmarshalStrict([]byte(out), &m); err != nil || code != command.ExitOK {
				t.Fatalf("%d %s %v", code, errors, err)
			}
			if m.Kind != "ConfigMap" || m.Name != "modules" || m.Namespace != "crosswalk-system" || len(m.BinaryData) != len(tc.files) {
				t.Errorf("%s %s/%s with %d files", m.Kind, m.Namespace, m.Name, len(m.BinaryData))
			}
			for _, path := range tc.files {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(m.BinaryData[filepath.Base(path)], content) {
					t.Errorf("other content for %s", path)
				}
			}
			for key := range m.BinaryData {
				if reasons := validation.IsConfigMapKey(key); len(reasons) > 0 {
					t.Errorf("an API server refuses the key %s: %v", key, reasons)
				}
			}
		})
	}
}
