package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// gateway is a running gateway and a client of it.
type gateway struct {
	cmd    *exec.Cmd
	url    string
	admin  string
	client *http.Client
	listen string
	tls    *tls.Config
	ca     string // a file
}

// startGateway starts bin/gateway with everything on that is off by default, and with bounds so
// small that they are met all the time.
func startGateway(ctx context.Context, dir string, d *directories) (*gateway, error) {
	listen, admin, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	ca := filepath.Join(dir, "ca.crt")
	log, err := os.Create(filepath.Join("bin", "soak.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command("bin/gateway", append(d.flags(), "--listen", listen, "--admin-listen", admin, "--dev", "--dev-ca-file", ca,
		"--drain-delay", "0s", "--log-level", "warn", "--fuel-per-object", "20000000", "--call-timeout", "1s",
		"--cache-bytes", "4Mi", "--max-body-bytes", "8Mi", "--max-body-bytes-in-flight", "32Mi", "--max-reply-bytes", "16Mi", "--compile-cache", filepath.Join(dir, "compiled"), "--probation", "4s")...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the gateway: %w", err)
	}
	g := newGateway(listen, admin, ca)
	g.cmd = cmd
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(g.admin + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) || ctx.Err() != nil {
			_ = g.stop()
			return nil, errors.New("the gateway does not get ready; see bin/soak.log")
		}
	}
	if err := g.trust(); err != nil {
		_ = g.stop()
		return nil, err
	}
	return g, nil
}

func newGateway(listen, admin, ca string) *gateway {
	return &gateway{url: "https://" + listen + "/convert?timeout=30s", admin: "http://" + admin, listen: listen, ca: ca}
}

// trust reads the CA of the gateway and makes the client.
func (g *gateway) trust() error {
	pem, err := os.ReadFile(g.ca)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	g.tls = &tls.Config{RootCAs: roots}
	g.client = &http.Client{Transport: &http.Transport{TLSClientConfig: g.tls, MaxIdleConnsPerHost: 16}, Timeout: 40 * time.Second}
	return nil
}

func (g *gateway) pid() int { return g.cmd.Process.Pid }

// stop ends the gateway, which must do so in order.
func (g *gateway) stop() error {
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	if err := g.cmd.Wait(); err != nil {
		return fmt.Errorf("the gateway ended with %w; see bin/soak.log", err)
	}
	return nil
}

// metrics reads the gateway's metrics.
func (g *gateway) metrics() (metrics, error) {
	resp, err := http.Get(g.admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return readMetrics(string(text)), err
}

// convert posts a review like an API server: it repeats a review that was rejected with 429 or 503
// and Retry-After.
func (g *gateway) convert(ctx context.Context, review string) (string, error) {
	for range 11 {
		answer, err := g.convertOnce(ctx, review)
		if !errors.Is(err, errRetry) {
			return answer, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", errPutOff
}

// convertOnce posts a review once.
func (g *gateway) convertOnce(ctx context.Context, review string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, strings.NewReader(review))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := g.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == http.StatusOK:
		return string(body), nil
	case resp.Header.Get("Retry-After") != "":
		return "", fmt.Errorf("%w: %s: %s", errRetry, resp.Status, body)
	}
	return "", fmt.Errorf("%s: %s", resp.Status, body)
}

// errRetry is the error for a review that got 429 or 503.
var errRetry = errors.New("told to retry")

// errPutOff is the error for a review that got 429 or 503 eleven times, as often as an API server
// sends it.
var errPutOff = errors.New("told to retry eleven times")

func freeAddresses() (a, b string, err error) {
	var at [2]string
	for i := range at {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", "", err
		}
		defer l.Close()
		at[i] = l.Addr().String()
	}
	return at[0], at[1], nil
}
