package plugins_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// against is a directory of modules, as in bin/plugins, that BenchmarkConvert compares with those
// built now.
var against = flag.String("against", "", "directory of other builds of the modules, for BenchmarkConvert")

// BenchmarkConvert measures CronTab v1 to v2 in every language without the gateway: no fuel, no
// checks, the instance kept. The objects are those of test/bench as a gateway shows them to a
// module: small, with a status, and with a long spec; "fields" has the declared fields of one.
//
// With -against it alternates between two builds of each module, 20 ms each, and reports the median
// of the ratios: the other build's CPU time to this one's. Load on the machine meets both alike.
func BenchmarkConvert(b *testing.B) {
	for _, c := range converters(b) {
		if _, err := os.Stat(c.file); c.plugin != "crontab" || err != nil {
			continue
		}
		g := newGuest(b, c.file)
		if g.command != nil {
			continue // not a reactor: test/bench measures it within a gateway
		}
		var other *guest
		if *against != "" {
			other = newGuest(b, filepath.Join(*against, c.language, filepath.Base(c.file)))
		}
		for _, o := range cronTabs() {
			for _, n := range []int{1, 100} {
				request := frame("stable.example.com/v2", slices.Repeat([]string{o.text}, n))
				b.Run(fmt.Sprintf("%s/%s/%d", c.language, o.name, n), func(b *testing.B) {
					b.SetBytes(int64(n * len(o.text)))
					if other != nil {
						b.ReportMetric(compared(b, g, other, request), "×before")
						return
					}
					for b.Loop() {
						g.call(b, request)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N*n), "µs/object")
				})
			}
		}
	}
}

// compared returns how many times the CPU time of g other needs for a request. It runs b.N rounds.
func compared(b *testing.B, g, other *guest, request []byte) float64 {
	calls := 0
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; calls++ {
		g.call(b, request)
		other.call(b, request)
	}
	var ratios []float64
	for b.Loop() {
		mine := cpuTime(b, g, request, calls)
		ratios = append(ratios, float64(cpuTime(b, other, request, calls))/float64(mine))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// cpuTime is the time of the process for some calls, user and system.
func cpuTime(b *testing.B, g *guest, request []byte, calls int) int64 {
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	for range calls {
		g.call(b, request)
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	return after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
}

// cronTab is an object of the benchmark.
type cronTab struct{ name, text string }

// cronTabs returns objects of 0.9, 3.8 and 21.6 KB, without managedFields and resourceVersion,
// which a gateway does not show to modules, and the declared fields of any of them.
func cronTabs() []cronTab {
	return []cronTab{
		{"fields", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{},"name":"nightly-backup-00001"},"spec":{"cronSpec":"30 2 * * 1-5"}}`},
		{"0.9k", cronTabOf(1, false)},
		{"3.8k", cronTabOf(3, true)},
		{"21.6k", cronTabOf(64, true)},
	}
}

func cronTabOf(variables int, conditions bool) string {
	list := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(format, "#", fmt.Sprintf("%05d", i)))
		}
		return strings.Join(all, ",")
	}
	status := `"replicas":3,"lastRun":"2026-03-01T02:30:00Z",`
	if conditions {
		status += `"conditions":[` + list(3, `{"type":"Ready#","status":"True","observedGeneration":7,"lastTransitionTime":"2026-03-01T02:30:00Z",`+
			`"reason":"Reconciled","message":"the schedule is valid and the last run ended without an error"}`) + `],`
	}
	return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly-backup-00001","namespace":"production",` +
		`"uid":"7c1f3b2e-5d6a-4e8f-9b0c-000000000001","generation":7,"creationTimestamp":"2026-03-01T02:30:00Z",` +
		`"labels":{"app.kubernetes.io/managed-by":"crontab-operator","app.kubernetes.io/name":"backup","team":"storage"},` +
		`"annotations":{"example.com/note":"Runs while the \"quiet hours\" last; ask \u003cstorage@example.com\u003e before you move it."}},` +
		`"spec":{"cronSpec":"30 2 * * 1-5","image":"registry.example.com/storage/backup:1.4.2","env":[` +
		list(variables, `{"name":"BACKUP_TARGET_#","value":"s3://backup-1.example.com/volumes?part=#\u0026keep=30"}`) + `]},` +
		`"status":{` + status + `"history":[` +
		list(variables, `{"name":"nightly-backup-291#","started":"2026-03-01T02:30:00Z","seconds":12.5,"message":"copied 1204 files, 3 of them new"}`) + `]}}`
}
