package serve

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkServeReview measures the server's part of a review: checks, buffers, admission,
// deadline, metrics.
func BenchmarkServeReview(b *testing.B) {
	answer := []byte(strings.Repeat("x", 4000))
	s, err := NewServer(ServerConfig{
		Review: func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return answer, host.Outcome{Group: "example.com", Kind: "CronTab", From: "v1", To: "v2", Objects: 1}, nil
		},
		Certificates: &Certificates{}, Metrics: NewMetrics(prometheus.NewRegistry()),
	})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("x", 4000)
	body := strings.NewReader(text)
	r, err := http.NewRequest(http.MethodPost, "https://localhost/convert?timeout=30s", body)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	w := nowhere{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		body.Reset(text)
		clear(w.header)
		s.serveReview(w, r)
	}
}
