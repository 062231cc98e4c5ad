package serve

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"time"
)

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
		}
	}
	if held, ok := c.quiet.allow(key, time.Now()); ok {
		c.log.Log(context.Background(), level, "connection failed", "err", string(bytes.TrimSpace(line)), "advice", advice, "unlogged", held)
	}
	return len(line), nil
}
