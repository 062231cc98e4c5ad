package module

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// guestLog writes the log messages of a module's instances to the gateway's log: the log import,
// and the lines of stdout and stderr. A guest cannot flood it: each call has a limit in bytes, and
// each module a limit in lines a second. The module's instances share it.
type guestLog struct {
	logger  *slog.Logger
	dropped func(bytes int) // called with the number of bytes that a limit dropped

	lines *rate.Limiter

	// loading is set while the module starts and passes its golden cases. Its lines are then at level
	// debug, but for crash reports: they tell of made-up objects, which an operator would look for.
	loading atomic.Bool
}

// A module may log a burst of lines and then so many a second; more lines would add no information
// and fill the disk.
const (
	logBurst     = 50
	logPerSecond = 10
)

func newGuestLog(logger *slog.Logger, dropped func(bytes int)) *guestLog {
	return &guestLog{logger: logger, dropped: dropped, lines: rate.NewLimiter(logPerSecond, logBurst)}
}

// line writes a line that the guest wrote or logged.
func (g *guestLog) line(level slog.Level, message []byte) {
	if g.loading.Load() {
		level = slog.LevelDebug
	}
	g.entry(level, message)
}

func (g *guestLog) entry(level slog.Level, message []byte) {
	if len(message) == 0 || !g.logger.Enabled(context.Background(), level) {
		return
	}
	if !g.lines.Allow() {
		g.dropped(len(message))
		return
	}
	g.logger.Log(context.Background(), level, "module log", "text", foreign.Clean(message, maxRefusal))
}

// lineWriter turns a guest's stdout or stderr into log lines. It belongs to one instance. Writing
// never fails, because a guest would see the error and could act on it.
type lineWriter struct {
	log     *guestLog
	level   slog.Level
	left    *int // bytes the current call may still log; shared by the writers of an instance
	partial []byte
	last    []byte // the last whole line, for the message of a failed command
	keep    bool   // whether to store last
	report  []byte // a crash report from its first line on, see beginsReport; at most maxRefusal bytes
}

// keeps returns the part of p within the limit; write drops the rest.
func (w *lineWriter) keeps(p []byte) []byte { return p[:min(len(p), *w.left)] }

func (w *lineWriter) write(p []byte) {
	kept := w.keeps(p)
	if len(kept) < len(p) {
		w.log.dropped(len(p) - len(kept))
	}
	*w.left -= len(kept)
	for len(kept) > 0 {
		line, rest, found := bytes.Cut(kept, []byte{'\n'})
		w.partial = append(w.partial, line...)
		if !found {
			break
		}
		w.flush()
		kept = rest
	}
}

// flush ends the current line. It collects the lines of a crash report.
func (w *lineWriter) flush() {
	switch {
	case len(w.report) > 0 || beginsReport(w.partial):
		line := append(w.partial, '\n')
		n := min(len(line), maxRefusal-len(w.report))
		w.report = append(w.report, line[:n]...)
		if n < len(line) {
			w.log.dropped(len(line) - n)
		}
	case len(bytes.TrimSpace(w.partial)) > 0:
		w.log.line(w.level, w.partial)
		if w.keep {
			w.last = append(w.last[:0], w.partial...)
		}
	}
	w.partial = w.partial[:0]
}

// end writes the rest at the end of a call: the current line, and a crash report as one entry.
func (w *lineWriter) end() {
	w.flush()
	w.log.entry(slog.LevelError, w.report)
}

// begin discards the output of an earlier call.
func (w *lineWriter) begin() { w.partial, w.last, w.report = w.partial[:0], w.last[:0], w.report[:0] }

// saysOutOfMemory reports whether a guest's crash text is a failed allocation, as Go, TinyGo,
// QuickJS, Nim and Rust write it.
func saysOutOfMemory(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "out of memory") ||
		strings.Contains(said, "memory allocation of ") && strings.Contains(said, " failed")
}

// beginsReport reports whether a line of stderr or stdout is the first of a crash report of Go,
// TinyGo or Rust.
func beginsReport(line []byte) bool {
	for _, prefix := range []string{"panic: ", "fatal error: ", "runtime: out of memory"} {
		if bytes.HasPrefix(line, []byte(prefix)) {
			return true
		}
	}
	return bytes.HasPrefix(line, []byte("thread '")) && bytes.Contains(line, []byte(" panicked at "))
}

// reportSummary returns the line of a crash report with the message. Rust writes the location on a
// separate line before it.
func reportSummary(report []byte) string {
	first, rest, _ := strings.Cut(foreign.Clean(report, maxRefusal), "\n")
	if strings.HasSuffix(first, ":") {
		second, _, _ := strings.Cut(rest, "\n")
		first += " " + second
	}
	return strings.TrimSpace(first)
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
