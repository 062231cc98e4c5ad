package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWriteSDKTable(t *testing.T) {
	inC, err := os.ReadFile(filepath.Join("..", "..", "..", "bin", "plugins", "c", exampleModule))
	if err != nil {
		t.Skip("the example in C is not built: run make plugins")
	}
	modules := t.TempDir() // with this one language, even if others are built
	if err := os.Mkdir(filepath.Join(modules, "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(modules, "c", exampleModule), inC, 0o600); err != nil {
		t.Fatal(err)
	}
	var r results
	if err := r.read(strings.NewReader("BenchmarkReview/object=3.8k/batch=1/system=c-2 1 12.5 cpu-µs/object 9.26 x-B1\n")); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(t.TempDir(), "README.md")
	for range 2 { // the second time over the first table
		if _, err := os.Stat(document); err != nil {
			if err := os.WriteFile(document, []byte("# SDKs\n\n"+tableBegin+tableEnd+"\nmore\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.writeSDKTable(document, modules); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# SDKs\n\n" + tableBegin + "| language | raw |", "\n| C | ", " ms | 12.5 µs | 9.26× | – | – |\n", tableEnd + "\nmore\n"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("not once: %q in\n%s", want, text)
		}
	}
	if err := os.WriteFile(document, []byte("# SDKs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.writeSDKTable(document, modules); err == nil || !strings.Contains(err.Error(), "has no place for the table") {
		t.Errorf("a document without marks: %v", err)
	}
}

func TestSDKCells(t *testing.T) {
	for _, c := range []struct {
		sizes [3]int
		want  string
	}{
		{[3]int{configMap, 1, 1}, "yes"}, {[3]int{configMap + 1, configMap, 1}, "as .wasm.gz"},
		{[3]int{configMap * 5, configMap + 1, configMap}, "as .wasm.zst"}, {[3]int{configMap * 5, configMap * 2, configMap + 1}, "no"},
	} {
		if got := fitting(c.sizes[0], c.sizes[1], c.sizes[2]); got != c.want {
			t.Errorf("%v: %s, want %s", c.sizes, got, c.want)
		}
	}
	if got := kilo(9949) + " " + kilo(2_022_680); got != "9.9 KB 2,023 KB" {
		t.Error(got)
	}
	if got := milliseconds(9_900*time.Microsecond) + " " + milliseconds(1516*time.Millisecond); got != "9.9 ms 1,516 ms" {
		t.Error(got)
	}
}
