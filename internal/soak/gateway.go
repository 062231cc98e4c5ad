package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
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

const goodReview = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"soak","desiredAPIVersion":"stable.example.com/v2","objects":[` +
	`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"default","uid":"9f1c"},"spec":{"cronSpec":"30 2 * * 1-5","image":"backup:1.4"}}]}}`

const hostileReview = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"soak","desiredAPIVersion":"hostile.example.com/v2","objects":[` +
	`{"apiVersion":"hostile.example.com/v1","kind":"KIND","metadata":{"name":"x","namespace":"default","uid":"1"},"spec":{}}]}}`

// placeHostile puts every fixture that can be loaded into the directory, as modules of kinds of their own, and returns those.
func placeHostile(modules string) (kinds []string, err error) {
	fixtures, err := filepath.Glob("runtime/testdata/[xa]*.wasm")
	if err != nil {
		return nil, err
	}
	for _, f := range fixtures {
		kind := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(f), ".wasm"), "_", "-")
		if err := place(f, filepath.Join(modules, kind+".hostile.example.com_v1_v2.wasm")); err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	if len(kinds) == 0 {
		return nil, errors.New("no hostile modules in runtime/testdata: run it from the top of the repository")
	}
	return kinds, nil
}

// place copies a file by way of a name that is not looked at, so that it appears whole.
func place(from, to string) error { return placeVariant(from, to, -1) }

// placeVariant is place with a custom section at the end, which changes a module's digest and nothing else. None if n < 0.
func placeVariant(from, to string, n int) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if n >= 0 {
		content = append(content, 0, 9, 4, 's', 'o', 'a', 'k')
		content = binary.LittleEndian.AppendUint32(content, uint32(n))
	}
	tmp := filepath.Join(filepath.Dir(to), "."+filepath.Base(to))
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, to)
}

// gateway is a running gateway and a client of it.
type gateway struct {
	cmd    *exec.Cmd
	url    string
	client *http.Client
}

func startGateway(ctx context.Context, dir, modules string) (*gateway, error) {
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
	cmd := exec.Command("bin/gateway", "--modules", modules, "--listen", listen, "--admin-listen", admin, "--dev", "--dev-ca-file", ca,
		"--drain-delay", "0s", "--log-level", "warn", "--fuel-per-object", "20000000", "--call-timeout", "1s")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the gateway: %w", err)
	}
	g := &gateway{cmd: cmd, url: "https://" + listen + "/convert"}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get("http://" + admin + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) || ctx.Err() != nil {
			g.stop()
			return nil, errors.New("the gateway does not get ready; see bin/soak.log")
		}
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		g.stop()
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	g.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 16}, Timeout: 30 * time.Second}
	return g, nil
}

func (g *gateway) pid() int { return g.cmd.Process.Pid }

func (g *gateway) stop() {
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	_ = g.cmd.Wait()
}

// convert posts a review, as an API server would: what is put off with 429 or 503 and Retry-After is repeated.
func (g *gateway) convert(ctx context.Context, review string) (string, error) {
	for range 11 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, strings.NewReader(review))
		if err != nil {
			return "", err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := g.client.Do(req)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return "", err
		}
		if resp.StatusCode == http.StatusOK {
			return string(body), nil
		}
		if resp.Header.Get("Retry-After") == "" {
			return "", fmt.Errorf("%s: %s", resp.Status, body)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", errors.New("put off eleven times")
}

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
