package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

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
		p.metrics.turnedAway.WithLabelValues(p.metrics.accountLabel(account)).Inc()
	}
	if held, ok := p.quiet.allow(code, time.Now()); ok {
		p.log.Warn("request rejected", "code", e.status, "err", e.message, "client", r.RemoteAddr,
			"method", r.Method, "path", foreign.Shorten(r.URL.Path, maxLogged), "unlogged", held)
	}
}

// answered reports a review that was answered, with the sizes of body and answer.
func (p *report) answered(ctx context.Context, o *host.Outcome, took time.Duration, body, answer int) {
	p.metrics.review(o, took, body, answer)
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
