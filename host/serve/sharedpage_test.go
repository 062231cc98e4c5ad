package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// numbered is a page that says how often it was made. Making it takes the time given.
func numbered(takes time.Duration) http.Handler {
	made, making := 0, false
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if making {
			panic("the page is made twice at a time")
		}
		making = true
		time.Sleep(takes)
		making = false
		made++
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "page %d\n", made)
	})
}

// reader is a client of a page: it notes where the bytes are that it was sent.
type reader struct {
	*httptest.ResponseRecorder
	at *byte
}

func (r *reader) Write(b []byte) (int, error) {
	r.at = &b[0]
	return r.ResponseRecorder.Write(b)
}

func read(page http.Handler, accepts string) *reader {
	r := &reader{ResponseRecorder: httptest.NewRecorder()}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	if accepts != "" {
		request.Header.Set("Accept-Encoding", accepts)
	}
	page.ServeHTTP(r, request)
	return r
}

// TestPagesAreSharedH25: a page is made once for all who wait for it, and not more often than once
// a second; all are sent the same bytes, which were made after they asked.
func TestPagesAreSharedH25(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		page := &sharedPage{page: numbered(300 * time.Millisecond), log: slog.New(slog.DiscardHandler)}
		var all sync.WaitGroup
		var copies sync.Map // the first byte of each page
		crowd := func(readers int, want string, after time.Duration) {
			for range readers {
				all.Go(func() {
					r := read(page, "")
					if got := r.Body.String(); got != want || r.Code != http.StatusAccepted || r.Header().Get("Content-Type") != "text/plain" {
						t.Errorf("got %d %v %q, want %q", r.Code, r.Header(), got, want)
					}
					copies.LoadOrStore(want, r.at)
					if first, _ := copies.Load(want); first != r.at {
						t.Error("a reader has a copy of its own")
					}
					if took := time.Since(began); took != after {
						t.Errorf("%q came after %v, want %v", want, took, after)
					}
				})
			}
		}
		crowd(1, "page 1\n", 300*time.Millisecond)
		time.Sleep(100 * time.Millisecond) // while it is made
		crowd(100, "page 2\n", 1600*time.Millisecond)
		time.Sleep(time.Second) // between two
		crowd(100, "page 2\n", 1600*time.Millisecond)
		all.Wait()
		time.Sleep(10 * time.Second) // nobody waits
		crowd(1, "page 3\n", time.Since(began)+300*time.Millisecond)
		all.Wait()
		time.Sleep(2 * time.Second) // its goroutine ends, or the test does not
	})
}

// TestPageOfAClientThatWentAway: a client that goes away waits no longer, and the page is made for
// the others.
func TestPageOfAClientThatWentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &sharedPage{page: numbered(time.Minute), log: slog.New(slog.DiscardHandler)}
		server := func(r *http.Request) string {
			w := httptest.NewRecorder()
			page.ServeHTTP(w, r)
			return w.Body.String()
		}
		var other sync.WaitGroup
		other.Go(func() {
			if got := server(httptest.NewRequest(http.MethodGet, "/", nil)); got != "page 1\n" {
				t.Error(got)
			}
		})
		synctest.Wait() // the page is being made
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := server(httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)); got != "" {
			t.Error(got)
		}
		other.Wait()
		time.Sleep(2 * time.Minute) // the page is made for nobody
	})
}

// TestPageIsPacked: a client that accepts gzip gets the page compressed, once for all.
func TestPageIsPacked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &sharedPage{page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("page ", 1000)) }), log: slog.New(slog.DiscardHandler)}
		read(page, "") // all others wait for the next page, a second later
		var all sync.WaitGroup
		packed := make([]*reader, 10)
		for i := range packed {
			all.Go(func() { packed[i] = read(page, "deflate, GZIP;q=0.5") })
		}
		for _, accepts := range []string{"", "deflate", "gzip;q=0", "gzip; q=0.000", "xgzip"} {
			all.Go(func() {
				if r := read(page, accepts); r.Header().Get("Content-Encoding") != "" || r.Body.Len() != 5000 || r.Header().Get("Vary") != "Accept-Encoding" {
					t.Errorf("%q: %v, %d bytes", accepts, r.Header(), r.Body.Len())
				}
			})
		}
		all.Wait()
		for _, r := range packed {
			if r.at != packed[0].at || r.Header().Get("Content-Encoding") != "gzip" || r.Header().Get("Content-Length") != fmt.Sprint(r.Body.Len()) {
				t.Fatalf("%v, a copy of its own: %v", r.Header(), r.at != packed[0].at)
			}
		}
		z, err := gzip.NewReader(bytes.NewReader(packed[0].Body.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || len(text) != 5000 {
			t.Errorf("unpacked: %d bytes, %v", len(text), err)
		}
		time.Sleep(2 * pageInterval)
	})
}

// TestPageThatPanics: it is an answer, and the next page is made.
func TestPageThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := true
		page := &sharedPage{log: slog.New(slog.DiscardHandler), page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "begun")
			if fails {
				fails = false
				panic("on purpose")
			}
		})}
		if r := read(page, ""); r.Code != 500 || r.Body.String() != "the gateway failed while making the page; its log says why\n" {
			t.Error(r.Code, r.Body)
		}
		if r := read(page, ""); r.Code != 200 || r.Body.String() != "begun" {
			t.Error(r.Code, r.Body)
		}
		time.Sleep(2 * pageInterval)
	})
}

// TestPagesOfTheAdminPortAreShared: all but those for probes.
func TestPagesOfTheAdminPortAreShared(t *testing.T) {
	r := start(t, func(c *ServerConfig) { c.Page = http.HandlerFunc(serveIndex) })
	for path, shared := range map[string]bool{"/": true, "/metrics": true, "/modules": true, "/readyz?verbose": true, "/readyz": false, "/healthz": false} {
		resp, err := http.Get(r.admin + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := slices.Contains(resp.Header.Values("Vary"), "Accept-Encoding"); got != shared {
			t.Errorf("%s is shared: %v", path, got)
		}
	}
}
