package plugins_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// BenchmarkConvert measures CronTab v1 to v2 in every language, one object and a hundred in a
// batch, without the gateway: no fuel, no checks, the instance kept. testdata/crontab-3k.json has
// 3.0 KB, as a gateway passes on an object of 3.8 KB with its managedFields.
func BenchmarkConvert(b *testing.B) {
	object, err := os.ReadFile("crontab/testdata/crontab-3k.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range converters(b) {
		if _, err := os.Stat(c.file); c.plugin != "crontab" || err != nil {
			continue
		}
		g := newGuest(b, c.file)
		if g.command != nil {
			continue // not a reactor: test/bench measures it within a gateway
		}
		for _, n := range []int{1, 100} {
			request := frame("stable.example.com/v2", slices.Repeat([]string{string(object)}, n))
			b.Run(fmt.Sprintf("%s/%d", c.language, n), func(b *testing.B) {
				b.SetBytes(int64(n * len(object)))
				for b.Loop() {
					g.call(b, request)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/object")
			})
		}
	}
}
