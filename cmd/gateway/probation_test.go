package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/kubelet"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestProbationUnderLoad replaces modules under load by versions that fail, each in another way,
// and that declare other fields than the previous versions. No review may fail, and in the end the
// previous versions serve again.
func TestProbationUnderLoad(t *testing.T) {
	const (
		module = "fields: {v1: [spec.module], v2: [spec.module]}\n" // the good module sees no field, and writes these
		from   = "fields: {v1: [spec.from], v2: []}\n"
	)
	good := "testdata/one.wasm"
	whole, parts := `{"module":"one"}`, `{"from":"v1","module":"one"}` // its results, by declared fields
	tests := []struct {
		kind, before, after string // the sidecars
		bad                 string
		want                string
	}{
		{"WholeThenWhole", "", "", "x09_unreachable", whole},
		{"WholeThenParts", "", from, "x09_unreachable", whole},
		{"PartsThenWhole", module, "", "a07_kind", parts},
		{"PartsThenOthers", module, from, "x01_spin", parts},
		{"WholeThenBreach", "", from, "a07_name", whole},
	}
	volume := &kubelet.Volume{Dir: t.TempDir()}
	write := func(bad bool) {
		t.Helper()
		files := map[string][]byte{}
		for _, tc := range tests {
			from, sidecar := good, tc.before
			if bad {
				from, sidecar = filepath.Join("../../runtime/testdata", tc.bad+".wasm"), tc.after
			}
			content, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			files[tc.kind+".example.com_v1_v2.wasm"] = content
			if sidecar != "" {
				files[tc.kind+".example.com_v1_v2.yaml"] = []byte(sidecar)
			}
		}
		if err := volume.Write(files); err != nil {
			t.Fatal(err)
		}
	}
	write(false)
	manySlots(t)
	p := start(t, "--modules", volume.Dir, "--vet=false", "--drain-delay", "0s", "--fuel-per-object", "1000000")
	p.waitReady(t)

	var clients sync.WaitGroup
	var sent atomic.Int64
	stop := make(chan struct{})
	for i := range tests {
		tc := &tests[i]
		for range 2 {
			clients.Go(func() { // ends when stop is closed, or with a wrong review
				for {
					select {
					case <-stop:
						return
					default:
					}
					if got, err := p.converted(tc.kind); err != nil || got != tc.want {
						t.Errorf("%s, after %d reviews: %s, %v; want %s", tc.kind, sent.Load(), got, err, tc.want)
						return
					}
					sent.Add(1)
				}
			})
		}
	}
	pause := func() { // until some reviews were sent
		n := sent.Load()
		eventually.True(t, "more reviews", func() bool { return sent.Load() >= n+200 || t.Failed() })
	}
	pause()
	before := sent.Load()
	write(true)
	for _, tc := range tests {
		file := tc.kind + ".example.com_v1_v2.wasm"
		p.moduleUntil(t, file, func(st runtime.Status) bool {
			return strings.HasPrefix(st.LastError, "rolled back: on probation it failed 3 batches that the previous version (sha256 ") && st.State == runtime.StateServing && st.ProbationUntil == nil || t.Failed()
		})
	}
	t.Logf("%d reviews from the bad swap until all had gone back", sent.Load()-before)
	pause()
	close(stop)
	clients.Wait()
	_, metrics := p.get(t, "/metrics")
	for _, tc := range tests {
		for _, want := range []string{
			fmt.Sprintf(`crosswalk_module_rollbacks_total{module="%s.example.com_v1_v2.wasm"} 1`, tc.kind),
			fmt.Sprintf(`crosswalk_reviews_total{from="v1",group_kind="%s.example.com",result="failed",to="v2"} 0`, tc.kind),
		} {
			if !strings.Contains(metrics, want+"\n") {
				t.Errorf("the metrics do not have %s", want)
			}
		}
	}
}

// converted converts an object from v1 to v2 and returns its spec.
func (p *process) converted(kind string) (string, error) {
	code, text, err := p.post(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",` +
		`"objects":[{"apiVersion":"example.com/v1","kind":"` + kind + `","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"from":"v1"}}]}}`)
	if err != nil || code != 200 {
		return "", fmt.Errorf("%d: %s, %v", code, text, err)
	}
	var answer struct {
		Response struct {
			ConvertedObjects []struct{ Spec json.RawMessage }
			Result           struct{ Message string }
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Response.ConvertedObjects) != 1 {
		return "", fmt.Errorf("%s, %v", answer.Response.Result.Message, err)
	}
	return string(answer.Response.ConvertedObjects[0].Spec), nil
}

// module returns the status of a file on /modules.
func (p *process) module(t *testing.T, file string) runtime.Status {
	t.Helper()
	_, text := p.get(t, "/modules")
	var list []runtime.Status
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, st := range list {
		if st.File == file {
			return st
		}
	}
	return runtime.Status{}
}
