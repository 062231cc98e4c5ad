package main

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

const (
	asGateway = "CROSSWALK_TEST_AS_GATEWAY"
	testTimes = "CROSSWALK_TEST_TIMES" // times, as JSON
	noFiles   = "CROSSWALK_TEST_NO_FILES"
)

// TestMain lets the test binary be the gateway of a test, or the child process of one.
func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" || len(os.Args) == 2 && (os.Args[1] == load.VetArgument || os.Args[1] == schemas.ChildArgument) {
		t := fixedTimes()
		if text := os.Getenv(testTimes); text != "" {
			if err := json.Unmarshal([]byte(text), &t); err != nil {
				panic(err)
			}
		}
		if os.Getenv(noFiles) != "" { // here, because the test binary itself may write its log at any time
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}); err != nil {
				panic(err)
			}
		}
		os.Exit(execute(os.Args[1:], t))
	}
	os.Exit(m.Run())
}

// setTimes changes fixed limits of the gateways that this test starts from now on. Zero values keep
// the limits.
func setTimes(t *testing.T, changed times) {
	t.Helper()
	fixed := fixedTimes()
	text, err := json.Marshal(times{
		cmp.Or(changed.StartGrace, fixed.StartGrace), cmp.Or(changed.Settle, fixed.Settle), cmp.Or(changed.Poll, fixed.Poll),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(testTimes, string(text))
}

// manySlots lets the gateways that this test starts convert 32 reviews at a time, so that they
// reject none, even on a single CPU.
func manySlots(t *testing.T) {
	t.Helper()
	t.Setenv("GOMAXPROCS", strconv.Itoa(32/inFlightPerCPU))
}

// process is a gateway of its own, with a certificate made by --dev.
type process struct {
	cmd            *exec.Cmd
	modules        string
	reviews, admin string // addresses
	client         *http.Client
	output         *lines
	exit           chan error // the result of Wait
}

// lines collects the output of a process.
type lines struct {
	all  chan string
	seen strings.Builder // used only by the test's goroutine
}

// until reads lines up to one that contains text.
func (l *lines) until(t *testing.T, text string) string {
	t.Helper()
	timeout := time.After(eventually.Limit)
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
			t.Fatalf("the gateway did not write %q in time:\n%s", text, l.seen.String())
		}
	}
}

// start starts a gateway with --dev and an empty module directory, and waits until it listens.
func start(t *testing.T, flags ...string) *process {
	t.Helper()
	return startProgram(t, os.Args[0], flags...)
}

// startProgram is start with another program.
func startProgram(t *testing.T, program string, flags ...string) *process {
	t.Helper()
	p := launchProgram(t, program, append([]string{"--dev"}, flags...)...)
	bundle := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(p.output.until(t, "caBundle: ")), "caBundle: "))
	ca, err := base64.StdEncoding.DecodeString(bundle)
	if err != nil {
		t.Fatalf("the caBundle is not base64: %v", err)
	}
	p.trust(t, ca)
	p.waitListening(t)
	return p
}

// launch starts a gateway with an empty module directory and any certificate.
func launch(t *testing.T, flags ...string) *process {
	t.Helper()
	return launchProgram(t, os.Args[0], flags...)
}

func launchProgram(t *testing.T, program string, flags ...string) *process {
	t.Helper()
	p := &process{modules: t.TempDir(), output: &lines{all: make(chan string, 10_000)}, exit: make(chan error, 1)}
	args := []string{"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-format", "json"}
	if i := slices.Index(flags, "--modules"); i < 0 {
		args = append(args, "--modules", p.modules)
	} else if !strings.Contains(flags[i+1], "=") { // one directory, without an owner's name
		p.modules = flags[i+1]
	}
	p.cmd = exec.Command(program, append(args, flags...)...)
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
	ended := make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.output.all <- scanner.Text()
		}
		close(p.output.all)
		p.exit <- p.cmd.Wait()
	}()
	t.Cleanup(func() { // before the removal of the directories that it writes
		_ = p.cmd.Process.Kill()
		for range p.output.all {
		}
		<-ended
	})
	return p
}

// trust gives the process a client that trusts a CA.
func (p *process) trust(t *testing.T, ca []byte) {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatalf("the CA is not PEM: %s", ca)
	}
	p.client = &http.Client{Timeout: 10 * time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 25}}
	t.Cleanup(p.client.CloseIdleConnections)
}

// waitListening waits until the process listens and records its addresses.
func (p *process) waitListening(t *testing.T) {
	t.Helper()
	var serving struct{ Listen, Admin string }
	if err := json.Unmarshal([]byte(p.output.until(t, `"msg":"serving"`)), &serving); err != nil {
		t.Fatal(err)
	}
	p.reviews, p.admin = serving.Listen, serving.Admin
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

// review converts an object from v1 to v2 and returns the spec of the result.
func (p *process) review() (string, error) {
	const review = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",` +
		`"objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"from":"v1"}}]},"response":{}}`
	code, text, err := p.post(review)
	if err != nil || code != http.StatusOK {
		return "", fmt.Errorf("%d: %s, %v", code, text, err)
	}
	var answer struct {
		Response struct {
			UID              string
			ConvertedObjects []struct{ Spec json.RawMessage }
			Result           struct{ Status, Message string }
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "", err
	}
	if r := answer.Response; r.UID != "u-1" || r.Result.Status != "Success" || len(r.ConvertedObjects) != 1 {
		return "", fmt.Errorf("%s: %s", r.Result.Status, r.Result.Message)
	}
	return string(answer.Response.ConvertedObjects[0].Spec), nil
}

// post posts a review as an API server would, and returns the answer.
func (p *process) post(review string) (code int, text string, err error) {
	resp, err := p.client.Post("https://"+p.reviews+"/convert?timeout=30s", "application/json", strings.NewReader(review))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer), err
}

// waitReady waits until the process is ready, and has served or refused each file that its module directory
// has: a file that came after the first pass, or loads for longer than the grace of a start, does not delay readiness.
func (p *process) waitReady(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.modules, "*.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the gateway to be ready", func() error {
		if code, text := p.get(t, "/readyz"); code != http.StatusOK {
			return errors.New(text)
		}
		var tried []runtime.Status
		if _, text := p.get(t, "/modules"); json.Unmarshal([]byte(text), &tried) != nil {
			return fmt.Errorf("/modules is not a list of modules: %s", text)
		}
		for _, file := range files {
			if !slices.ContainsFunc(tried, func(st runtime.Status) bool {
				return st.File == filepath.Base(file) && st.State != runtime.StateLoading
			}) {
				return fmt.Errorf("%s was not tried", file)
			}
		}
		return nil
	})
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
	case <-time.After(eventually.Limit):
		t.Fatal("the gateway did not end in time")
		return nil
	}
}

// reviewUntil sends reviews until one ends as wanted: with the spec and the error.
func (p *process) reviewUntil(t *testing.T, want string) {
	t.Helper()
	eventually.Succeeds(t, "a review that ends with "+want, func() error {
		spec, err := p.review()
		if got := fmt.Sprintf("%s, %v", spec, err); got != want {
			return errors.New(got)
		}
		return nil
	})
}
