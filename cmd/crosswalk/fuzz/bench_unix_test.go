//go:build unix

package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkExamples fuzzes the C and Rust examples that lie in bin/plugins (make plugins), with one
// object for each of b.N. objects/cpu-s counts the CPU time of the process: the collector's and the
// compiler's included.
func BenchmarkExamples(b *testing.B) {
	debug.SetGCPercent(1600) // as the command does
	for _, language := range []string{"c", "rust"} {
		for _, example := range []string{"crontab", "hostport", "database", "healthcheck"} {
			name, err := os.ReadFile(filepath.Join(plugins, example, "MODULE"))
			if err != nil {
				b.Fatal(err)
			}
			base := strings.TrimSpace(string(name))
			wasm, err := os.ReadFile(filepath.Join("../../../bin/plugins", language, base+".wasm"))
			if err != nil {
				continue
			}
			sidecar, _ := os.ReadFile(filepath.Join(plugins, example, base+".yaml"))
			b.Run(language+"/"+example, func(b *testing.B) {
				cfg := Config{Seed: 1, Objects: b.N, Modules: []Module{open(b, base, wasm, string(sidecar))}}
				cfg.CRD = defined(b, filepath.Join(plugins, example, "crd.yaml"), "").CRD
				before := cpu(b)
				b.ResetTimer()
				if _, err := Run(context.Background(), cfg); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.N)/(cpu(b)-before), "objects/cpu-s")
			})
		}
	}
}

// cpu returns the CPU time of the process, in seconds.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
