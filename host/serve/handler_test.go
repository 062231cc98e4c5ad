package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

func TestRequestsThatAreNoReview(t *testing.T) {
	r := start(t, func(c *ServerConfig) { c.MaxBodyBytes = 1000 })
	for _, test := range []struct {
		name                     string
		method, path, kind, code string
		body                     func() io.Reader // nil: a good review
		want                     int
		text                     string
	}{
		{"plain", "POST", "/convert", "application/json", "", nil, 200, `{"converted":true}`},
		{"root", "POST", "/", "application/json", "", nil, 200, `{"converted":true}`},
		{"another path", "POST", "/my-path/v2", "application/json", "", nil, 200, `{"converted":true}`},
		{"slash at the end", "POST", "/crdconvert/", "application/json", "", nil, 200, `{"converted":true}`},
		{"two slashes", "POST", "//convert//x", "application/json", "", nil, 200, `{"converted":true}`},
		{"dots", "POST", "/a/../convert/./x", "application/json", "", nil, 200, `{"converted":true}`},
		{"an escaped slash", "POST", "/convert%2Fx", "application/json", "", nil, 200, `{"converted":true}`},
		{"a query", "POST", "/convert?timeout=30s", "application/json", "", nil, 200, `{"converted":true}`},
		{"a charset", "POST", "/convert", "application/json; charset=utf-8", "", nil, 200, `{"converted":true}`},
		{"a type in capitals", "POST", "/convert", "Application/JSON", "", nil, 200, `{"converted":true}`},
		{"said not to be encoded", "POST", "/convert", "application/json", "identity", nil, 200, `{"converted":true}`},

		{"an admin page", "GET", "/metrics", "application/json", "", nil, 405, "conversion reviews are sent with POST\n"},
		{"GET", "GET", "/convert", "application/json", "", nil, 405, "conversion reviews are sent with POST\n"},
		{"PUT", "PUT", "/convert/x", "application/json", "", nil, 405, "conversion reviews are sent with POST\n"},
		{"YAML", "POST", "/convert", "application/yaml", "", nil, 415, "the body's Content-Type is \"application/yaml\": send application/json\n"},
		{"no type", "POST", "/convert", "", "", nil, 415, "the body's Content-Type is \"\": send application/json\n"},
		{"broken type", "POST", "/convert", "application/json;;=", "", nil, 415, "the body's Content-Type is \"application/json;;=\": send application/json\n"},
		{"gzip", "POST", "/convert", "application/json", "gzip", nil, 415, "the body's Content-Encoding is \"gzip\": send it without one\n"},
		{"too large", "POST", "/convert", "application/json", "", func() io.Reader { return bytes.NewReader(make([]byte, 1001)) }, 413, "the body is larger than 1000 bytes (--max-body-bytes)\n"},
		{
			"too large, in chunks", "POST", "/convert", "application/json", "", func() io.Reader { return io.LimitReader(zeros{}, 40_000) }, 413,
			"the body is larger than 1000 bytes (--max-body-bytes)\n",
		},
		{
			"far too large, in chunks", "POST", "/convert", "application/json", "", func() io.Reader { return io.LimitReader(zeros{}, 20<<20) }, 413,
			"the body is larger than 1000 bytes (--max-body-bytes)\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.body == nil {
				test.body = func() io.Reader { return strings.NewReader(goodReview) }
			}
			var before float64
			resp, text := r.sendUntilAnswered(t, func() *http.Request {
				before = r.rejections(test.want)
				req := r.request(t, test.method, test.path, test.body())
				req.Header.Set("Content-Type", test.kind)
				if test.code != "" {
					req.Header.Set("Content-Encoding", test.code)
				}
				return req
			})
			if resp.StatusCode != test.want || text != test.text {
				t.Errorf("got %d %s\nwant %d %s", resp.StatusCode, text, test.want, test.text)
			}
			if resp.ContentLength != int64(len(test.text)) {
				t.Errorf("Content-Length %d of %d bytes", resp.ContentLength, len(test.text))
			}
			if allow := resp.Header.Get("Allow"); (allow == "POST") != (test.want == 405) {
				t.Errorf("Allow is %q", allow)
			}
			if resp.Close != (test.want == 413) {
				t.Errorf("Connection: close is %v", resp.Close)
			}
			kind := "text/plain; charset=utf-8"
			if test.want == 200 {
				kind = "application/json"
			} else if r.rejections(test.want) != before+1 {
				t.Errorf("%v rejections counted, want one", r.rejections(test.want)-before)
			}
			if got := resp.Header.Get("Content-Type"); got != kind {
				t.Errorf("Content-Type is %q, want %q", got, kind)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// The converter's message about a body that is not a review reaches the client with the converter's
// status.
func TestConverterRejects(t *testing.T) {
	r := start(t, func(c *ServerConfig) {
		c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
			return nil, host.Outcome{}, errors.New("the body is no ConversionReview: not JSON at byte 0")
		}
	})
	resp, text := r.post(t, "/convert")
	if resp.StatusCode != 400 || text != "the body is no ConversionReview: not JSON at byte 0\n" {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	if !strings.Contains(r.log.String(), `msg="request rejected" code=400 err="the body is no ConversionReview: not JSON at byte 0"`) {
		t.Errorf("not in the log: %s", r.log)
	}
}

func TestTimeouts(t *testing.T) {
	const most = 25 * time.Second
	for _, test := range []struct {
		query         string
		review, grace time.Duration
	}{
		{"", most, time.Second},
		{"timeout=30s", most, time.Second},
		{"timeout=20s", 17 * time.Second, time.Second},
		{"timeout=6s", 3 * time.Second, time.Second},
		{"timeout=4s", 2 * time.Second, time.Second},
		{"timeout=1s", 500 * time.Millisecond, 250 * time.Millisecond},
		{"timeout=2h", most, time.Second},
		{"timeout=10000000h", most, time.Second}, // does not fit a duration
		{"timeout=0s", most, time.Second},
		{"timeout=-5s", most, time.Second},
		{"timeout=", most, time.Second},
		{"timeout=soon", most, time.Second},
		{"timeout=20", most, time.Second}, // no unit
		{"x=1&timeout=20s", 17 * time.Second, time.Second},
		{"timeout=20s&x=%zz", 17 * time.Second, time.Second},
		{"%zz", most, time.Second},
	} {
		t.Run(test.query, func(t *testing.T) {
			if review, grace := timeouts(test.query, most); review != test.review || grace != test.grace {
				t.Errorf("got %v and %v, want %v and %v", review, grace, test.review, test.grace)
			}
		})
	}
}

func TestReviewHasADeadline(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var left time.Duration
		r := startInBubble(t, func(c *ServerConfig) {
			c.ReviewTimeout = 0 // the default
			c.Review = func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
				deadline, _ := ctx.Deadline()
				left = time.Until(deadline)
				return nil, host.Outcome{}, nil
			}
		})
		for _, test := range []struct {
			query    string
			from, to time.Duration
		}{
			{"", 20 * time.Second, 25 * time.Second},
			{"?timeout=30s", 20 * time.Second, 25 * time.Second},
			{"?timeout=13s", 5 * time.Second, 10 * time.Second},
		} {
			r.post(t, "/convert"+test.query)
			if left < test.from || left > test.to {
				t.Errorf("%q leaves %v, want between %v and %v", test.query, left, test.from, test.to)
			}
		}
	})
}

