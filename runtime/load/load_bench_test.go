//go:build linux

package load

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// BenchmarkLoad measures the processor time, in ms, of the child that vets the CronTab converter of
// each language that has been built: the median. The parts of it that the gateway repeats are in
// the benchmark of the same name in runtime/module.
func BenchmarkLoad(b *testing.B) {
	const file = "CronTab.stable.example.com_v1_v2.wasm"
	built, _ := filepath.Glob("../../bin/plugins/*/" + file)
	if len(built) == 0 {
		b.Skip("no converters: run make plugins")
	}
	name, err := artifact.ParseName(file)
	if err != nil {
		b.Fatal(err)
	}
	l := testLoader(b, module.Limits{})
	for _, path := range built {
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("language="+filepath.Base(filepath.Dir(path)), func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				before := processorTime()
				code, err := newVetter(l.limits, slog.New(slog.DiscardHandler)).vet(context.Background(), name, watch.File{Name: file, Content: content, Sum: sha256.Sum256(content)}, nil)
				code.close()
				if err != nil {
					b.Fatal(err)
				}
				times = append(times, processorTime()-before)
			}
			slices.Sort(times)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(times[len(times)/2])/float64(time.Millisecond), "vet-ms")
		})
	}
}
