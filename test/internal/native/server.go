package native

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
)

// Server serves a handler over TLS on a free port of 127.0.0.1, and counts.
type Server struct {
	URL      string       // with the path that a CRD's clientConfig.url has
	Requests atomic.Int64 // that came so far

	server *httptest.Server
}

// Start starts a server with a certificate of the authority. Close it.
func Start(authority *certs.Authority, handler http.Handler) (*Server, error) {
	certificate, key, err := authority.Issue("127.0.0.1", "localhost")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	s.server.EnableHTTP2 = true
	s.server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.server.StartTLS()
	s.URL = s.server.URL + "/convert"
	return s, nil
}

// Addr is the host:port it listens on.
func (s *Server) Addr() string { return s.server.Listener.Addr().(*net.TCPAddr).String() }

// Close stops the server.
func (s *Server) Close() { s.server.Close() }