// failedAnswer is the answer of a failed review.
type failedAnswer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Response   struct {
		UID    string `json:"uid"`
		Result struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
	} `json:"response"`
}

func (f failedAnswer) String() string {
	return fmt.Sprintf("%s %s %s %s: %s", f.APIVersion, f.Kind, f.Response.UID, f.Response.Result.Status, f.Response.Result.Message)
}

// A converter that hangs although its context has ended costs the user the review, not 30 s and a
// message about a deadline.
func TestOverdueReviewIsAnswered(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		r := startInBubble(t, func(c *ServerConfig) {
			c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
				<-release
				return []byte("too late"), host.Outcome{}, nil
			}
		})
		resp, text := r.post(t, "/convert?timeout=200ms")
		var got failedAnswer
		_ = json.Unmarshal([]byte(text), &got)
		if want := "apiextensions.k8s.io/v1 ConversionReview u-1 Failed: the conversion did not end within its time"; resp.StatusCode != 200 || got.String() != want {
			t.Errorf("got  %d %s\nwant 200 %s", resp.StatusCode, got, want)
		}
		if !resp.Close {
			t.Error("the connection is offered for further use, but its handler has not returned")
		}
		eventually.True(t, "the overdue review to be counted", func() bool { return testutil.ToFloat64(r.report.metrics.overdue) == 1 })
		close(release)
		eventually.True(t, "the converter to return", func() bool { return r.requests.Load() == 0 })
		if n := testutil.ToFloat64(r.report.metrics.of(pair{}).success); n != 0 {
			t.Errorf("the late answer was counted")
		}
	})
}

