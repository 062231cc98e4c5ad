package attach

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
)

// TestHostileAPIServerT7: requests to an API server that answers slowly, without end or with other
// addresses end. Which layer notices first that the time is over is chance: context, client or body.
func TestHostileAPIServerT7(t *testing.T) {
	const timeOver = "deadline exceeded|Client.Timeout|read on closed response body"
	for _, tc := range []struct {
		name, want string
		answer     http.HandlerFunc
	}{
		{"a body that never goes on", timeOver, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}},
		{"a day to wait", timeOver, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
		{"redirections in a circle", "stopped after 10 redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewServer(tc.answer)
			defer server.Close()
			c, err := NewCluster(&rest.Config{Host: server.URL, Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.List(t.Context(), Gateway{}); err == nil || !regexp.MustCompile(tc.want).MatchString(err.Error()) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// TestAnswersAreBounded: an answer has a bound, to which it may be as long as it likes; all clients of
// a cluster have it, and a time for each request.
func TestAnswersAreBounded(t *testing.T) {
	const most = 1 << 20
	for name, size := range map[string]int{"as long as it may be": most, "a byte longer": most + 1, "without end": 0} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if size == 0 {
				forever(w, strings.Repeat("x", 1000))
			}
			_, _ = w.Write(make([]byte, size))
		}))
		response, err := (&http.Client{Transport: boundedTransport{http.DefaultTransport, most}}).Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		server.Close()
		if long := size != most; n != most || long != (err != nil) || long && err.Error() != "the API server's answer has more than 1048576 bytes" {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	c, err := NewCluster(&rest.Config{Host: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []*rest.Config{c.config, c.Probe.config} {
		transport, err := rest.HTTPWrappersForConfig(config, http.DefaultTransport)
		if b, ok := transport.(boundedTransport); err != nil || !ok || b.most != maxResponse || config.Timeout != requestTime {
			t.Errorf("%T, %v, %v", transport, config.Timeout, err)
		}
	}
}

// TestChecksAreBounded: texts of others do not make a check long.
func TestChecksAreBounded(t *testing.T) {
	long := strings.Repeat("x", 100<<20)
	var checks Checks
	checks.fail(long, long, "%s", long)
	if c := checks[0]; len(c.Name) > maxText+3 || len(c.Remedy) > maxText+3 || len(c.Text) > maxCheck+3 {
		t.Errorf("%d, %d and %d bytes", len(c.Name), len(c.Remedy), len(c.Text))
	}
	crd := &apiextensions.CustomResourceDefinition{Status: apiextensions.CustomResourceDefinitionStatus{
		Conditions: []apiextensions.CustomResourceDefinitionCondition{{Type: apiextensions.Established, Status: apiextensions.ConditionFalse, Message: evil + long}},
	}}
	for _, text := range defects(crd) {
		shows(t, text)
	}
}

// TestWarningsAreCleaned: a warning of an API server does not control the terminal.
func TestWarningsAreCleaned(t *testing.T) {
	var b bytes.Buffer
	w := Warnings(&b)
	for range 2 {
		w.HandleWarningHeader(299, "-", "EVIL\u202e"+strings.Repeat("x", 1<<20))
	}
	if got := b.String(); !strings.HasPrefix(got, "Warning: EVIL\uFFFDxxx") || len(got) > maxText+20 {
		t.Errorf("%d bytes: %.100q", len(got), got)
	}
}
