package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// goodReview is a request whose uid the server can find by itself; the tests' Review funcs do not
// look at it.
const goodReview = `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"stable.example.com/v2","objects":[]},"response":{}}`

// running is a Server on loopback or in memory, with a client that trusts it.
type running struct {
	*Server
	url, admin string // without a path
	roots      *x509.CertPool
	client     *http.Client
	log        *buffer
	stop       func()       // tells it to end
	endsWith   string       // the error of Run that the test expects; "" = none
	ended      func() error // waits for that and returns Run's result
}

// testTime is for everything that must not end a test on a busy machine: longer than any of them
// takes there.
const testTime = 10 * time.Minute

// start runs a server that drains without delay; change, if any, edits its configuration first. The
// times that a connection has are long: a client keeps connections that it made and did not need,
// and a server that closes one of them after the 5 s for a first header may do so while a request
// is on its way.
func start(t *testing.T, change func(*ServerConfig)) *running {
	t.Helper()
	reviews, admin := listen(t), listen(t)
	return startOn(t, reviews, admin, "https://"+reviews.Addr().String(), "http://"+admin.Addr().String(), new(net.Dialer).DialContext, change)
}

// startOn is start with listeners, their URLs, and a function that dials them.
func startOn(t *testing.T, reviews, admin net.Listener, url, adminURL string, dial func(ctx context.Context, network, address string) (net.Conn, error), change func(*ServerConfig)) *running {
	t.Helper()
	r := &running{url: url, admin: adminURL, log: &buffer{}, roots: x509.NewCertPool()}
	registry := prometheus.NewRegistry()
	cfg := ServerConfig{
		Review: func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return []byte(`{"converted":true}`), host.Outcome{From: "v1"}, nil
		},
		Metrics: NewMetrics(registry), Gatherer: registry,
		Logger:        slog.New(slog.NewTextHandler(r.log, nil)),
		DrainDelay:    -1,
		HeaderTimeout: testTime, ReadTimeout: testTime, WriteTimeout: testTime, IdleTimeout: testTime, ReviewTimeout: testTime, // a busy machine takes long for the work of a review
	}
	certificates, ca, err := DevCertificates(nil, cfg.Metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.roots.AppendCertsFromPEM(ca)
	cfg.Certificates = certificates
	if change != nil {
		change(&cfg)
	}
	if r.Server, err = NewServer(cfg); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.roots}, MaxIdleConnsPerHost: 100, DialContext: dial}
	r.client = &http.Client{Transport: transport, Timeout: testTime}

	ctx, stop := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- r.Run(ctx, reviews, admin) }() // ends when stop is called
	r.stop = stop
	r.ended = sync.OnceValue(func() error { return <-result })
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		got := ""
		if err := r.ended(); err != nil {
			got = err.Error()
		}
		if got != r.endsWith {
			t.Errorf("Run ended with %q, want %q", got, r.endsWith)
		}
	})
	return r
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// post sends a review and reads the whole answer.
func (r *running) post(t *testing.T, pathAndQuery string) (*http.Response, string) {
	t.Helper()
	return r.send(t, r.request(t, http.MethodPost, pathAndQuery, strings.NewReader(goodReview)))
}