// A client with hardly any time is answered before a healthy converter can have noticed the
// deadline. That must not be counted and logged as a bug, or any client could raise false alarms.
func TestShortTimeIsNoBug(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		answered := make(chan struct{})
		r := startInBubble(t, func(c *ServerConfig) {
			c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) {
				<-answered
				return []byte("too late"), host.Outcome{}, nil
			}
		})
		_, text := r.post(t, "/convert?timeout=10ms")
		close(answered)
		var got failedAnswer
		_ = json.Unmarshal([]byte(text), &got)
		if want := "apiextensions.k8s.io/v1 ConversionReview u-1 Failed: the conversion did not end within its time"; got.String() != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		time.Sleep(overdueGrace + time.Second)
		if n := testutil.ToFloat64(r.report.metrics.overdue); n != 0 {
			t.Errorf("%v are counted as overdue", n)
		}
	})
}

func TestPanics(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       int
		text       string
	}{
		{
			"uid known", goodReview, 200,
			`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u-1","convertedObjects":[],"result":{"status":"Failed","message":"the gateway failed while converting; its log says why","reason":"internal"}}}`,
		},
		{
			"v1beta1", strings.Replace(goodReview, "/v1", "/v1beta1", 1), 200,
			`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","response":{"uid":"u-1","convertedObjects":[],"result":{"status":"Failed","message":"the gateway failed while converting; its log says why","reason":"internal"}}}`,
		},
		{"uid in capitals is none", strings.Replace(goodReview, `"uid":`, `"UID":`, 1), 500, "the gateway failed while converting; its log says why\n"},
		{"no uid", `{}`, 500, "the gateway failed while converting; its log says why\n"},
		{"no JSON", `{`, 500, "the gateway failed while converting; its log says why\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, func(c *ServerConfig) {
				c.Review = func(context.Context, []byte) ([]byte, host.Outcome, error) { panic("canary") }
			})
			resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(test.body)))
			if resp.StatusCode != test.want || text != test.text {
				t.Errorf("got  %d %s\nwant %d %s", resp.StatusCode, text, test.want, test.text)
			}
			if n := testutil.ToFloat64(r.report.metrics.panics); n != 1 {
				t.Errorf("%v panics counted, want 1", n)
			}
			if log := r.log.String(); !strings.Contains(log, "err=canary") || !strings.Contains(log, "TestPanics") {
				t.Errorf("the log has no cause or no stack: %s", log)
			}
			// Failed requests must not hold resources.
			eventually.True(t, "slot and buffer to come back", func() bool {
				slots, _ := r.slots.Load()
				buffers, _ := r.bodies.budget.Load()
				return slots == 0 && buffers == 0
			})
		})
	}
}

func TestStarting(t *testing.T) {
	notYet := fmt.Errorf("starting: 3 of 5 modules are loaded")
	ready := notYet
	r := start(t, func(c *ServerConfig) {
		c.Ready = func() error { return ready }
		c.StartGrace = time.Hour
	})
	resp, text := r.post(t, "/convert")
	if resp.StatusCode != 503 || text != notYet.Error()+"\n" || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("before: %d %q, Retry-After %q", resp.StatusCode, text, resp.Header.Get("Retry-After"))
	}
	ready = nil
	if resp, _ := r.post(t, "/convert"); resp.StatusCode != 200 {
		t.Errorf("when ready: %d", resp.StatusCode)
	}
	ready = notYet // a gateway that served once never rejects reviews as not ready
	if resp, _ := r.post(t, "/convert"); resp.StatusCode != 200 {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
}

