package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAdminPages(t *testing.T) {
	var notReady error
	modules := any([]map[string]string{{"name": "CronTab.stable.example.com_v1_v2.wasm"}})
	r := start(t, func(c *ServerConfig) {
		c.Ready = func() error { return notReady }
		c.Checks = func() []Check { return []Check{{"modules", nil}, {"--require a", errors.New("no module")}} }
		c.Modules = func() any { return modules }
	})
	for _, test := range []struct {
		name, method, path string
		change             func()
		want               int
		kind, text         string // text: the beginning of the page
	}{
		{"alive", "GET", "/healthz", nil, 200, "text/plain; charset=utf-8", "ok\n"},
		{"alive, in short", "HEAD", "/healthz", nil, 200, "text/plain; charset=utf-8", ""},
		{"ready", "GET", "/readyz", nil, 200, "text/plain; charset=utf-8", "ready\n"},
		{"ready, at length", "GET", "/readyz?verbose", nil, 200, "text/plain; charset=utf-8", "[+]modules ok\n[-]--require a failed: no module\nready\n"},
		{
			"not ready", "GET", "/readyz", func() { notReady = errors.New("starting: modules are being loaded") }, 503, "text/plain; charset=utf-8",
			"starting: modules are being loaded\n",
		},
		{
			"not ready, at length", "GET", "/readyz?verbose=1", nil, 503, "text/plain; charset=utf-8",
			"[+]modules ok\n[-]--require a failed: no module\nstarting: modules are being loaded\n",
		},
		{"alive though not ready", "GET", "/healthz", nil, 200, "text/plain; charset=utf-8", "ok\n"},
		{"modules", "GET", "/modules", nil, 200, "application/json", "[\n  {\n    \"name\": \"CronTab.stable.example.com_v1_v2.wasm\"\n  }\n]\n"},
		{
			"modules that are no JSON", "GET", "/modules", func() { modules = func() {} }, 500, "text/plain; charset=utf-8",
			"listing the modules: json: unsupported type: func()\n",
		},
		{"metrics", "GET", "/metrics", nil, 200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "# HELP crosswalk_cache_bytes Size of the cache"},
		{"index", "GET", "/", nil, 200, "text/html; charset=utf-8", "<!doctype html>"},
		{"unknown", "GET", "/debug/pprof/", nil, 404, "text/plain; charset=utf-8", "not found: the pages are /, /healthz, /readyz, /metrics, /modules, /docs/; reviews go to the other port, over TLS\n"},
		{"reviews", "POST", "/convert", nil, 404, "text/plain; charset=utf-8", "not found: the pages are /, /healthz, /readyz, /metrics, /modules, /docs/; reviews go to the other port, over TLS\n"},
		{"read-only", "POST", "/modules", nil, 405, "text/plain; charset=utf-8", "Method Not Allowed\n"},
		{"read-only, the first page", "PUT", "/", nil, 405, "text/plain; charset=utf-8", "Method Not Allowed\n"},
		{"read-only too", "DELETE", "/readyz", nil, 405, "text/plain; charset=utf-8", "Method Not Allowed\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				test.change()
			}
			req, err := http.NewRequest(test.method, r.admin+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != test.want || resp.Header.Get("Content-Type") != test.kind || !strings.HasPrefix(string(text), test.text) {
				t.Errorf("got  %d %s %.200s\nwant %d %s %s", resp.StatusCode, resp.Header.Get("Content-Type"), text, test.want, test.kind, test.text)
			}
		})
	}
}

func TestIndexListsEveryPage(t *testing.T) {
	r := start(t, func(c *ServerConfig) { c.Docs = http.HandlerFunc(serveIndex) })
	resp, err := http.Get(r.admin)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	index, _ := io.ReadAll(resp.Body)
	for _, p := range adminPages {
		if !strings.Contains(string(index), `<a href="`+p.path+`">`) {
			t.Errorf("%s is not in the index", p.path)
		}
		resp, err := http.Get(r.admin + p.path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", p.path, resp.Status)
		}
	}
}

// TestAdminConnectionTakesOneRequest: so no client can send requests and leave their answers.
func TestAdminConnectionTakesOneRequest(t *testing.T) {
	r := start(t, nil)
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/nothing"} {
		resp, err := http.Get(r.admin + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !resp.Close {
			t.Errorf("%s: the connection stays open", path)
		}
	}
}

// TestProbesFindAPlace: on the admin port every connection may be evicted, so clients that do not
// read their pages cannot keep a probe out, nor end the one that has just connected.
func TestProbesFindAPlace(t *testing.T) {
	for _, addresses := range []int{1, 20} {
		synctest.Test(t, func(t *testing.T) {
			cr := newCrowd(t, adminConnections)
			for i := range 10 * adminConnections {
				cr.stall(cr.connect(fmt.Sprintf("10.1.0.%d", i%addresses)))
				time.Sleep(time.Millisecond)
				if i%adminConnections == 0 {
					probe := cr.connect("192.0.2.1")
					for range 2 * adminConnections {
						cr.stall(cr.connect(fmt.Sprintf("10.1.0.%d", i%addresses)))
					}
					cr.want("the probe", probe)
					_ = probe.Close()
				}
			}
		})
	}
}

// TestAdminPortIsBoundedH25: a server evicts a connection to the admin port for each one above the bound, at
// once, and a probe beside them is answered.
func TestAdminPortIsBoundedH25(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		began := time.Now()
		dial := r.client.Transport.(*http.Transport).DialContext
		var all []net.Conn
		for range adminConnections + 1 {
			c, err := dial(t.Context(), "tcp", "admin:80")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			all = append(all, c)
		}
		if _, err := all[0].Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) >= adminTime {
			t.Errorf("the first of %d connections ended after %v: %v", len(all), time.Since(began), err)
		}
		resp, err := r.client.Get("http://admin/healthz")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || time.Since(began) >= adminTime {
			t.Errorf("a probe was answered after %v: %s", time.Since(began), resp.Status)
		}
	})
}
