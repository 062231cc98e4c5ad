package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestHostileNeighbours serves all hostile modules of testdata beside a good one. While they work,
// /readyz answers and the good module converts. The aim is a quarter of a second; the limit of the
// test leaves room for a busy machine, and the test logs the maximum.
func TestHostileNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some seventy modules")
	}
	p := start(t, "--vet=false", "--fuel-per-object", "50000000", "--cache-bytes", "0")
	files, err := filepath.Glob("../../runtime/testdata/*.wasm")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d hostile modules: %v", len(files), err)
	}
	var kinds []string
	for _, file := range files {
		kind := "K" + strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".wasm"), "_", "x")
		kinds = append(kinds, kind)
		copyTo(t, file, filepath.Join(p.modules, kind+".hostile.example.com_v1_v2.wasm"))
	}
	copyTo(t, "testdata/one.wasm", filepath.Join(p.modules, "Widget.example.com_v1_v2.wasm"))
	p.waitReady(t)
	eventually.Succeeds(t, "the good module", func() error { _, err := p.review(); return err }) // several scans may load the files

	var wg sync.WaitGroup
	done := make(chan struct{})
	for half := range 2 {
		wg.Go(func() { // ends after two reviews for each module of its half
			for range 2 {
				for i := half; i < len(kinds); i += 2 {
					if err := p.hostileReview(kinds[i]); err != nil {
						t.Errorf("%s: %v", kinds[i], err)
					}
				}
			}
		})
	}
	go func() { wg.Wait(); close(done) }()

	const patience = 20 * time.Second
	var worstReady, worstReview time.Duration
	rounds := 0
	for running := true; running; rounds++ {
		select {
		case <-done:
			running = false
		default:
		}
		begin := time.Now()
		if code, text := p.get(t, "/readyz"); code != http.StatusOK {
			t.Fatalf("/readyz says %d: %s", code, text)
		}
		worstReady = max(worstReady, time.Since(begin))
		begin = time.Now()
		if _, err := p.review(); err != nil {
			t.Fatalf("the good module: %v", err)
		}
		worstReview = max(worstReview, time.Since(begin))
	}
	if worstReady > patience || worstReview > patience {
		t.Errorf("the worst: /readyz after %v, a good review after %v", worstReady, worstReview)
	}
	t.Logf("%d hostile modules, %d rounds beside them; the worst: /readyz after %v, a good review after %v", len(kinds), rounds, worstReady, worstReview)
}

// hostileReview sends a review for a hostile module. There must be a response with the request's
// uid, or one that asks the client to retry.
func (p *process) hostileReview(kind string) error {
	body := fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-2","desiredAPIVersion":"hostile.example.com/v2",`+
		`"objects":[{"apiVersion":"hostile.example.com/v1","kind":%q,"metadata":{"name":"a"},"spec":{}}]}}`, kind)
	code, text, err := p.post(body)
	if err != nil {
		return err
	}
	busy := code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable && strings.Contains(text, "has been loading since") // its start takes long
	if !busy && (code != http.StatusOK || !strings.Contains(text, `"uid":"u-2"`)) {
		return fmt.Errorf("%d: %.300s", code, text)
	}
	return nil
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
