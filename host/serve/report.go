package serve

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// maxLogged is how many bytes of a text from a client a log line shows.
const maxLogged = 128

// report counts and logs the work of a server. It counts every event, and logs those that can occur
// a thousand times a second once in an interval. It is safe for concurrent use.
type report struct {
	log     *slog.Logger
	metrics *Metrics
	quiet   throttle // of lines about failures and rejections
	rare    throttle // of lines about schemas
}

func newReport(log *slog.Logger, metrics *Metrics) *report {
	return &report{log: log, metrics: metrics, quiet: throttle{every: time.Second}, rare: throttle{every: time.Minute}}
}

// rejected reports a request that gets no ConversionReview. account is empty unless its body was
// read. API servers keep the text of most rejections to themselves, so the log has to say it.
func (p *report) rejected(r *http.Request, e *rejection, account string, read bool) {
	code := codeLabel(e.status)
	p.metrics.rejected.WithLabelValues(code).Inc()
	if e.status == http.StatusTooManyRequests && read {
		p.metrics.turnAway(account, e.message)
	}
	if held, ok := p.quiet.allow(code, time.Now()); ok {
		p.log.Warn("request rejected", "code", e.status, "err", e.message, "client", r.RemoteAddr,
			"method", r.Method, "path", foreign.Shorten(r.URL.Path, maxLogged), "unlogged", held)
	}
}

// answered reports a review that was answered.
func (p *report) answered(ctx context.Context, o *host.Outcome, took time.Duration) {
	p.metrics.review(o, took)
	if o.Failure == "" && o.Violation != "" {
		p.violation(o)
	}
	if o.Failure == "" && o.UncheckedCause != "" {
		p.unchecked(o)
	}
	level, text, held := slog.LevelDebug, "review converted", 0
	if o.Failure != "" {
		var ok bool
		if held, ok = p.quiet.allow(o.Failure+" "+o.Kind+"."+o.Group, time.Now()); !ok {
			return
		}
		level, text = slog.LevelWarn, "review failed"
	}
	if p.log.Enabled(ctx, level) {
		p.log.Log(ctx, level, text, "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To, "uid", foreign.Shorten(o.UID, maxLogged),
			"objects", o.Objects, "reason", o.Failure, "module", o.Module, "err", o.Message, "took", took, "unlogged", held)
	}
}

// violation logs that a converted object breaks its schema: one of them a minute for each kind and
// version, for a list has thousands that are wrong in the same way.
func (p *report) violation(o *host.Outcome) {
	if held, ok := p.rare.allow(o.To+" "+o.Kind+"."+o.Group, time.Now()); ok {
		p.log.Warn("converted object breaks the schema", "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To, "uid", foreign.Shorten(o.UID, maxLogged),
			"err", o.Violation, "invalid", o.Invalid, "pruned", o.Pruned, "unlogged", held)
	}
}

// unchecked logs that an object was not checked against all of its schema: one of them a minute for
// each kind and version.
func (p *report) unchecked(o *host.Outcome) {
	if held, ok := p.rare.allow("unchecked "+o.To+" "+o.Kind+"."+o.Group, time.Now()); ok {
		p.log.Warn("converted object was not checked against all of its schema", "kind", o.Kind, "group", o.Group, "from", o.From, "to", o.To,
			"uid", foreign.Shorten(o.UID, maxLogged), "err", o.UncheckedCause, "objects", o.Unchecked, "unlogged", held)
	}
}

// overdue reports a conversion that did not end after its deadline; running counts all such.
func (p *report) overdue(took time.Duration, running int) {
	p.metrics.overdue.Inc()
	if held, ok := p.quiet.allow("overdue", time.Now()); ok {
		p.log.Error("a conversion ran past its deadline; this is a bug", "took", took, "running", running, "unlogged", held)
	}
}

// panicked reports a panic. Call it in the deferred function that recovered.
func (p *report) panicked(value any) {
	p.metrics.panics.Inc()
	p.log.Error("panic recovered; this is a bug", "err", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// evicted reports that a connection of a client was closed, because there are most of them.
func (p *report) evicted(client string, most int) {
	if held, ok := p.quiet.allow("connections", time.Now()); ok {
		p.log.Warn("too many connections; closing stalled, unused and idle ones", "most", most, "client", client, "unlogged", held)
	}
}

// maxThrottled bounds the remembered keys. They come from small fixed sets, so the bound is never
// reached; if it were, the throttle would forget all of them.
const maxThrottled = 1000

// throttle allows one event of each key in every interval, so that a failure that occurs a thousand
// times a second does not fill a disk with log lines. The metrics count every event. It is safe for
// concurrent use.
type throttle struct {
	every time.Duration

	mu   sync.Mutex // guards keys
	keys map[string]*throttled
}

type throttled struct {
	limiter *rate.Limiter
	dropped int
}

// allow reports whether the event may pass now, and how many events of its key were dropped since
// the last that passed.
func (t *throttle) allow(key string, now time.Time) (dropped int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.keys[key]
	if k == nil {
		if t.keys == nil || len(t.keys) >= maxThrottled {
			t.keys = map[string]*throttled{}
		}
		k = &throttled{limiter: rate.NewLimiter(rate.Every(t.every), 1)}
		t.keys[key] = k
	}
	if !k.limiter.AllowN(now, 1) {
		k.dropped++
		return 0, false
	}
	dropped, k.dropped = k.dropped, 0
	return dropped, true
}

// connectionLog receives net/http's reports of connections that failed before there was a request.
func (p *report) connectionLog() *log.Logger { return log.New(connectionLog{p}, "", 0) }

type connectionLog struct{ *report }

// Write takes one line. A handshake that failed is counted, and explained if it is the one that a
// wrong caBundle causes; a connection that ended without a word (a probe, a port scan) is not worth
// a line.
func (c connectionLog) Write(line []byte) (int, error) {
	level, advice, key := slog.LevelWarn, "", "connection"
	if bytes.Contains(line, []byte("TLS handshake error")) {
		c.metrics.handshakeErrors.Inc()
		key = "handshake"
		switch {
		case bytes.HasSuffix(bytes.TrimSpace(line), []byte(": EOF")):
			level, key = slog.LevelDebug, "probe"
		case bytes.Contains(line, []byte("remote error: tls: bad certificate")), bytes.Contains(line, []byte("remote error: tls: unknown certificate")):
			key = "untrusted"
			advice = "the client does not trust the certificate: the caBundle in the CRD must hold the CA that signed it, and the certificate must name the service"
			c.metrics.untrusted.Store(&Failure{At: time.Now(), Message: advice + ": " + foreign.Shorten(string(bytes.TrimSpace(line)), maxLogged)})
		}
	}
	if held, ok := c.quiet.allow(key, time.Now()); ok {
		c.log.Log(context.Background(), level, "connection failed", "err", string(bytes.TrimSpace(line)), "advice", advice, "unlogged", held)
	}
	return len(line), nil
}
