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
	{"/docs/", "the documentation of this version"},
}

// admin answers the requests on the port for operators.
type admin struct {
	cfg      *ServerConfig
	life     *life
	overruns *overruns
}

// server serves the operators' pages, read-only. Its port is for the cluster's inside: it has
// neither TLS nor a password.
//
// A connection takes one request, and little time for it: so no client can send requests whose
// answers it does not read, and a probe finds a place.
func (a *admin) server() *http.Server {
	mux := http.NewServeMux() // "GET" patterns take HEAD too
	shared := func(page http.Handler) http.Handler { return &sharedPage{page: page, log: a.cfg.Logger} }
	list := func(what string, value func() any) http.Handler {
		return shared(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, what, value()) }))
	}
	mux.HandleFunc("GET /healthz", a.serveHealth)
	mux.Handle("GET /readyz", a.readiness(shared(http.HandlerFunc(a.serveChecks))))
	mux.Handle("GET /metrics", shared(promhttp.HandlerFor(a.cfg.Gatherer, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(a.cfg.Logger.Handler(), slog.LevelWarn), DisableCompression: true,
	})))
	mux.Handle("GET /modules", list("modules", a.cfg.Modules))
	if a.cfg.Docs != nil {
		mux.Handle("GET /docs/", a.cfg.Docs)
	}
	if a.cfg.Page != nil {
		mux.Handle("GET /{$}", shared(a.cfg.Page))
	} else {
		mux.HandleFunc("GET /{$}", serveIndex)
	}
	mux.HandleFunc("/", serveNothing)
	admin := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: adminTime,
		ReadTimeout:       adminTime, // these requests have no body
		WriteTimeout:      adminTime, // of a probe; a page has pageTime
		MaxHeaderBytes:    a.cfg.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(a.cfg.Logger.Handler(), slog.LevelDebug),
	}
	admin.SetKeepAlivesEnabled(false)
	return admin
}

// adminTime bounds the request and the answer of a probe: the longest time that the probes of a pod
// commonly have.
const adminTime = 10 * time.Second

// adminConnections bounds the connections to the admin port: probes and a few scrapers and readers.
const adminConnections = 100

// serveHealth reports whether the process works. It fails while conversions run that only the end
// of the process can stop.
func (a *admin) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if err := a.overruns.err(time.Now()); err != nil {
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

// readiness reports whether the server is ready, and with ?verbose by which checks.
func (a *admin) readiness(verbose http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("verbose") {
			verbose.ServeHTTP(w, r)
		} else {
			a.serveReady(w, "")
		}
	}
}

// serveChecks lists the checks of readiness, in the form that Kubernetes' own servers use.
func (a *admin) serveChecks(w http.ResponseWriter, _ *http.Request) {
	var list strings.Builder
	for _, c := range a.cfg.Checks() {
		if c.Err != nil {
			fmt.Fprintf(&list, "[-]%s failed: %v\n", c.Name, c.Err)
		} else {
			fmt.Fprintf(&list, "[+]%s ok\n", c.Name)
		}
	}
	a.serveReady(w, list.String())
}

// serveReady reports whether the server is ready, after a list of checks.
func (a *admin) serveReady(w http.ResponseWriter, list string) {
	if err := a.life.state(); err != nil {
		page(w, http.StatusServiceUnavailable, list+err.Error()+"\n")
		return
	}
	page(w, http.StatusOK, list+"ready\n")
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
