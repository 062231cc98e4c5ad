package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// A server is replaced under load, as in a rolling update: it is told to end, a little later new
// connections go to its successor, and a client that knows nothing of this and repeats nothing sees
// no failure.
func TestReplacementUnderLoad(t *testing.T) {
	t.Parallel() // it mostly waits
	certificates, ca, err := DevCertificates(nil, NewMetrics(prometheus.NewRegistry()), nil)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	replica := func() *running {
		return start(t, func(c *ServerConfig) {
			c.Certificates = certificates
			// Long enough that each connection is used, and closed, meanwhile, on a busy machine
			// too: one that is idle when the port is closed may have a request on its way.
			c.DrainDelay, c.ShutdownTimeout = 4*time.Second, 30*time.Second
			c.MaxInFlight = 100
			c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
				time.Sleep(2 * time.Millisecond)
				return []byte(`{"converted":true}`), host.Outcome{}, nil
			}
		})
	}
	first, second := replica(), replica()

	// The service, which receives new connections.
	var endpoint atomic.Value
	endpoint.Store(strings.TrimPrefix(first.url, "https://"))
	client := &http.Client{Timeout: testTime, Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		MaxIdleConnsPerHost: 25,          // as many as an API server keeps
		IdleConnTimeout:     time.Second, // a connection that was made and not needed goes before the port is closed
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", endpoint.Load().(string))
		},
	}}
	defer client.CloseIdleConnections()

	var sent, closing atomic.Int64
	load, stopLoad := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for load.Err() == nil {
				resp, err := client.Post("https://localhost/convert?timeout=30s", "application/json", strings.NewReader(goodReview))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err = io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
					t.Errorf("%s, %v", resp.Status, err)
				}
				resp.Body.Close()
				sent.Add(1)
				if resp.Close {
					closing.Add(1)
				}
			}
		})
	}
	eventually.True(t, "load on the first", func() bool { return sent.Load() > 200 })

	first.stop()
	eventually.True(t, "the first to say that it is not ready", func() bool {
		resp, err := http.Get(first.admin + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode == 503 && string(text) == "draining: shutting down\n"
	})
	time.Sleep(50 * time.Millisecond) // until the service knows
	endpoint.Store(strings.TrimPrefix(second.url, "https://"))
	if err := first.ended(); err != nil {
		t.Error(err)
	}
	before := sent.Load()
	eventually.True(t, "load on the second", func() bool { return sent.Load() > before+200 })
	stopLoad()
	workers.Wait()
	if closing.Load() == 0 {
		t.Error("no answer closed its connection")
	}
}

// Reviews in flight when the listener closes are still answered.
func TestShutdownWaitsForReviews(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	r := start(t, func(c *ServerConfig) {
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			close(started)
			<-release
			return []byte(`{"converted":true}`), host.Outcome{}, nil
		}
	})
	answered := make(chan string)
	go func() {
		_, text := r.post(t, "/convert")
		answered <- text
	}()
	<-started
	r.stop()
	eventually.True(t, "the listener to close", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "https://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(release)
	if text := <-answered; text != `{"converted":true}` {
		t.Errorf("got %s", text)
	}
}

func TestShutdownCutsOffInTheEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		started, gone := make(chan struct{}), make(chan struct{})
		r := startInBubble(t, func(c *ServerConfig) {
			c.ShutdownTimeout = 100 * time.Millisecond
			c.Review = func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
				close(started)
				<-ctx.Done() // the converter is told
				close(gone)
				return nil, host.Outcome{}, nil
			}
		})
		r.endsWith = "shutdown: 1 reviews in progress were cut off after 100ms"
		go func() {
			if resp, err := r.client.Do(r.request(t, http.MethodPost, "/convert", strings.NewReader(goodReview))); err == nil {
				resp.Body.Close()
				t.Errorf("answered with %s", resp.Status)
			}
		}()
		<-started
		r.stop()
		<-gone
	})
}

// A review that comes while the server drains gets no more time than the server has.
func TestDrainBoundsDeadlines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		left := make(chan time.Duration, 1)
		r := startInBubble(t, func(c *ServerConfig) {
			c.DrainDelay, c.ShutdownTimeout = 4*time.Second, 8*time.Second
			c.Review = func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
				deadline, _ := ctx.Deadline()
				left <- time.Until(deadline)
				return nil, host.Outcome{}, nil
			}
		})
		r.post(t, "/convert") // for a connection that need not be made while the time runs
		<-left
		r.stop()
		eventually.True(t, "the drain", r.life.draining)
		resp, _ := r.post(t, "/convert")
		if got := <-left; got > 11*time.Second { // the last second is for its answer
			t.Errorf("a review has %v, but is cut off a second later", got)
		}
		if !resp.Close {
			t.Error("the connection is kept")
		}
	})
}

// TestDrainAnswersAcceptedConnectionsH12: after the drain delay, each connection that was accepted gets
// the answer to one more review, and the last log line counts the connections that sent none.
func TestDrainAnswersAcceptedConnectionsH12(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := startInBubble(t, func(c *ServerConfig) {
			c.DrainDelay, c.ShutdownTimeout = 10*time.Second, 25*time.Second
		})
		const used, unused = 5, 2
		var conns []net.Conn
		var answers []*bufio.Reader
		for range used + unused {
			plain, err := r.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "localhost:443")
			if err != nil {
				t.Fatal(err)
			}
			conn := tls.Client(plain, &tls.Config{RootCAs: r.roots, ServerName: "localhost"})
			defer conn.Close()
			conns, answers = append(conns, conn), append(answers, bufio.NewReader(conn))
			if got := exchangeOver(conn, answers[len(answers)-1]); got != "200 OK" {
				t.Fatal(got)
			}
		}
		began := time.Now()
		r.stop()
		time.Sleep(15 * time.Second) // five after the port was closed
		for i := range used {
			if got := exchangeOver(conns[i], answers[i]); got != "200 OK" {
				t.Errorf("a review on connection %d after the drain delay: %s", i+1, got)
			}
			if _, err := answers[i].ReadByte(); err != io.EOF {
				t.Errorf("connection %d stays open after its answer: %v", i+1, err)
			}
		}
		if err := r.ended(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 20*time.Second || took > 21*time.Second {
			t.Errorf("the drain took %v, want the delay twice", took)
		}
		if want := "closed_without_request=2"; !strings.Contains(r.log.String(), "drained: every review was answered") || !strings.Contains(r.log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, r.log)
		}
	})
}
