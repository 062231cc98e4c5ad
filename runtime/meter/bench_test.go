package meter

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The most that metering may cost, relative to the unmetered module. Other languages have no bound;
// their ratio is reported.
const (
	mostOfC  = 1.3
	mostOfGo = 1.1
)

// BenchmarkMeter alternates the same work between a module and its rewritten form, and reports the
// ratio of the times. It fails if the ratio exceeds the bound after enough rounds.
func BenchmarkMeter(b *testing.B) {
	b.Run("c-bytes", func(b *testing.B) {
		wasm, err := os.ReadFile("testdata/scan.wasm")
		if err != nil {
			b.Fatal(err)
		}
		compare(b, wasm, mostOfC, func(m *machine) func() {
			must(b, m.module.ExportedFunction("fill"))
			scan := m.module.ExportedFunction("scan")
			return func() { must(b, scan, 1<<16) }
		})
	})
	built, _ := filepath.Glob("../../bin/plugins/*/CronTab.stable.example.com_v1_v2.wasm")
	if len(built) == 0 {
		b.Log("no converters: run make plugins")
	}
	for _, path := range built {
		language := filepath.Base(filepath.Dir(path))
		b.Run("crontab-"+language, func(b *testing.B) {
			wasm, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			m, err := Scan(wasm, Limits{})
			if err != nil {
				b.Fatal(err)
			}
			if isCommand(m) {
				b.Skip("a command spends most of its time on its start")
			}
			most := map[string]float64{"c": mostOfC, "go": mostOfGo}[language]
			compare(b, wasm, most, func(m *machine) func() {
				if f := m.module.ExportedFunction("_initialize"); f != nil {
					must(b, f)
				}
				convert := converter(b, m.module)
				return func() { convert() }
			})
		})
	}
}

// compare alternates between the two, a few milliseconds each, so that both see the same machine.
func compare(b *testing.B, wasm []byte, most float64, prepare func(*machine) func()) {
	r, err := Rewrite(wasm, Limits{}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	plain := prepare(newMachine(b, wazero.NewRuntimeConfigCompiler(), wasm, 1_000_000))
	metered := prepare(newMachine(b, wazero.NewRuntimeConfigCompiler(), r.Wasm, 1_000_000))
	var plainTimes, meteredTimes []time.Duration
	for b.Loop() {
		for range 10 {
			start := time.Now()
			plain()
			middle := time.Now()
			metered()
			plainTimes = append(plainTimes, middle.Sub(start))
			meteredTimes = append(meteredTimes, time.Since(middle))
		}
	}
	// Medians: on a shared machine a mean measures mostly other load.
	ratio := float64(median(meteredTimes)) / float64(median(plainTimes))
	b.ReportMetric(ratio, "x/unmetered")
	if most > 0 && ratio > most && len(plainTimes) > 2000 {
		b.Errorf("metered, it takes %.2f times as long; %.1f are allowed", ratio, most)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// converter returns a function that converts one CronTab of a kilobyte by the ABI and returns the
// answer, in guest memory.
func converter(b testing.TB, mod api.Module) func() []byte {
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly","annotations":{"n":"` +
		pad(700) + `"}},"spec":{"cronSpec":"30 2 * * 1-5","image":"a"}}`
	frame := binary.LittleEndian.AppendUint32(nil, 1)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len("stable.example.com/v2")))
	frame = append(frame, "stable.example.com/v2"...)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(object)))
	frame = append(frame, object...)
	alloc, convert := mod.ExportedFunction("crosswalk_alloc"), mod.ExportedFunction("crosswalk_convert")
	return func() []byte {
		at := must(b, alloc, uint64(len(frame)))
		mod.Memory().Write(uint32(at), frame)
		answer := must(b, convert, at, uint64(len(frame)))
		view, ok := mod.Memory().Read(uint32(answer>>32), uint32(answer))
		if !ok || len(view) == 0 {
			b.Fatal("no answer")
		}
		return view
	}
}

func pad(n int) string {
	p := make([]byte, n)
	for i := range p {
		p[i] = 'a' + byte(i%26)
	}
	return string(p)
}

func must(b testing.TB, f api.Function, args ...uint64) uint64 {
	results, err := f.Call(context.Background(), args...)
	if err != nil {
		b.Fatal(err)
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}
