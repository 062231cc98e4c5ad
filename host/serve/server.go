package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// Server answers conversion reviews over TLS, and operators' questions over plain HTTP on another
// port. It rejects excess load early, with an answer that an API server retries, and it ends
// without failing a review. Run it once.
type Server struct {
	*handler
	admin   *admin
	cfg     *ServerConfig
	life    *life
	log     *slog.Logger
	limited atomic.Pointer[connections] // nil until it runs

	handshakes *fair.Semaphore
}

// NewServer checks the configuration.
//
// # Errors
//
// One for each field that is missing or contradicts another.
func NewServer(cfg ServerConfig) (*Server, error) {
	for _, missing := range []struct {
		name string
		is   bool
	}{
		{"Review", cfg.Review == nil}, {"Certificates", cfg.Certificates == nil}, {"Metrics", cfg.Metrics == nil},
	} {
		if missing.is {
			return nil, fmt.Errorf("server config: %s is missing", missing.name)
		}
	}
	cfg.setDefaults()
	if cfg.MaxBodyBytes > LargestBody {
		return nil, fmt.Errorf("server config: MaxBodyBytes is %d; it must be at most %d", cfg.MaxBodyBytes, int64(LargestBody))
	}
	if need := buffersFor(cfg.MaxBodyBytes); cfg.MaxBodyBytesInFlight < need {
		return nil, fmt.Errorf("server config: MaxBodyBytesInFlight is %d, too small for bodies of MaxBodyBytes %d: at least %d are needed",
			cfg.MaxBodyBytesInFlight, cfg.MaxBodyBytes, need)
	}

	life, report := &life{ready: cfg.Ready}, newReport(cfg.Logger, cfg.Metrics)
	handler := newHandler(&cfg, life, report)
	s := &Server{
		handler: handler, admin: &admin{cfg: &cfg, life: life, overruns: handler.overruns},
		cfg: &cfg, life: life, log: cfg.Logger, handshakes: newHandshakes(cfg.MaxConnections, cfg.WriteTimeout),
	}
	state := s.state
	cfg.Metrics.state.Store(&state)
	return s, nil
}

// Run serves reviews and, unless it is nil, the admin pages on listeners that it closes, until ctx
// ends; then it drains (see drain). The error is nil if the drain did not cut off any review.
//
// # Errors
//
//   - a listener failed while serving.
//   - reviews were cut off because they outlasted ShutdownTimeout.
func (s *Server) Run(ctx context.Context, reviews, admin net.Listener) error {
	// Reviews outlive ctx: they end with the drain.
	base, cut := context.WithCancel(context.Background())
	defer cut()
	most := s.cfg.MaxConnections
	limited := limitConnections(reviews, most, func(client string) { s.report.evicted(client, most) })
	limited.handshakes = s.handshakes
	s.limited.Store(limited)
	front := s.reviewServer(base, limited)
	back := s.admin.server()
	s.life.begin(s.cfg.StartGrace)

	failed := make(chan error, 2) // one from each goroutine, which ends when its server is shut down or closed
	go func() {
		if err := front.ServeTLS(limited, "", ""); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serving reviews on %s: %w", reviews.Addr(), err)
		}
	}()
	if admin != nil {
		pages := limitConnections(admin, adminConnections, func(string) {})
		back.ConnState = pages.changed
		go func() {
			if err := back.Serve(pages); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serving admin pages on %s: %w", admin.Addr(), err)
			}
		}()
	}
	defer back.Close() // last, so that /readyz and /metrics answer until the end

	select {
	case err := <-failed:
		front.Close()
		return err
	case <-ctx.Done():
	}
	return s.drain(front, limited)
}

// state returns the server's state for a scrape.
func (s *Server) state() serverState {
	flag := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	reviews, waiting := s.slots.Load()
	buffers, _ := s.bodies.budget.Load()
	answers, _ := s.answers.Load()
	connections := 0
	if limited := s.limited.Load(); limited != nil {
		connections = limited.count()
	}
	return serverState{
		ready: flag(s.life.state() == nil), draining: flag(s.life.draining()),
		reviews: float64(reviews), reviewsLimit: float64(s.slots.Limit()), waiting: float64(waiting),
		buffers: float64(buffers), answers: float64(answers),
		connections: float64(connections),
	}
}

func (s *Server) reviewServer(base context.Context, l *connections) *http.Server {
	// API servers speak HTTP/1.1 to services, and to a URL on localhost if HTTP/2 is not offered.
	// Without HTTP/2 no client can open and reset streams rapidly, and the bound on connections
	// bounds the requests.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           http.HandlerFunc(s.serveReview),
		Protocols:         protocols,
		TLSConfig:         s.cfg.Certificates.tlsConfig(),
		ReadHeaderTimeout: s.cfg.HeaderTimeout,
		WriteTimeout:      s.cfg.WriteTimeout, // the handler sets the deadline for the body
		IdleTimeout:       s.cfg.IdleTimeout,
		MaxHeaderBytes:    s.cfg.MaxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          s.report.connectionLog(),
		ConnState:         l.changed,
		ConnContext:       withConnection,
	}
}
