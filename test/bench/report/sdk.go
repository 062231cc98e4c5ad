package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

const (
	// exampleModule is the converter that every language has.
	exampleModule = "CronTab.stable.example.com_v1_v2.wasm"
	// configMap is the limit for all values of a ConfigMap together, in bytes (ValidateConfigMap in
	// kubernetes/kubernetes).
	configMap = 1 << 20

	tableBegin = "<!-- table: written by make sdk-table -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

// writeSDKTable replaces the table of sizes and times in a document.
func (r *results) writeSDKTable(document, modules string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the table: add the lines %q and %q", document, strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	g, err := r.sdks(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(before+tableBegin+g.markdown()+tableEnd+after), 0o644)
}

// sdks returns the table of the example converter in every language: its sizes, its loading time,
// and its figures of BenchmarkReview.
func (r *results) sdks(modules string) (grid, error) {
	g := grid{{"language", "raw", "gzip", "zstd", "fits a ConfigMap", "loads in", "one object of 3.8 KB", "B1 ÷", "among 100", "B1 ÷"}}
	files, err := filepath.Glob(filepath.Join(modules, "*", exampleModule))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no modules in %s: run make plugins", modules)
	}
	for _, file := range files {
		language := filepath.Base(filepath.Dir(file))
		wasm, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		raw, gzipped, zstandard := len(wasm), gzipLength(wasm), zstdLength(wasm)
		took, err := loadTime(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", language, err)
		}
		row := []string{title(language), kilo(raw), kilo(gzipped), kilo(zstandard), fitting(raw, gzipped, zstandard), milliseconds(took)}
		for _, batch := range []string{"1", "100"} {
			cpu, ok := r.find("cpu-µs/object", "BenchmarkReview", "object", "3.8k", "batch", batch, "system", language)
			ratio, _ := r.find("x-B1", "BenchmarkReview", "object", "3.8k", "batch", batch, "system", language)
			if ok {
				row = append(row, number(cpu)+" µs", number(ratio)+"×")
			} else {
				row = append(row, "–", "–")
			}
		}
		g = append(g, row)
	}
	return g, nil
}

func gzipLength(wasm []byte) int {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(wasm)                                  // to memory
	_ = w.Close()
	return b.Len()
}

func zstdLength(wasm []byte) int {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression)) // the options are valid
	return len(w.EncodeAll(wasm, nil))
}

// loadTime returns the median time of a few loads: scan, metering, compilation, start and a first
// call, without vetting.
func loadTime(file string) (time.Duration, error) {
	var times []time.Duration
	for range 3 {
		begin := time.Now()
		m, err := runtime.Open(context.Background(), file, runtime.OpenConfig{})
		if err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin))
		m.Close()
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// fitting returns the form in which a module fits a ConfigMap of its own.
func fitting(raw, gzipped, zstandard int) string {
	switch {
	case raw <= configMap:
		return "yes"
	case gzipped <= configMap:
		return "as .wasm.gz"
	case zstandard <= configMap:
		return "as .wasm.zst"
	}
	return "no"
}

func kilo(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%s KB", thousands(int64((n+500)/1000)))
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%s ms", thousands(int64(d.Round(time.Millisecond)/time.Millisecond)))
}
