package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

func TestGatewayWithoutModules(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.crt")
	p := start(t, "--dev-host", "gateway.example.com", "--dev-ca-file", ca, "--drain-delay", "0s")
	p.waitReady(t)
	if content, err := os.ReadFile(ca); err != nil || !x509.NewCertPool().AppendCertsFromPEM(content) {
		t.Errorf("--dev-ca-file: %v %s", err, content)
	}
	if seen := p.output.seen.String(); !regexp.MustCompile(`\n +url: https://gateway\.example\.com:\d+/convert\n`).MatchString(seen) {
		t.Errorf("the URL is not shown:\n%s", seen)
	}
	if _, text := p.get(t, "/modules"); text != "[]\n" {
		t.Errorf("/modules: %s", text)
	}
	if _, err := p.review(); err == nil || !strings.HasPrefix(err.Error(), "Failed: ") {
		t.Errorf("a review without modules: %v", err)
	}
	_, metrics := p.get(t, "/metrics")
	for _, want := range []string{"crosswalk_build_info{", `crosswalk_reviews_total{from="none",group_kind="none",result="failed",to="none"} 1`, "go_goroutines ", "process_open_fds "} {
		if !strings.Contains(metrics, "\n"+want) {
			t.Errorf("%s is not among the metrics", want)
		}
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	p.output.until(t, "drained: every review was answered")
}

// TestSecondSignal: the second signal ends a gateway while it drains.
func TestSecondSignal(t *testing.T) {
	p := start(t, "--drain-delay", "1h")
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "draining")
	err := p.signal(t, syscall.SIGTERM)
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 128+15 {
		t.Errorf("ended with %v, want exit status 143", err)
	}
}

// TestHangupDrains: the end of its terminal drains a gateway, unless nohup(1) says that it is to go on.
func TestHangupDrains(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // or the gateway is one of nohup if these tests were started with it
	p := start(t, "--drain-delay", "0s")
	p.waitReady(t)
	if err := p.signal(t, syscall.SIGHUP); err != nil {
		t.Errorf("after SIGHUP: %v", err)
	}
	p.output.until(t, "drained: every review was answered")

	signal.Ignore(syscall.SIGHUP) // as nohup does
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("SIGHUP ends a gateway that was started with nohup")
	}
}

// TestDoubledSignal: a signal that is delivered twice, to the process and to its group, counts
// once.
func TestDoubledSignal(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window time.Duration
		then   []os.Signal
		want   os.Signal
	}{
		{"twice", time.Hour, []os.Signal{syscall.SIGTERM, os.Interrupt}, os.Interrupt},
		{"another", time.Hour, []os.Signal{os.Interrupt}, os.Interrupt},
		{"again, later", 0, []os.Signal{syscall.SIGTERM, os.Interrupt}, syscall.SIGTERM},
	} {
		t.Run(tc.name, func(t *testing.T) {
			signals := make(chan os.Signal, len(tc.then))
			for _, s := range tc.then {
				signals <- s
			}
			if got := nextSignal(signals, syscall.SIGTERM, tc.window); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// install puts a module of testdata into the directory atomically.
func (p *process) install(t *testing.T, fixture string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", fixture))
	if err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(p.modules, ".new")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, filepath.Join(p.modules, "Widget.example.com_v1_v2.wasm")); err != nil {
		t.Fatal(err)
	}
}

// TestModulesUnderLoad follows a module's life under load: it appears, is replaced by a better
// version, then by a bad file, and the gateway shuts down. No review may fail.
func TestModulesUnderLoad(t *testing.T) {
	manySlots(t)
	p := start(t, "--drain-delay", "4s")
	p.waitReady(t)
	p.install(t, "one.wasm")
	wait := func(want string) {
		t.Helper()
		eventually.Succeeds(t, want, func() error {
			if got, err := p.review(); got != want {
				return fmt.Errorf("a review ends with %s, %v", got, err)
			}
			return nil
		})
	}
	wait(`{"module":"one"}`)

	load, stopLoad := context.WithCancel(t.Context())
	var sent atomic.Int64
	done := make(chan struct{})
	for range 4 {
		go func() { // ends with load
			defer func() { done <- struct{}{} }()
			for load.Err() == nil {
				if got, err := p.review(); err != nil || !strings.HasPrefix(got, `{"module":`) {
					t.Errorf("after %d reviews: %s, %v", sent.Load(), got, err)
					return
				}
				sent.Add(1)
			}
		}()
	}
	p.install(t, "two.wasm")
	wait(`{"module":"two"}`)
	p.install(t, "none.wasm")
	eventually.True(t, "/modules to show the error", func() bool { _, text := p.get(t, "/modules"); return strings.Contains(text, "lastError") })
	wait(`{"module":"two"}`)
	if _, metrics := p.get(t, "/metrics"); !strings.Contains(metrics, `crosswalk_reviews_total{from="v2",group_kind="Widget.example.com",result="failed",to="v1"} 0`) {
		t.Error("the metrics do not have the conversion back before its first review")
	}

	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "draining")
	before := sent.Load()
	eventually.True(t, "reviews during the drain", func() bool { return sent.Load() >= before+8 || t.Failed() })
	stopLoad() // by now the endpoint would be gone from the service
	for range 4 {
		<-done
	}
	select {
	case err := <-p.exit:
		if err != nil {
			for line := range p.output.all {
				p.output.seen.WriteString(line + "\n")
			}
			t.Errorf("ended with %v:\n%s", err, p.output.seen.String())
		}
	case <-time.After(eventually.Limit):
		t.Error("the gateway did not end in time")
	}
}
