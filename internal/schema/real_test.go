package schema

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// definitions returns what is in testdata.
func definitions(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.yaml.gz")
	if err != nil || len(paths) != 5 {
		t.Fatalf("definitions in testdata: %d, %v", len(paths), err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		inflated, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(inflated)
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		files[strings.TrimSuffix(filepath.Base(path), ".yaml.gz")] = content
	}
	return files
}

func parse(t testing.TB, file []byte) *CRD {
	t.Helper()
	crd, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

func BenchmarkCheck(b *testing.B) {
	files := definitions(b)
	for name, file := range files {
		crd := parse(b, file)
		for i := range crd.Versions {
			v := &crd.Versions[i]
			g := newGenerator(1, true)
			var object []byte
			for len(object) < 1 {
				object = g.object(crd, v)
			}
			b.Run(name+"/"+v.Name, func(b *testing.B) {
				b.SetBytes(int64(len(object)))
				b.ReportAllocs()
				for b.Loop() {
					if err := crd.Check(v.Name, object, Options{}, func(v Violation) bool { b.Fatal(v); return false }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(object)), "B/object")
			})
		}
	}
}
