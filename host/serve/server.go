package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

// Server answers conversion reviews over TLS, and operators' questions over plain HTTP on another
// port. It rejects excess load early, with an answer that an API server retries, and it ends
// without failing a review. Run it once.
type Server struct {
	cfg     ServerConfig
	log     *slog.Logger
	metrics *Metrics
	bodies  *bodies
	answers *fair.Semaphore // its units are bytes
	slots   *fair.Semaphore
	quiet   *throttle // of lines about failures and rejections
	rare    *throttle // of lines about schemas
	life    life

	overruns *overruns
	requests atomic.Int64                // whose handlers have not returned
	limited  atomic.Pointer[connections] // nil until it runs
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

	limit := func(units int64, owners bool, overShare func(fair.Claim)) *fair.Semaphore {
		return fair.NewSemaphore(fair.Config{Limit: units, MaxWaiting: cfg.MaxQueue, Wait: cfg.QueueWait, Owners: owners, OverShare: overShare})
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger, metrics: cfg.Metrics,
		bodies:   &bodies{max: cfg.MaxBodyBytes, budget: limit(cfg.MaxBodyBytesInFlight, false, nil)},
		answers:  limit(cfg.MaxAnswerBytesInFlight, cfg.Owner != nil, nil),
		slots:    limit(int64(cfg.MaxInFlight), cfg.Owner != nil, cfg.Metrics.overShare),
		overruns: newOverruns(cfg.MaxInFlight), // as many as have slots
		quiet:    &throttle{every: time.Second},
		rare:     &throttle{every: time.Minute},
	}
	s.life.ready = cfg.Ready
	state := s.state
	s.metrics.state.Store(&state)
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
	limited := limitConnections(reviews, s.cfg.MaxConnections, s.tooMany)
	s.limited.Store(limited)
	front := s.reviewServer(base, limited)
	back := s.adminServer()
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
	return s.drain(front)
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
		buffers: float64(buffers), buffersLimit: float64(s.bodies.budget.Limit()),
		answers: float64(answers), answersLimit: float64(s.answers.Limit()),
		connections: float64(connections),
	}
}

// tooMany logs that a connection of a client was evicted.
func (s *Server) tooMany(client string) {
	if held, ok := s.quiet.allow("connections", time.Now()); ok {
		s.log.Warn("too many connections; closing stalled, unused and idle ones", "most", s.cfg.MaxConnections, "client", client, "unlogged", held)
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
		ErrorLog:          s.connectionLog(),
		ConnState:         l.changed,
		ConnContext:       withConnection,
	}
}
