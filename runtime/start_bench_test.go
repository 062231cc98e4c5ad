//go:build linux

package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
)

// BenchmarkStart measures how long a gateway takes from its start until every module of a directory
// serves: a hundred small ones, of C, and four of Go; vetted, as in production, and not, and from a
// compile cache. The modules are those of make plugins; without them it is skipped.
func BenchmarkStart(b *testing.B) {
	for _, bench := range []struct {
		name  string
		small int
		large int
		vet   bool
		cache bool
	}{
		{"C=100/vet", 100, 0, true, false},
		{"C=100", 100, 0, false, false},
		{"C=100/cached", 100, 0, true, true},
		{"Go=4/vet", 0, 4, true, false},
		{"Go=4", 0, 4, false, false},
		{"Go=4/cached", 0, 4, true, true},
		{"C=100,Go=4/vet", 100, 4, true, false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			dir := b.TempDir()
			place(b, dir, "c/CronTab.stable.example.com_v1_v2.wasm", "Small", bench.small)
			place(b, dir, "go/CronTab.stable.example.com_v1_v2.wasm", "Large", bench.large)
			config := Config{Dir: dir, Vet: bench.vet}
			if bench.cache {
				var err error
				if config.CompileCache, err = codecache.Open(filepath.Join(b.TempDir(), "cache"), 1<<30); err != nil {
					b.Skip(err)
				}
				defer config.CompileCache.Close()
				startOn(b, config, bench.small+bench.large) // which fills it
			}
			for b.Loop() {
				before := processorTime()
				first, all := startOn(b, config, bench.small+bench.large)
				b.ReportMetric(float64((processorTime() - before).Milliseconds()), "cpu-ms")
				b.ReportMetric(float64(first.Milliseconds()), "ms-to-first")
				b.ReportMetric(float64(all.Milliseconds()), "ms-to-all")
			}
		})
	}
}

// place writes n variants of a module, as modules of kinds of their own.
func place(b *testing.B, dir, plugin, kind string, n int) {
	b.Helper()
	if n == 0 {
		return
	}
	content, err := os.ReadFile(filepath.Join("..", "bin", "plugins", plugin))
	if err != nil {
		b.Skipf("make plugins first: %v", err)
	}
	old := time.Now().Add(-time.Minute)
	for i := range n {
		variant := append(content[:len(content):len(content)], 0, 6, 1, 'n') // a custom section
		variant = binary.LittleEndian.AppendUint32(variant, uint32(i))
		file := filepath.Join(dir, fmt.Sprintf("%s%03d.stable.example.com_v1_v2.wasm", kind, i))
		if err := os.WriteFile(file, variant, 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			b.Fatal(err)
		}
	}
}

// startOn starts a registry and ends it; it returns when the first module served and when all did.
func startOn(b *testing.B, config Config, want int) (first, all time.Duration) {
	b.Helper()
	began := time.Now()
	config.Registerer = prometheus.NewRegistry()
	config.OnSet = func(s *Set) {
		if first == 0 && len(s.Bindings()) > 0 {
			first = time.Since(began)
		}
	}
	r, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }() // ends with cancel
	eventually.True(b, "ready", r.Ready)
	all = time.Since(began)
	for _, st := range r.Status() {
		if st.State != StateServing {
			b.Errorf("%s: %s: %s", st.File, st.State, st.LastError)
		}
	}
	if n := len(r.Status()); n != want {
		b.Errorf("%d modules, want %d", n, want)
	}
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
	return first, all
}

// processorTime is the processor time of this process and its vetting children.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
