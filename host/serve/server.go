package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// ServerConfig configures a Server. Fields without a stated default are required. Every zero
// duration and size means its default.
type ServerConfig struct {
	// Review answers one conversion review: (*Converter).Review. It must be done with body when it
	// returns and should return soon after ctx ends.
	Review func(ctx context.Context, body []byte) (answer []byte, outcome host.Outcome, err *host.RequestError)
	// Recycle is given each answer of Review that was sent, once nobody looks at it any more:
	// (*Converter).Recycle. A nil func leaves them to the garbage collector.
	Recycle func(answer []byte)
	// Ready returns the reason why reviews cannot be answered yet; nil when they can. Reviews are
	// rejected with 503 until it first returns nil or StartGrace is over; /readyz always reports
	// the current reason. A nil func is always ready.
	Ready func() error
	// Checks returns the checks that /readyz?verbose lists; a nil func lists none.
	Checks func() []Check
	// Early says whether a review may be converted before Ready returns nil: it is answered if
	// modules convert it by then, and put off like the others if they do not. A nil func says no.
	Early func() bool
	// Modules returns the content of /modules, for JSON. A nil func shows an empty list.
	Modules func() any
	// Shadow returns the content of /shadow, for JSON. A nil func shows an empty object.
	Shadow func() any
	// Page is served at / of the admin pages; nil means a list of them.
	Page http.Handler

	Certificates *Certificates
	Metrics      *Metrics
	Gatherer     prometheus.Gatherer // the metrics of /metrics; nil = the default gatherer
	Logger       *slog.Logger        // nil = none

	MaxBodyBytes         int64 // of one request; 0 = 64 MiB, three times 100,000 small objects
	MaxBodyBytesInFlight int64 // of all requests together, as buffers held; 0 = 256 MiB, and at least twice MaxBodyBytes
	// MaxAnswerBytesInFlight bounds the answers that are being made for large bodies, and those
	// that clients have not read yet; 0 = MaxBodyBytesInFlight.
	MaxAnswerBytesInFlight int64
	// MaxConnections bounds the connections for reviews; 0 = 1,000: ten API servers with as many
	// reviews as may wait, for each of which they open a connection. One takes some 50 KiB, and 16
	// KiB each for a body and an answer, see smallMessage.
	MaxConnections int

	MaxInFlight int // reviews converted at a time; 0 = 4 × GOMAXPROCS
	MaxQueue    int // reviews, and bodies, in the queue; 0 = 100, negative = none
	// QueueWait bounds the time in the queue; 0 = 1 s, the pause before a rejected review is
	// repeated.
	QueueWait time.Duration

	// ReviewTimeout bounds one review from its arrival; 0 = 25 s, the API server's 30 s minus the
	// time for sending the answer.
	ReviewTimeout time.Duration
	// StartGrace is how long after the start reviews are put off while Ready says no; 0 = 20 s: the
	// API server repeats a review 10 times, a second apart. Later ones are answered as failed, with
	// a message a user can read.
	StartGrace time.Duration

	// HeaderTimeout bounds the wait for the first headers on a connection; 0 = 100 s: API servers
	// keep connections that they made and did not need for 90 s, and would send a review into one
	// that is just being closed.
	HeaderTimeout  time.Duration
	MaxHeaderBytes int           // 0 = 16 KiB; API servers send less than 1 KiB
	ReadTimeout    time.Duration // the body; 0 = 30 s
	WriteTimeout   time.Duration // body, conversion and answer, and the TLS handshake; 0 = 40 s
	StallTimeout   time.Duration // each MiB of a body or an answer of more than 16 KiB; 0 = 10 s
	IdleTimeout    time.Duration // 0 = 120 s: longer than the 90 s an API server keeps a connection, so that it closes first

	// DrainDelay is how long reviews are still taken after the end is announced, each answer
	// closing its connection; 0 = 10 s, negative = none. It must be longer than every API server
	// needs to learn that the endpoint is gone.
	DrainDelay time.Duration
	// ShutdownTimeout bounds the wait for reviews under way after that; 0 = 25 s, as long as a
	// review may take.
	ShutdownTimeout time.Duration
}

