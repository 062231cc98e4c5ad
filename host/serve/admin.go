package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// adminPages are the pages of the admin port in the order the index lists them.
var adminPages = [...]struct{ path, what string }{
	{"/healthz", "200 while the process works; 503 if only a restart helps"},
	{"/readyz", "200 while reviews are answered; else 503 and the reason; ?verbose lists each check"},
	{"/metrics", "metrics for Prometheus"},
	{"/modules", "the serving modules and those that could not be loaded, as JSON"},
	{"/shadow", "results of the modules in --shadow-modules, as JSON"},
}

// adminServer serves the operators' pages, read-only. Its port is for the cluster's inside: it has
// neither TLS nor a password.
func (s *Server) adminServer() *http.Server {
	mux := http.NewServeMux() // "GET" patterns take HEAD too
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.HandleFunc("GET /readyz", s.serveReadiness)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.cfg.Gatherer, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}))
	mux.HandleFunc("GET /modules", func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, "modules", s.cfg.Modules()) })
	mux.HandleFunc("GET /shadow", func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, "shadow modules", s.cfg.Shadow()) })
	if s.cfg.Page != nil {
		mux.Handle("GET /{$}", s.cfg.Page)
	} else {
		mux.HandleFunc("GET /{$}", serveIndex)
	}
	mux.HandleFunc("/", serveNothing)
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: s.cfg.HeaderTimeout,
		ReadTimeout:       s.cfg.HeaderTimeout, // these requests have no body
		WriteTimeout:      30 * time.Second,    // a scrape of many series through a slow proxy
		IdleTimeout:       s.cfg.IdleTimeout,
		MaxHeaderBytes:    s.cfg.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// adminConnections bounds the connections to the admin port: probes and a few scrapers and readers.
const adminConnections = 100

// serveHealth reports whether the process works. It fails while conversions run that only the end
// of the process can stop.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if err := s.overruns.err(time.Now()); err != nil {
		page(w, http.StatusServiceUnavailable, err.Error()+"\n")
		return
	}
	page(w, http.StatusOK, "ok\n")
}

// AdminPage is one of the pages of the admin port.
type AdminPage struct{ Path, What string }

// AdminPages lists the pages beside /.
func AdminPages() []AdminPage {
	pages := make([]AdminPage, len(adminPages))
	for i, p := range adminPages {
		pages[i] = AdminPage{p.path, p.what}
	}
	return pages
}

// serveNothing answers unknown paths, and lists the pages.
func serveNothing(w http.ResponseWriter, r *http.Request) {
	paths := []string{"/"}
	for _, p := range adminPages {
		paths = append(paths, p.path)
	}
	if slices.Contains(paths, r.URL.Path) {
		w.Header().Set("Allow", "GET, HEAD")
		page(w, http.StatusMethodNotAllowed, "Method Not Allowed\n")
		return
	}
	page(w, http.StatusNotFound, "not found: the pages are "+strings.Join(paths, ", ")+"; reviews go to the other port, over TLS\n")
}

func serveIndex(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html><title>Crosswalk</title><h1>Crosswalk</h1><p>Conversion gateway for Kubernetes custom resources.</p><dl>\n")
	for _, p := range adminPages {
		_, _ = fmt.Fprintf(w, "<dt><a href=%q>%s</a></dt><dd>%s</dd>\n", p.path, p.path, p.what)
	}
	_, _ = io.WriteString(w, "</dl>\n")
}

// Check is one of the conditions of readiness.
type Check struct {
	Name string
	Err  error // nil if the condition is met
}

// serveReadiness reports whether the server is ready. With ?verbose it lists the checks, in the
// form that Kubernetes' own servers use.
func (s *Server) serveReadiness(w http.ResponseWriter, r *http.Request) {
	var list strings.Builder
	if r.URL.Query().Has("verbose") {
		for _, c := range s.cfg.Checks() {
			if c.Err != nil {
				fmt.Fprintf(&list, "[-]%s failed: %v\n", c.Name, c.Err)
			} else {
				fmt.Fprintf(&list, "[+]%s ok\n", c.Name)
			}
		}
	}
	if err := s.life.state(); err != nil {
		page(w, http.StatusServiceUnavailable, list.String()+err.Error()+"\n")
		return
	}
	page(w, http.StatusOK, list.String()+"ready\n")
}

func serveJSON(w http.ResponseWriter, what string, value any) {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		page(w, http.StatusInternalServerError, fmt.Sprintf("listing the %s: %v\n", what, err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(content, '\n'))
}

func page(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}
