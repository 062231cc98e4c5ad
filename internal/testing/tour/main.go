// Command tour implements "make run": it serves the example converters, shows one conversion, and
// keeps serving while it suggests next steps. With -once it takes these steps itself, and ends: make
// test runs the built gateway so.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	gateway = "bin/gateway"
	plugins = "bin/plugins"
	run     = "bin/run" // modules and certificate of this tour
	module  = "CronTab.stable.example.com_v1_v2.wasm"
)

const review = `{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "ConversionReview",
  "request": {
    "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
    "desiredAPIVersion": "stable.example.com/v2",
    "objects": [
      {
        "apiVersion": "stable.example.com/v1",
        "kind": "CronTab",
        "metadata": {"name": "nightly", "namespace": "default", "uid": "9f1c", "labels": {"team": "batch"}},
        "spec": {"cronSpec": "30 2 * * 1-5", "image": "registry.example.com/backup:1.4"}
      }
    ]
  }
}
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	once := flag.Bool("once", false, "swap a module, have another refused, end the gateway, and fail unless all goes as it should")
	flag.Parse()
	if err := tour(ctx, os.Stdout, *once); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

func tour(ctx context.Context, out io.Writer, once bool) error {
	modules, err := filepath.Abs(filepath.Join(run, "modules"))
	if err != nil {
		return err
	}
	names := "*"
	if once { // the others would take seconds of CPU each
		names = strings.TrimSuffix(module, ".wasm")
	}
	if err := copyModules(filepath.Join(plugins, "go", names), modules); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(run, "review.json"), []byte(review), 0o644); err != nil {
		return err
	}
	convert, err := freeAddress("127.0.0.1:9443")
	if err != nil {
		return err
	}
	admin, err := freeAddress("127.0.0.1:8080")
	if err != nil {
		return err
	}
	ca := filepath.Join(run, "ca.crt")
	_ = os.Remove(ca)
	cmd := exec.Command(gateway, "--modules", modules, "--listen", convert, "--admin-listen", admin,
		"--dev", "--dev-ca-file", ca, "--drain-delay", "0s", "--require", strings.TrimSuffix(module, ".wasm")) // it is not ready without the module, however slow the machine is
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C goes to us, and we stop it in order
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the gateway: %w", err)
	}
	gone := make(chan struct{})
	go func() { // ends with the process
		_ = cmd.Wait() // cmd.ProcessState says more
		close(gone)
	}()
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails if it ended
		<-gone
	}()
	if err := waitReady(ctx, out, "http://"+admin+"/readyz", cmd, gone); err != nil {
		return err
	}
	answer, took, err := post(ctx, convert, ca, review)
	if err != nil {
		return err
	}
	if once {
		if err := steps(ctx, modules, convert, "http://"+admin, ca); err != nil {
			return err
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if <-gone; !cmd.ProcessState.Success() {
			return fmt.Errorf("the gateway drained and ended: %v", cmd.ProcessState)
		}
		return nil
	}
	fmt.Fprintf(out, "\n--- a ConversionReview (%s/review.json): a CronTab of v1, wanted in v2\n%s", run, review)
	fmt.Fprintf(out, "\n--- the answer, %v later\n%s\n", took.Round(100*time.Microsecond), answer)
	fmt.Fprintf(out, `
--- still serving; Ctrl-C ends it. In another terminal, from this directory:

  ask again       curl -s --cacert %[1]s -H 'Content-Type: application/json' -d @%[2]s/review.json https://%[3]s/convert
  see it all      http://%[4]s/ in a browser: the status page
  what serves     curl -s http://%[4]s/modules
  metrics         curl -s http://%[4]s/metrics | grep ^crosswalk
  swap a module   %[5]s
                  (the log says "module replaced"; no request fails)
  break it        echo broken > %[2]s/modules/%[6]s
                  (the log says "module refused", and the last good one goes on serving)

`, ca, run, convert, admin, swapLine(), module)
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "\nstopping")
		return nil
	case <-gone:
		return fmt.Errorf("the gateway ended: %v", cmd.ProcessState)
	}
}

// swapLine is a command that puts another module in the first one's place.
func swapLine() string {
	if _, err := os.Stat(filepath.Join(plugins, "c", module)); err == nil {
		return fmt.Sprintf("cp %s/c/%s %s/modules/     # the same converter, written in C", plugins, module, run)
	}
	return fmt.Sprintf("edit plugins/crontab/go/main.go, then: make plugins && cp %s/go/%s %s/modules/", plugins, module, run)
}

func copyModules(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(from + ".wasm")
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no modules %s.wasm: run make plugins", from)
	}
	sidecars, err := filepath.Glob(from + ".yaml")
	if err != nil {
		return err
	}
	for _, f := range append(sidecars, files...) {
		content, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// freeAddress returns the address if nothing listens there, else one with a port of the system's
// choice.
func freeAddress(preferred string) (string, error) {
	l, err := net.Listen("tcp", preferred)
	if err != nil {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return "", err
		}
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// waitReady waits until the gateway is ready or has ended. The gateway itself bounds the time for
// each module (2 minutes), so the wait needs no bound of its own: a busy machine takes minutes for
// all of them. Every ten seconds it shows why the gateway is not ready.
func waitReady(ctx context.Context, out io.Writer, url string, gateway *exec.Cmd, gone <-chan struct{}) error {
	for last := time.Now(); ; {
		if ready, why := isReady(ctx, url); ready {
			return nil
		} else if time.Since(last) > 10*time.Second {
			fmt.Fprintf(out, "--- waiting for the gateway: %s\n", why)
			last = time.Now()
		}
		select {
		case <-gone:
			return fmt.Errorf("the gateway ended before it was ready: %v", gateway.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("stopped before the gateway was ready: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// isReady asks the gateway whether it is ready, and why not.
func isReady(ctx context.Context, url string) (ready bool, why string) {
	code, text, err := get(ctx, url)
	if err != nil {
		return false, err.Error()
	}
	return code == http.StatusOK, strings.TrimSpace(text)
}

func get(ctx context.Context, url string) (code int, text string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func post(ctx context.Context, addr, caFile, review string) (answer string, took time.Duration, err error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return "", 0, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+addr+"/convert", bytes.NewReader([]byte(review)))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	start := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return "", 0, fmt.Errorf("asking the gateway: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	took = time.Since(start)
	if err != nil {
		return "", 0, err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		return "", 0, fmt.Errorf("the gateway answered %s: %s", resp.Status, body)
	}
	return pretty.String(), took, nil
}