// Server answers conversion reviews over TLS, and operators' questions over plain HTTP on another
// port. It rejects excess load early, with an answer that an API server retries, and it ends
// without failing a review. Run it once.
type Server struct {
	cfg     ServerConfig
	log     *slog.Logger
	metrics *Metrics
	bodies  *bodies
	answers *semaphore // its units are bytes
	slots   *semaphore
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

	s := &Server{
		cfg: cfg, log: cfg.Logger, metrics: cfg.Metrics,
		bodies:   &bodies{max: cfg.MaxBodyBytes, budget: newSemaphore(cfg.MaxBodyBytesInFlight, cfg.MaxQueue, cfg.QueueWait)},
		answers:  newSemaphore(cfg.MaxAnswerBytesInFlight, cfg.MaxQueue, cfg.QueueWait),
		slots:    newSemaphore(int64(cfg.MaxInFlight), cfg.MaxQueue, cfg.QueueWait),
		overruns: newOverruns(cfg.MaxInFlight), // as many as have slots
		quiet:    &throttle{every: time.Second},
		rare:     &throttle{every: time.Minute},
	}
	s.life.ready = cfg.Ready
	state := s.state
	s.metrics.state.Store(&state)
	return s, nil
}

func (cfg *ServerConfig) setDefaults() {
	orDuration := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	orDuration(&cfg.QueueWait, time.Second)
	orDuration(&cfg.ReviewTimeout, 25*time.Second)
	orDuration(&cfg.StartGrace, 20*time.Second)
	orDuration(&cfg.HeaderTimeout, 100*time.Second)
	orDuration(&cfg.ReadTimeout, 30*time.Second)
	orDuration(&cfg.WriteTimeout, 40*time.Second)
	orDuration(&cfg.StallTimeout, 10*time.Second)
	orDuration(&cfg.IdleTimeout, 120*time.Second)
	orDuration(&cfg.DrainDelay, 10*time.Second)
	orDuration(&cfg.ShutdownTimeout, 25*time.Second)
	if cfg.MaxBodyBytes == 0 {
		cfg.MaxBodyBytes = 64 << 20
	}
	if cfg.MaxBodyBytesInFlight == 0 {
		cfg.MaxBodyBytesInFlight = max(256<<20, buffersFor(cfg.MaxBodyBytes))
	}
	if cfg.MaxAnswerBytesInFlight == 0 {
		cfg.MaxAnswerBytesInFlight = cfg.MaxBodyBytesInFlight
	}
	if cfg.MaxConnections == 0 {
		cfg.MaxConnections = 1000
	}
	if cfg.MaxInFlight == 0 {
		cfg.MaxInFlight = 4 * runtime.GOMAXPROCS(0)
	}
	if cfg.MaxQueue == 0 {
		cfg.MaxQueue = 100
	}
	if cfg.MaxHeaderBytes == 0 {
		cfg.MaxHeaderBytes = 16 << 10
	}
	if cfg.Recycle == nil {
		cfg.Recycle = func([]byte) {}
	}
	if cfg.Ready == nil {
		cfg.Ready = func() error { return nil }
	}
	if cfg.Checks == nil {
		cfg.Checks = func() []Check { return nil }
	}
	if cfg.Early == nil {
		cfg.Early = func() bool { return false }
	}
	if cfg.Modules == nil {
		cfg.Modules = func() any { return []any{} }
	}
	if cfg.Shadow == nil {
		cfg.Shadow = func() any { return struct{}{} }
	}
	if cfg.Gatherer == nil {
		cfg.Gatherer = prometheus.DefaultGatherer
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
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
		pages := limitConnections(admin, adminConnections, func() {})
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
	reviews, waiting := s.slots.load()
	buffers, _ := s.bodies.budget.load()
	answers, _ := s.answers.load()
	connections := 0
	if limited := s.limited.Load(); limited != nil {
		connections = limited.count()
	}
	return serverState{
		ready: flag(s.life.state() == nil), draining: flag(s.life.draining()),
		reviews: float64(reviews), reviewsLimit: float64(s.slots.limit), waiting: float64(waiting),
		buffers: float64(buffers), buffersLimit: float64(s.bodies.budget.limit),
		answers: float64(answers), answersLimit: float64(s.answers.limit),
		connections: float64(connections),
	}
}

// tooMany logs that connections had to go.
func (s *Server) tooMany() {
	if held, ok := s.quiet.allow("connections", time.Now()); ok {
		s.log.Warn("too many connections; closing unused and idle ones", "most", s.cfg.MaxConnections, "unlogged", held)
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
