package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// restTime is how long a server rests before its memory is read: Go returns the garbage of the start
// to the kernel little by little.
const restTime = 10 * time.Second

// firstLanguages are those whose gateways BenchmarkFirst starts: the smallest module, and the largest
// of a compiled language.
var firstLanguages = []string{"c", "go"}

// starter starts a server from nothing and returns when it says that it is ready.
type starter struct {
	name  string // as the end of a benchmark's name
	start func(tb testing.TB) (address string, pid int, stop func())
}

// firstResult is one start of a server.
type firstResult struct {
	wall, cpu time.Duration // until the answer to the first review
	resident  int64         // bytes, when the server has rested
}

// BenchmarkFirst starts servers, asks each for one conversion, and lets it rest. They take turns and
// report:
//
//	first-ms       from the start of the process to the first converted object, the best of the turns
//	first-cpu-ms   user and system time until then, of the process and its children: the least
//	rest-MiB       resident memory after a rest of ten seconds, the median
//
// B1 is a handler and its listener alone. start=cached is a gateway with the compile cache of
// an earlier start.
func BenchmarkFirst(b *testing.B) {
	if goruntime.GOOS != "linux" {
		b.Skip("reads the time and memory of other processes from /proc")
	}
	authority, err := certs.NewAuthority()
	if err != nil {
		b.Fatal(err)
	}
	all := starters(b, authority)
	results := sync.OnceValue(func() map[string][]firstResult { // the harness calls sub-benchmarks again
		found := map[string][]firstResult{}
		for range min(*rounds, listRounds) {
			for _, s := range all {
				found[s.name] = append(found[s.name], s.measure(b, authority))
			}
		}
		return found
	})
	for _, s := range all {
		b.Run(s.name, func(b *testing.B) {
			of := results()[s.name]
			ms := func(what func(firstResult) time.Duration) float64 {
				return float64(what(slices.MinFunc(of, func(x, y firstResult) int { return int(what(x) - what(y)) }))) / 1e6
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(func(r firstResult) time.Duration { return r.wall }), "first-ms")
			b.ReportMetric(ms(func(r firstResult) time.Duration { return r.cpu }), "first-cpu-ms")
			b.ReportMetric(median(of, func(r firstResult) float64 { return float64(r.resident) / (1 << 20) }), "rest-MiB")
		})
	}
}

// starters returns B1, and a gateway for each language with an empty and with a
// filled compile cache.
func starters(tb testing.TB, authority *certs.Authority) []starter {
	tb.Helper()
	native := buildWebhook(tb)
	all := []starter{{"server=B1/start=first", func(tb testing.TB) (string, int, func()) {
		w := startWebhook(tb, native, "B1", authority)
		return w.address, w.command.Process.Pid, func() { w.stop(tb) }
	}}}
	binary, err := artifacts.Gateway(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	dir, built := languages(tb)
	for _, language := range firstLanguages {
		if !slices.Contains(built, language) {
			continue
		}
		modules, kept := tb.TempDir(), tb.TempDir()
		wasm, err := os.ReadFile(filepath.Join(dir, language, moduleFile))
		if err == nil {
			err = os.WriteFile(filepath.Join(modules, moduleFile), wasm, 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
		with := func(tb testing.TB, cache string) (string, int, func()) {
			return startGateway(tb, authority, binary, modules, cache)
		}
		all = append(all,
			starter{"server=" + language + "/start=first", func(tb testing.TB) (string, int, func()) { return with(tb, tb.TempDir()) }},
			starter{"server=" + language + "/start=cached", func(tb testing.TB) (string, int, func()) { return with(tb, kept) }})
		_, _, stop := with(tb, kept) // fills the cache
		stop()
	}
	return all
}

// startGateway starts a gateway with the modules of a directory, and returns when it is ready.
func startGateway(tb testing.TB, authority *certs.Authority, binary, modules, cache string) (address string, pid int, stop func()) {
	tb.Helper()
	process, err := gateway.Start(gateway.Config{
		Binary: binary, Modules: modules, Authority: authority, Names: []string{judge.ServiceHost}, Flags: []string{"--compile-cache", cache},
	})
	if err != nil {
		tb.Fatal(err)
	}
	stop = func() {
		if err := process.Stop(); err != nil {
			tb.Errorf("the gateway with %s: %v", modules, err)
		}
		process.Remove()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // a busy machine vets modules slowly
	defer cancel()
	if err := process.WaitReady(ctx); err != nil {
		stop()
		tb.Fatal(err)
	}
	return process.Reviews, process.Pid(), stop
}

// measure starts the server once.
func (s starter) measure(tb testing.TB, authority *certs.Authority) (r firstResult) {
	tb.Helper()
	object := usual.object(tb)
	client, err := judge.New(judge.Config{Group: group, Kind: kind, Versions: []string{"v1", "v2"}, CA: authority.PEM})
	if err != nil {
		tb.Fatal(err)
	}
	began := time.Now()
	address, pid, stop := s.start(tb)
	defer stop()
	client.Switch(address)
	if _, err := client.Convert(object, "v2"); err != nil {
		tb.Fatalf("%s: %v", s.name, err)
	}
	r.wall = time.Since(began)
	if r.cpu, err = cpuOf(pid); err != nil {
		tb.Fatal(err)
	}
	time.Sleep(restTime)
	if r.resident, err = residentOf(pid); err != nil {
		tb.Fatal(err)
	}
	return r
}

// residentOf returns the resident memory of a process in bytes, with the pages of its files.
func residentOf(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" && fields[2] == "kB" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS in kB", pid)
}