// An API server repeats a review ten times, a second apart; after that a user should read why it
// failed.
func TestStartingTakesTooLong(t *testing.T) {
	r := start(t, func(c *ServerConfig) {
		c.Ready = func() error { return fmt.Errorf("starting") }
		c.StartGrace = time.Nanosecond
	})
	if resp, text := r.post(t, "/convert"); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

// TestLoadingIsPutOff: a review for a kind whose module has just arrived and is being loaded is put
// off, as at the start, and for as long; then it fails with a message that names the file.
func TestLoadingIsPutOff(t *testing.T) {
	const file = "CronTab.stable.example.com_v1_v2.wasm"
	modules := &fixedModules{loading: host.Loading{File: file, Since: time.Now()}}
	r := start(t, func(c *ServerConfig) {
		c.Review = newConverter(host.ConverterConfig{Modules: modules}).Review
		c.StartGrace = time.Hour
	})
	want := "no module converts CronTab.stable.example.com from v1 to v2; module " + file + " has been loading since " + modules.loading.Since.UTC().Format(time.TimeOnly) + " UTC"
	review := func() (*http.Response, string) {
		body := reviewOf("v1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)
		return r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(body)))
	}
	if resp, text := review(); resp.StatusCode != 503 || text != want+"\n" || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("while it is being loaded: %d %q, Retry-After %q; want %q", resp.StatusCode, text, resp.Header.Get("Retry-After"), want)
	}
	modules.loading.Since = modules.loading.Since.Add(-24 * time.Hour) // the same time of day
	if resp, text := review(); resp.StatusCode != 200 || !strings.Contains(text, want) {
		t.Errorf("for longer than the start may take: %d %s, want %q", resp.StatusCode, text, want)
	}
	modules.routes = host.NewRoutes(edges(answers(`{"apiVersion":"stable.example.com/v2"}`), "v1→v2"))
	if resp, text := review(); resp.StatusCode != 200 || !strings.Contains(text, `"status":"Success"`) {
		t.Errorf("once the conversion is there: %d %s", resp.StatusCode, text)
	}
}

// While the gateway starts, a review whose modules are there is answered; one whose modules may be
// next is rejected, and they are asked for.
func TestEarlyReviews(t *testing.T) {
	modules := &missingModules{fixedModules: fixedModules{routes: host.NewRoutes(edges(answers(`{"apiVersion":"stable.example.com/v2"}`), "v1→v2"))}}
	early := false
	ready := fmt.Errorf("starting: modules are loading")
	r := start(t, func(c *ServerConfig) {
		c.Review = newConverter(host.ConverterConfig{Modules: modules}).Review
		c.Ready, c.Early, c.StartGrace = func() error { return ready }, func() bool { return early }, time.Hour
	})
	review := func(kind string) (int, string) {
		t.Helper()
		body := reviewOf("v1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"`+kind+`","metadata":{"name":"a"}}`)
		resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader(body)))
		return resp.StatusCode, text
	}
	for _, test := range []struct {
		name   string
		change func()
		kind   string
		code   int
		text   string // part of it
		missed string // the conversions asked for so far
	}{
		{"not early", nil, "CronTab", 503, "starting: modules are loading\n", ""},
		{"its modules are there", func() { early = true }, "CronTab", 200, `"status":"Success"`, ""},
		{"its modules are not", nil, "Backup", 503, "starting: modules are loading\n", "Backup.stable.example.com"},
		{"nor later", func() { ready = nil }, "Backup", 200, "no module converts Backup.stable.example.com", "Backup.stable.example.com Backup.stable.example.com"},
	} {
		if test.change != nil {
			test.change()
		}
		code, text := review(test.kind)
		if code != test.code || !strings.Contains(text, test.text) || strings.Join(modules.missed, " ") != test.missed {
			t.Errorf("%s: %d %s, missed %q\nwant %d %s, %q", test.name, code, text, modules.missed, test.code, test.text, test.missed)
		}
	}
}

// missingModules notes the missing conversions.
type missingModules struct {
	fixedModules
	missed []string
}

func (m *missingModules) Missed(group, kind string) { m.missed = append(m.missed, kind+"."+group) }
