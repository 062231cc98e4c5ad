package load

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// BenchmarkVettedLoad measures how much more processor time loading a new module takes when it is
// vetted than when it is compiled once and tried, both in the same run. Vetting compiles once as
// well, in the child, and adds the child's start and the comparison with the interpreter.
func BenchmarkVettedLoad(b *testing.B) {
	for _, plugin := range []string{"c", "rust", "javascript", "go"} {
		b.Run(plugin, func(b *testing.B) {
			const base = "CronTab.stable.example.com_v1_v2"
			name, err := artifact.ParseName(base + ".wasm")
			if err != nil {
				b.Fatal(err)
			}
			var files [2]watch.File
			for i, ending := range []string{".wasm", artifact.SidecarEnding} {
				content, err := os.ReadFile(filepath.Join("..", "bin", "plugins", plugin, base+ending))
				if err != nil {
					b.Skipf("make plugins first: %v", err)
				}
				files[i] = watch.File{Name: base + ending, Content: content, Sum: sha256.Sum256(content)}
			}
			l := testLoader(b, module.Limits{})
			load := func(vetter *vetter) time.Duration {
				l.vetter = vetter
				before := processorTime()
				m, err := l.Load(context.Background(), name, files[0], &files[1])
				if err != nil {
					b.Fatal(err)
				}
				m.Close()
				return processorTime() - before
			}
			load(nil) // the first compilation of a process takes longer
			vetter := newVetter(l.limits, slog.New(slog.DiscardHandler))
			var vetted, once time.Duration
			for b.Loop() {
				vetted += load(vetter)
				once += load(nil)
			}
			b.ReportMetric(float64(vetted.Milliseconds())/float64(b.N), "vetted-cpu-ms")
			b.ReportMetric(float64(once.Milliseconds())/float64(b.N), "once-cpu-ms")
			b.ReportMetric(float64(vetted)/float64(once), "ratio")
		})
	}
}

// processorTime returns the processor time of this process and its children.
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
