package serve

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// ServerConfig configures a Server. Fields without a stated default are required. Every zero
// duration and size means its default.
type ServerConfig struct {
	// Review answers one conversion review: (*Converter).Review. It must be done with body when it
	// returns and should return soon after ctx ends. The sender receives an error with HTTP status
	// 400.
	Review func(ctx context.Context, body []byte) (answer []byte, outcome host.Outcome, err error)
	// Account returns whose share of the gateway a review uses, by the first 16 KiB of its body:
	// (*Converter).Account. A nil func knows one account.
	Account func(begin []byte) string
	// Namespace returns the part of an account that a review belongs to, by its body:
	// (*Converter).Namespace. A nil func knows none: the account is not divided.
	Namespace func(body []byte) string
	// Owner returns whose modules serve an account, with its own share of the gateway. A nil func
	// knows no owners: each account has its share.
	Owner func(account string) string
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
	// modules convert it by then, and rejected with 503 like the others if they do not. A nil func
	// says no.
	Early func() bool
	// Modules returns the content of /modules, for JSON. A nil func shows an empty list.
	Modules func() any
	// Page is served at / of the admin pages; nil means a list of them.
	Page http.Handler

	// Docs is served below /docs/ of the admin pages; nil means nothing. It answers from memory: what it
	// does for a request is charged to nobody.
	Docs http.Handler

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

	// MaxInFlight bounds the reviews converted at a time; 0 = 8 × GOMAXPROCS. One account may have
	// half of them, and n accounts leave room for the next; see package fair.
	MaxInFlight int
	// MaxQueue bounds the reviews, and bodies, in the queue; 0 = 200, negative = none. One account
	// may have half of the places.
	MaxQueue int
	// QueueWait bounds the time in the queue; 0 = 1 s, the pause before a rejected review is
	// repeated.
	QueueWait time.Duration

	// ReviewTimeout bounds one review from its arrival; 0 = 25 s, the API server's 30 s minus the
	// time for sending the answer.
	ReviewTimeout time.Duration
	// StartGrace is how long after the start reviews are rejected while Ready returns an error;
	// 0 = 20 s: the API server repeats a review 10 times, a second apart. Later reviews get a
	// failure with a message that a user can read.
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

// Check is one of the conditions of readiness.
type Check struct {
	Name string
	Err  error // nil if the condition is met
}

// setDefaults replaces each zero field by its default.
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
		cfg.MaxInFlight = 8 * runtime.GOMAXPROCS(0)
	}
	if cfg.MaxQueue == 0 {
		cfg.MaxQueue = 200
	}
	if cfg.MaxHeaderBytes == 0 {
		cfg.MaxHeaderBytes = 16 << 10
	}
	if cfg.Account == nil {
		cfg.Account = func([]byte) string { return "" }
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
	if cfg.Gatherer == nil {
		cfg.Gatherer = prometheus.DefaultGatherer
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
}
