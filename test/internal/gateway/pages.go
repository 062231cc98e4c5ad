package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// URL is where a CRD's conversion webhook is, for clientConfig.url.
func (p *Process) URL() string { return "https://" + p.Reviews + "/convert" }

// Client returns an HTTP client that trusts the gateway, for requests that no API server would
// send.
func (p *Process) Client() (*http.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(p.CA) {
		return nil, errors.New("the gateway's CA is not PEM")
	}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}, nil
}

// page reads a page of the admin listener.
func (p *Process) page(ctx context.Context, path string) (code int, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Admin+path, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// Module is the entry of /modules for one file.
type Module struct {
	File, State, Digest, FailedDigest, LastError string
	Edges                                        []string
	Fields                                       map[string][]string // declared, by version
}

// Modules returns the entries of /modules.
func (p *Process) Modules(ctx context.Context) ([]Module, error) {
	code, text, err := p.page(ctx, "/modules")
	if err != nil {
		return nil, err
	}
	if code != http.StatusOK {
		return nil, fmt.Errorf("/modules: %d %s", code, text)
	}
	var list []Module
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("/modules: %w: %s", err, text)
	}
	return list, nil
}

// WaitModule waits until the entry of /modules for a file is as wanted.
func (p *Process) WaitModule(ctx context.Context, file string, wanted func(Module) bool) (Module, error) {
	var last Module
	for {
		list, err := p.Modules(ctx)
		if err != nil && ctx.Err() == nil {
			return Module{}, err
		}
		for _, m := range list {
			if m.File == file {
				last = m
				if wanted(m) {
					return m, nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("waiting for module %s, of which /modules says %+v: %w", file, last, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Metric adds up all samples of a metric whose labels hold each of the given ones, written like
// code="429". It is 0 if there is none.
func (p *Process) Metric(ctx context.Context, name string, labels ...string) (float64, error) {
	code, text, err := p.page(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	if code != http.StatusOK {
		return 0, fmt.Errorf("/metrics: %d %s", code, text)
	}
	sum := 0.0
	for line := range bytes.Lines(text) {
		parts := sample.FindStringSubmatch(strings.TrimSpace(string(line)))
		if parts == nil || parts[1] != name || !containsAll(parts[2], labels) {
			continue
		}
		value, err := strconv.ParseFloat(parts[3], 64)
		if err != nil {
			return 0, fmt.Errorf("/metrics: %q: %w", line, err)
		}
		sum += value
	}
	return sum, nil
}

// sample is a line of the metrics page: name, labels in braces if any, value.
var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)$`)

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}
