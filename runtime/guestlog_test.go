package runtime

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestX14FloodsAreCapped has guests write 16 MB each: what reaches the log is a few kilobytes a call and a few lines a second, and the
// rest is counted.
func TestX14FloodsAreCapped(t *testing.T) {
	for _, file := range []string{"x14_log", "x14_stdout"} {
		var log bytes.Buffer
		limits := smallLimits
		limits.LogBytes = 4 << 10
		l := testLoader(t, limits)
		l.logger = slog.New(slog.NewTextHandler(&log, nil))
		m := loadFixture(t, l, file)
		const calls = 5
		for range calls {
			if _, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		if n := log.Len(); n > calls*(limits.LogBytes+1<<10) {
			t.Errorf("%s: %d bytes of log for %d calls", file, n, calls)
		}
		if dropped := testutil.ToFloat64(m.metrics.logDropped); dropped < calls*15<<20 {
			t.Errorf("%s: %v bytes counted as dropped", file, dropped)
		}
	}
}

// TestLineWriterHoldsLittle: a line without an end takes no more than a call may log, and writing never fails.
func TestLineWriterHoldsLittle(t *testing.T) {
	dropped, left := 0, 100
	w := &lineWriter{log: &guestLog{logger: slog.New(slog.DiscardHandler), dropped: func(n int) { dropped += n }}, left: &left}
	for range 10 {
		if n, err := w.Write(make([]byte, 64)); n != 64 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if len(w.partial) != 100 || dropped != 540 || left != 0 {
		t.Errorf("%d bytes held, %d dropped, %d left", len(w.partial), dropped, left)
	}
}

// TestLogPace: a burst of lines, and then so many a second.
func TestLogPace(t *testing.T) {
	var log bytes.Buffer
	dropped := 0
	g := &guestLog{logger: slog.New(slog.NewTextHandler(&log, nil)), dropped: func(n int) { dropped += n }}
	began := time.Now()
	for range 3 * logBurst {
		g.line(slog.LevelInfo, []byte("again"))
	}
	most := logBurst + 1 + int(time.Since(began).Seconds()*logPerSecond)
	if lines := strings.Count(log.String(), "text=again"); lines < logBurst || lines > most || lines*5+dropped != 3*logBurst*5 {
		t.Errorf("%d lines of %d, want %d to %d; %d bytes dropped", lines, 3*logBurst, logBurst, most, dropped)
	}
	now := time.Now().Add(time.Hour)
	for i := range logBurst + 1 {
		if ok := g.allow(now); ok != (i < logBurst) {
			t.Errorf("line %d an hour later: %v", i, ok)
		}
	}
	if !g.allow(now.Add(time.Second / logPerSecond)) {
		t.Error("no line a tenth of a second later")
	}
}