func (r *running) request(t *testing.T, method, pathAndQuery string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, r.url+pathAndQuery, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

func (r *running) send(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, text, err := r.try(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

// sendUntilAnswered sends a request that the server may refuse without reading all of it. Closing
// the connection then can take the answer away before a slow reader has it: such a request is made
// and sent again.
func (r *running) sendUntilAnswered(t *testing.T, request func() *http.Request) (*http.Response, string) {
	t.Helper()
	for range 10 {
		resp, text, err := r.try(request())
		if err == nil {
			return resp, text
		}
		t.Log(err)
	}
	t.Fatal("ten requests were not answered")
	return nil, ""
}

func (r *running) try(req *http.Request) (*http.Response, string, error) {
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	return resp, string(content), err
}

// dial connects to the server. A handshake for which the server had too little time on a busy
// machine is made again.
func (r *running) dial(t *testing.T, overTLS bool) (conn net.Conn) {
	t.Helper()
	eventually.Succeeds(t, "a connection", func() (err error) {
		if conn, err = net.Dial("tcp", strings.TrimPrefix(r.url, "https://")); err != nil || !overTLS {
			return err
		}
		client := tls.Client(conn, &tls.Config{RootCAs: r.roots, ServerName: "localhost"})
		if err = client.Handshake(); err != nil {
			conn.Close()
			return err
		}
		conn = client
		return nil
	})
	return conn
}

// rejections is the count of requests rejected with a code.
func (r *running) rejections(code int) float64 {
	return testutil.ToFloat64(r.report.metrics.rejected.WithLabelValues(codeLabel(code)))
}

func TestNewServerChecksItsConfig(t *testing.T) {
	complete := func() ServerConfig {
		metrics := NewMetrics(prometheus.NewRegistry())
		return ServerConfig{
			Review: func(context.Context, []byte) ([]byte, host.Outcome, error) {
				return nil, host.Outcome{}, nil
			},
			Certificates: &Certificates{}, Metrics: metrics,
		}
	}
	for _, test := range []struct {
		name   string
		change func(*ServerConfig)
		want   string
	}{
		{"complete", func(*ServerConfig) {}, "<nil>"},
		{"no converter", func(c *ServerConfig) { c.Review = nil }, "server config: Review is missing"},
		{"no certificate", func(c *ServerConfig) { c.Certificates = nil }, "server config: Certificates is missing"},
		{"no metrics", func(c *ServerConfig) { c.Metrics = nil }, "server config: Metrics is missing"},
		{"larger bodies widen the default budget", func(c *ServerConfig) { c.MaxBodyBytes = 1 << 30 }, "<nil>"},
		{
			"bodies that there is no buffer for", func(c *ServerConfig) { c.MaxBodyBytes = LargestBody + 1 },
			"server config: MaxBodyBytes is 549755813889; it must be at most 549755813888",
		},
		{
			"a body that cannot fit", func(c *ServerConfig) { c.MaxBodyBytes, c.MaxBodyBytesInFlight = 64<<20, 100<<20 },
			"server config: MaxBodyBytesInFlight is 104857600, too small for bodies of MaxBodyBytes 67108864: at least 134217728 are needed",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := complete()
			test.change(&cfg)
			_, err := NewServer(cfg)
			if got := fmt.Sprint(err); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A listener that fails ends Run with an error, or the process would live on deaf.
func TestRunReportsAFailedListener(t *testing.T) {
	for _, which := range []string{"reviews", "admin"} {
		t.Run(which, func(t *testing.T) {
			s, err := NewServer(ServerConfig{
				Review: func(context.Context, []byte) ([]byte, host.Outcome, error) {
					return nil, host.Outcome{}, nil
				},
				Certificates: &Certificates{}, Metrics: NewMetrics(prometheus.NewRegistry()),
			})
			if err != nil {
				t.Fatal(err)
			}
			reviews, admin := listen(t), listen(t)
			want := "serving reviews on " + reviews.Addr().String()
			if which == "reviews" {
				reviews.Close()
			} else {
				want = "serving admin pages on " + admin.Addr().String()
				admin.Close()
			}
			if err := s.Run(t.Context(), reviews, admin); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Run: %v, want %s…", err, want)
			}
		})
	}
}

func TestProtocols(t *testing.T) {
	for _, test := range []struct {
		name   string
		client *tls.Config
		want   string // protocol agreed on, or the error
	}{
		{"HTTP/1.1 alone is offered", &tls.Config{NextProtos: []string{"h2", "http/1.1"}}, "http/1.1"},
		{"HTTP/2 alone is refused", &tls.Config{NextProtos: []string{"h2"}}, "remote error: tls: no application protocol"},
		{"TLS 1.1 is refused", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "remote error: tls: protocol version not supported"},
		{"TLS 1.2 is not", &tls.Config{MaxVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, "http/1.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, nil)
			test.client.RootCAs = r.roots
			got := ""
			if conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "https://"), test.client); err != nil {
				got = err.Error()
			} else {
				got = conn.ConnectionState().NegotiatedProtocol
				conn.Close()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Slow and silent clients lose their connection and cost no more than that.
func TestSlowClients(t *testing.T) {
	const short = 300 * time.Millisecond
	headers := func(c *ServerConfig) { c.HeaderTimeout = short }
	head := "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
	for _, test := range []struct {
		name  string
		short func(*ServerConfig) // makes one time short, so that no other ends the connection
		tls   bool
		send  string
		want  string // beginning of the answer before the connection is closed
	}{
		{"connects and says nothing", headers, false, "", ""},
		{"agrees on TLS and says nothing", headers, true, "", ""},
		{"headers that never end", headers, true, head, ""},
		{"a body that never ends", func(c *ServerConfig) { c.ReadTimeout = short }, true, head + "\r\n{", "HTTP/1.1 400 Bad Request\r\n"},
		{"an answered request, then nothing", func(c *ServerConfig) { c.IdleTimeout = short }, true, strings.Replace(head, "1000", "2", 1) + "\r\n{}", "HTTP/1.1 200 OK\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, func(c *ServerConfig) {
				c.HeaderTimeout, c.ReadTimeout, c.WriteTimeout, c.IdleTimeout = time.Hour, time.Hour, time.Hour, time.Hour
				test.short(c)
			})
			conn := r.dial(t, test.tls)
			defer conn.Close()
			_, _ = io.WriteString(conn, test.send) // fails if its time is up already
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			got, err := io.ReadAll(conn) // returns when the server closes
			if err, timeout := err.(net.Error); timeout && err.Timeout() {
				t.Fatal("the connection was still open after a minute")
			}
			if !strings.HasPrefix(string(got), test.want) || test.want == "" && len(got) > 0 {
				t.Errorf("got %q, want %q…", got, test.want)
			}
		})
	}
}

// A crowd of slow clients leaves nothing behind.
func TestSlowClientsAreForgotten(t *testing.T) {
	r := start(t, func(c *ServerConfig) { c.HeaderTimeout = 200 * time.Millisecond })
	resp, err := http.Get(r.admin + "/healthz") // it has begun, then
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	before := runtime.NumGoroutine()
	for range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	eventually.True(t, "the crowd to be shut out", func() bool { return testutil.ToFloat64(r.report.metrics.handshakeErrors) == 100 })
	eventually.True(t, "the crowd to be forgotten", func() bool { return runtime.NumGoroutine() <= before+5 })
}

func TestLargeHeaders(t *testing.T) {
	r := start(t, nil)
	resp, _ := r.sendUntilAnswered(t, func() *http.Request {
		req := r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview))
		req.Header.Set("X-Filler", strings.Repeat("x", 64<<10))
		return req
	})
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("64 KiB of headers: %s, want 431", resp.Status)
	}
}

func TestZeroTimesAreTheDocumentedOnes(t *testing.T) {
	var cfg ServerConfig
	cfg.setDefaults()
	// Longer than the 90 s for which API servers keep an idle connection: the API server must be
	// the side that closes it.
	if cfg.IdleTimeout <= 90*time.Second {
		t.Errorf("idle connections are closed after %v, before an API server does", cfg.IdleTimeout)
	}
	if cfg.HeaderTimeout <= 90*time.Second {
		t.Errorf("connections without a request are closed after %v, before an API server does", cfg.HeaderTimeout)
	}
	// An answer of the last moment still has to be written, and the API server has to be there for
	// it.
	if cfg.WriteTimeout <= cfg.QueueWait+cfg.ReviewTimeout || cfg.ReviewTimeout >= 30*time.Second {
		t.Errorf("write timeout %v, review timeout %v, queue %v", cfg.WriteTimeout, cfg.ReviewTimeout, cfg.QueueWait)
	}
}

// TestStateBeforeItListens: metrics are read while the gateway loads its modules, before it listens.
func TestStateBeforeItListens(t *testing.T) {
	s, err := NewServer(ServerConfig{
		Review:       func(context.Context, []byte) ([]byte, host.Outcome, error) { return nil, host.Outcome{}, nil },
		Certificates: &Certificates{}, Metrics: NewMetrics(prometheus.NewRegistry()),
	})
	if err != nil {
		t.Fatal(err)
	}
	if is := s.state(); is.connections != 0 {
		t.Errorf("%v connections", is.connections)
	}
}
