package main

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
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// gateway is a running gateway.
type gateway struct {
	command        *exec.Cmd
	reviews, admin string
	client         *http.Client
	ready          time.Duration // from its start to its first ready
}

func startGateway(ctx context.Context, dir string, flags, environment []string) (*gateway, error) {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ca := filepath.Join(dir, "ca.crt")
	g := &gateway{command: exec.CommandContext(ctx, "bin/gateway", append(flags,
		"--dev", "--dev-ca-file", ca, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-format", "json", "--drain-delay", "0s")...)}
	g.command.Env = append(os.Environ(), environment...)
	g.command.Stdout, g.command.Stderr = log, log
	began := time.Now()
	if err := g.command.Start(); err != nil {
		return nil, err
	}
	for deadline := began.Add(5 * time.Minute); g.ready == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			why, _ := g.page("/readyz?verbose")
			g.end()
			return nil, errors.New("the gateway is not ready: " + why)
		}
		if g.admin == "" {
			g.reviews, g.admin = addresses(log.Name())
			continue
		}
		if answer, err := http.Get("http://" + g.admin + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				g.ready = time.Since(began)
			}
		}
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		g.end()
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	g.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: clients}}
	return g, nil
}

// addresses reads the addresses from the log line "serving".
func addresses(log string) (reviews, admin string) {
	text, _ := os.ReadFile(log)
	for line := range bytes.Lines(text) {
		var entry struct{ Msg, Listen, Admin string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			return entry.Listen, entry.Admin
		}
	}
	return "", ""
}

// serving returns how many modules serve.
func (g *gateway) serving() int {
	text, _ := g.page("/modules")
	return strings.Count(text, `"state": "serving"`)
}

func (g *gateway) page(path string) (string, error) {
	answer, err := http.Get("http://" + g.admin + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// convert has each kind in turn convert objects from v1 to v2, and returns how many were converted.
func (g *gateway) convert(ctx context.Context, groups []string) (int, error) {
	var next, done atomic.Int64
	var failed atomic.Pointer[error]
	var running sync.WaitGroup
	for range clients {
		running.Go(func() { // until all objects are converted
			for i := next.Add(1); i <= objects && ctx.Err() == nil; i = next.Add(1) {
				if err := g.review(groups[int(i)%len(groups)], i); err != nil {
					failed.CompareAndSwap(nil, &err)
					continue
				}
				done.Add(1)
			}
		})
	}
	running.Wait()
	if err := failed.Load(); err != nil {
		return int(done.Load()), *err
	}
	return int(done.Load()), nil
}

func (g *gateway) review(group string, n int64) error {
	body := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"%s/v2","objects":[`+
		`{"apiVersion":"%s/v1","kind":"CronTab","metadata":{"name":"n%d"},"spec":{"cronSpec":"30 2 * * 1-5","image":"registry.example.com/backup:%d"}}]}}`, group, group, n, n)
	answer, err := g.client.Post("https://"+g.reviews+"/convert", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && !strings.Contains(string(text), `"hour":"2"`) {
		err = fmt.Errorf("%s: %d %s", group, answer.StatusCode, text)
	}
	return err
}

// cpu returns the processor time of the gateway and of its children that ended.
func (g *gateway) cpu() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", g.command.Process.Pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	sum := 0
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime
		n, _ := strconv.Atoi(f)
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond // a tick is 1/100 s on every Linux that Go runs on
}

// resident and peak return the gateway's memory in MiB, now and at most.
func (g *gateway) resident() int { return g.memory("VmRSS:") }
func (g *gateway) peak() int     { return g.memory("VmHWM:") }

func (g *gateway) memory(name string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.command.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			n, _ := strconv.Atoi(fields[1])
			return n >> 10
		}
	}
	return -1
}

func (g *gateway) end() {
	_ = g.command.Process.Signal(os.Interrupt)
	_ = g.command.Wait()
}
