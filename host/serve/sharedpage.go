package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// pageInterval is the time from the end of making a page until it is made again.
	pageInterval = time.Second
	// pageTime bounds sending a page: the default time of a scrape by Prometheus. So the readers of
	// at most ten copies of a page hold memory at a time.
	pageTime = 10 * time.Second
)

// sharedPage answers requests for a page. It makes the page at most about once a second, for all
// clients that wait for it, and never twice at a time, because a page of 500 kinds has megabytes
// and takes a processor for a tenth of a second. A client gets a page that was made after its
// request. It is safe for concurrent use.
type sharedPage struct {
	page http.Handler // makes the page; gets a request without headers
	log  *slog.Logger

	mu     sync.Mutex // guards the fields below
	next   *pageCopy  // for which clients wait; not begun
	active bool       // make runs
}

// pageCopy is an answer. Its fields do not change once it is done.
type pageCopy struct {
	done   chan struct{} // closed when the answer is complete
	code   int
	header http.Header
	body   bytes.Buffer
	packed func() []byte // the body, compressed when a client first asks for that
}

// ServeHTTP answers with the next copy of the page.
func (p *sharedPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := p.upcoming()
	select {
	case <-c.done:
	case <-r.Context().Done():
		return
	}
	h := w.Header()
	for name, values := range c.header {
		h[name] = values
	}
	content := c.body.Bytes()
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		content = c.packed()
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageTime)) // here, because the time counts from the page
	w.WriteHeader(c.code)
	_, _ = w.Write(content) // an error means that the client went away
}

// upcoming returns the copy that is made next.
func (p *sharedPage) upcoming() *pageCopy {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = &pageCopy{done: make(chan struct{}), code: http.StatusOK, header: http.Header{}}
	}
	if !p.active {
		p.active = true
		go p.make() // ends when no client has asked for a second
	}
	return p.next
}

// make makes copies until no client has asked for pageInterval.
func (p *sharedPage) make() {
	for {
		p.mu.Lock()
		c := p.next
		p.next, p.active = nil, c != nil
		p.mu.Unlock()
		if c == nil {
			return
		}
		c.fill(p.page, p.log)
		close(c.done)
		time.Sleep(pageInterval)
	}
}

// fill makes the copy.
func (c *pageCopy) fill(page http.Handler, log *slog.Logger) {
	defer func() {
		if err := recover(); err != nil {
			log.Error("panic recovered while making a page; this is a bug", "err", fmt.Sprint(err), "stack", string(debug.Stack()))
			c.code, c.header = http.StatusInternalServerError, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
			c.body.Reset()
			c.body.WriteString("the gateway failed while making the page; its log says why\n")
		}
		c.header.Add("Vary", "Accept-Encoding")
		c.packed = sync.OnceValue(func() []byte { return packed(c.body.Bytes()) })
	}()
	page.ServeHTTP(c, &http.Request{Method: http.MethodGet, URL: &url.URL{}, Header: http.Header{}})
}

// Header implements http.ResponseWriter.
func (c *pageCopy) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *pageCopy) WriteHeader(code int) { c.code = code }

// Write implements http.ResponseWriter.
func (c *pageCopy) Write(b []byte) (int, error) { return c.body.Write(b) }

// packed compresses a page.
func packed(page []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	_, _ = w.Write(page) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// acceptsGzip reports whether the client takes a compressed page.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		weight = strings.ReplaceAll(strings.TrimSpace(weight), " ", "")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") && strings.Trim(weight, "0.") != "q=" {
			return true
		}
	}
	return false
}
