package shadow

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestHammer converts from several goroutines while shadow modules come and go, for the race
// detector.
func TestHammer(t *testing.T) {
	b := newBench(t, 1, prometheus.NewRegistry())
	b.serve(answering("old", `{"spec":1}`))
	b.follow(answering("new", `{"spec":2}`))
	b.run()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { // ends by itself
			for j := range 200 {
				switch {
				case i == 0 && j%10 == 0:
					m := answering("new", `{"spec":2}`)
					m.digest = fmt.Sprint(j)
					b.follow(m)
				case i == 1 && j%20 == 0:
					b.serve(answering("old", fmt.Sprintf(`{"spec":%d}`, j)))
				case i == 2 && j%10 == 0:
					b.Status()
				}
				if o := b.review(object); o.Failure != "" {
					t.Error(o.Message)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkReview measures the cost of mirroring for a review of an object of 2 KB with a module
// that takes no time: without and with a shadow module.
func BenchmarkReview(b *testing.B) {
	large := strings.Replace(object, `"a":1`, `"a":"`+strings.Repeat("x", 2000)+`"`, 1)
	answer := []byte(`{"spec":"` + strings.Repeat("x", 2000) + `"}`)
	for _, tc := range []struct {
		name     string
		mirrored bool
		share    float64
	}{{"none", false, 0}, {"share=0.01", true, 0.01}, {"share=1", true, 1}} {
		b.Run(tc.name, func(b *testing.B) {
			x := newBench(b, tc.share, prometheus.NewRegistry())
			x.serve(&converting{name: "old", digest: "old-digest", convert: func(string) (string, string, error) { return string(answer), "", nil }})
			if tc.mirrored {
				x.follow(answering("new", `{"spec":1}`))
			}
			x.run()
			for b.Loop() {
				x.review(large)
			}
		})
	}
}
