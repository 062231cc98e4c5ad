package cluster

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// load is clients that read and write objects at both versions, one request after another each. It
// repeats nothing: each error of the API server counts.
type load struct {
	stop chan struct{}
	done sync.WaitGroup

	mu       sync.Mutex
	requests int
	failures []string
	slowest  time.Duration
}

const clients = 3

// resource is a kind that clients read and write.
type resource struct {
	group, plural string
	stored, other string            // versions
	object        string            // to create at the stored version, with %q for its name
	patch         string            // for the other version, with %d
	want          map[string]string // by version: a text that each object contains
}

var crontabs = resource{
	"stable.example.com", "crontabs", "v1", "v2",
	`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":%q},"spec":{"cronSpec":"* * * * */5","image":"my-cron","replicas":1}}`,
	`{"spec":{"replicas":%d}}`,
	map[string]string{"v1": `"cronSpec":`, "v2": `"dayOfWeek":"*/5"`},
}

// begin starts the clients.
func (m machine) begin(t *testing.T, r resource) *load {
	t.Helper()
	ca, err := os.ReadFile(filepath.Join(m.dir, "pki/ca.crt"))
	must(t, err)
	own, err := tls.LoadX509KeyPair(filepath.Join(m.dir, "pki/admin.crt"), filepath.Join(m.dir, "pki/admin.key"))
	must(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}}, MaxIdleConnsPerHost: clients}}
	l := &load{stop: make(chan struct{})}
	for n := range clients {
		l.done.Go(func() { l.client(client, r, fmt.Sprintf("load-%d", n)) }) // ends when stop is closed
	}
	return l
}

func (l *load) client(c *http.Client, r resource, name string) {
	all := "https://10.250.0.1:6443/apis/" + r.group + "/"
	at := func(version string) string {
		return all + version + "/namespaces/default/" + r.plural + "/" + name
	}
	l.send(c, http.MethodPost, all+r.stored+"/namespaces/default/"+r.plural, "application/json", fmt.Sprintf(r.object, name), "")
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
		l.send(c, http.MethodGet, at(r.other), "", "", r.want[r.other])
		l.send(c, http.MethodGet, at(r.stored), "", "", r.want[r.stored])
		if i%2 == 0 {
			l.send(c, http.MethodPatch, at(r.other), "application/merge-patch+json", fmt.Sprintf(r.patch, i%100+1), r.want[r.other])
		}
		if i%10 == 0 {
			l.send(c, http.MethodGet, all+r.other+"/"+r.plural+"?limit=50", "", "", r.want[r.other])
		}
	}
}

// send makes one request, and counts it as failed unless its status is good and the response
// contains a text.
func (l *load) send(c *http.Client, method, url, contentType, body, want string) {
	began := time.Now()
	problem := func() string {
		request, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		request.Header.Set("Content-Type", contentType)
		response, err := c.Do(request)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		switch {
		case err != nil:
			return err.Error()
		case response.StatusCode == http.StatusConflict && method == http.MethodPost: // the object of an earlier load
			return ""
		case response.StatusCode/100 != 2:
			return fmt.Sprintf("%d %.300s", response.StatusCode, text)
		case !bytes.Contains(compact(text), []byte(want)):
			return fmt.Sprintf("the answer lacks %s: %.300s", want, text)
		}
		return ""
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	l.slowest = max(l.slowest, time.Since(began))
	if problem != "" {
		l.failures = append(l.failures, fmt.Sprintf("%s %s %s (%v): %s", began.Format("15:04:05.000"), method, strings.TrimPrefix(url, "https://10.250.0.1:6443"), time.Since(began).Round(time.Millisecond), problem))
	}
}

// compact removes the white space that JSON does not need.
func compact(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// end stops the clients and fails the test if more than allowed requests failed.
func (l *load) end(t *testing.T, allowed int) {
	t.Helper()
	close(l.stop)
	l.done.Wait()
	t.Logf("%d requests, %d failed, slowest %v", l.requests, len(l.failures), l.slowest.Round(time.Millisecond))
	if l.requests < 100 {
		t.Errorf("only %d requests", l.requests)
	}
	for _, f := range l.failures[:min(len(l.failures), 10)] {
		t.Log(f)
	}
	if len(l.failures) > allowed {
		t.Errorf("%d requests failed; %d are allowed", len(l.failures), allowed)
	}
}

// under runs an action while clients read and write CronTabs, from five seconds before it to five
// seconds after it.
func (m machine) under(t *testing.T, allowed int, action func()) {
	t.Helper()
	m.underLoad(t, crontabs, allowed, action)
}

// underLoad is under for any kind.
func (m machine) underLoad(t *testing.T, r resource, allowed int, action func()) {
	t.Helper()
	l := m.begin(t, r)
	time.Sleep(5 * time.Second)
	func() {
		defer func() {
			time.Sleep(5 * time.Second)
			l.end(t, allowed)
		}()
		action()
	}()
}
