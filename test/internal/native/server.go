package native

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"

	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
)

// Server serves a handler over TLS on a free port of 127.0.0.1.
type Server struct {
	URL string // with the path that a CRD's clientConfig.url has

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
	s := &Server{server: httptest.NewUnstartedServer(handler)}
	s.server.EnableHTTP2 = true
	s.server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.server.StartTLS()
	s.URL = s.server.URL + "/convert"
	return s, nil
}

// Close stops the server.
func (s *Server) Close() { s.server.Close() }
