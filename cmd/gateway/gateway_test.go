package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

const asGateway = "CROSSWALK_TEST_AS_GATEWAY"

// TestMain lets the test binary be the gateway: for the tests that start one, and for the child in which a gateway vets modules.
func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" || len(os.Args) == 2 && os.Args[1] == runtime.VetArgument {
		main()
	}
	os.Exit(m.Run())
}

// process is a gateway of its own, with a certificate made by --dev.
type process struct {
	cmd            *exec.Cmd
	modules        string
	reviews, admin string // addresses
	client         *http.Client
	output         *lines
	exit           chan error // what Wait returned
}

// lines collects what a process writes.
type lines struct {
	all  chan string
	seen strings.Builder // by the test's goroutine only
}

// until reads lines up to one that contains text.
func (l *lines) until(t *testing.T, text string) string {
	t.Helper()
	timeout := time.After(60 * time.Second)
	for {
		select {
		case line, ok := <-l.all:
			if !ok {
				t.Fatalf("the gateway ended before it wrote %q:\n%s", text, l.seen.String())
			}
			l.seen.WriteString(line + "\n")
			if strings.Contains(line, text) {
				return line
			}
		case <-timeout:
			t.Fatalf("the gateway did not write %q within a minute:\n%s", text, l.seen.String())
		}
	}
}

// start starts a gateway with an empty module directory and waits until it listens.
func start(t *testing.T, flags ...string) *process {
	t.Helper()
	p := &process{modules: t.TempDir(), output: &lines{all: make(chan string, 10_000)}, exit: make(chan error, 1)}
	args := []string{"--modules", p.modules, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--dev", "--log-format", "json"}
	p.cmd = exec.Command(os.Args[0], append(args, flags...)...)
	p.cmd.Env = append(os.Environ(), asGateway+"=1")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = in, in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	go func() { // ends with the process
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.output.all <- scanner.Text()
		}
		close(p.output.all)
		p.exit <- p.cmd.Wait()
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })

	bundle := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(p.output.until(t, "caBundle: ")), "caBundle: "))
	ca, err := base64.StdEncoding.DecodeString(bundle)
	if err != nil {
		t.Fatalf("the caBundle is no base64: %v", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("the caBundle is no PEM")
	}
	p.client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 25}}
	t.Cleanup(p.client.CloseIdleConnections)
	var serving struct{ Listen, Admin string }
	if err := json.Unmarshal([]byte(p.output.until(t, `"msg":"serving"`)), &serving); err != nil {
		t.Fatal(err)
	}
	p.reviews, p.admin = serving.Listen, serving.Admin
	return p
}

// get reads an admin page.
func (p *process) get(t *testing.T, page string) (int, string) {
	t.Helper()
	resp, err := http.Get("http://" + p.admin + page)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// review asks for an object's conversion from v1 to v2 and returns the spec that comes back, or what is wrong.
func (p *process) review() (string, error) {
	const review = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",` +
		`"objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"from":"v1"}}]},"response":{}}`
	resp, err := p.client.Post("https://"+p.reviews+"/convert?timeout=30s", "application/json", strings.NewReader(review))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		return "", fmt.Errorf("%s: %s, %v", resp.Status, text, err)
	}
	var answer struct {
		Response struct {
			UID              string
			ConvertedObjects []struct{ Spec json.RawMessage }
			Result           struct{ Status, Message string }
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", err
	}
	if r := answer.Response; r.UID != "u-1" || r.Result.Status != "Success" || len(r.ConvertedObjects) != 1 {
		return "", fmt.Errorf("%s: %s", r.Result.Status, r.Result.Message)
	}
	return string(answer.Response.ConvertedObjects[0].Spec), nil
}

func (p *process) waitReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if code, text := p.get(t, "/readyz"); code == 200 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("not ready after a minute: %s", text)
		}
	}
}

// signal sends a signal and returns how the process ended.
func (p *process) signal(t *testing.T, s os.Signal) error {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.exit:
		return err
	case <-time.After(60 * time.Second):
		t.Fatal("the gateway did not end within a minute")
		return nil
	}
}

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

// The second signal ends a gateway that drains for long.
func TestSecondSignal(t *testing.T) {
	p := start(t, "--drain-delay", "1h")
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "draining")
	err := p.signal(t, syscall.SIGTERM)
	if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want by the signal", err)
	}
}

// install puts a module of testdata into the directory in one step.
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

// A module's whole life under load: it appears, is replaced by a better one, then by one that is none, and the gateway is told to end.
// Not one review may fail.
func TestModulesUnderLoad(t *testing.T) {
	p := start(t, "--drain-delay", "2s")
	p.waitReady(t)
	p.install(t, "one.wasm")
	wait := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			got, err := p.review()
			if got == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("a minute later there is no %s: %s, %v", want, got, err)
			}
		}
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
	p.output.until(t, "Widget.example.com_v1_v2.wasm") // serves
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, text := p.get(t, "/modules"); strings.Contains(text, "lastError") {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("a minute later no error is shown: %s", text)
		}
	}
	wait(`{"module":"two"}`)
	if _, metrics := p.get(t, "/metrics"); !strings.Contains(metrics, `crosswalk_reviews_total{from="v2",group_kind="Widget.example.com",result="failed",to="v1"} 0`) {
		t.Error("the way back is not among the metrics before its first review")
	}

	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.output.until(t, "draining")
	before := sent.Load()
	for sent.Load() < before+8 && load.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	stopLoad() // the endpoint is gone from the service by now
	for range 4 {
		<-done
	}
	select {
	case err := <-p.exit:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(60 * time.Second):
		t.Error("the gateway did not end within a minute")
	}
}
