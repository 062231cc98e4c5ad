package module

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestLogFloodsAreCappedX14 has guests write 16 MB each: what reaches the log is a few kilobytes a
// call and a few lines a second, and the rest is counted.
func TestLogFloodsAreCappedX14(t *testing.T) {
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
		if dropped := testutil.ToFloat64(m.counters.metrics.logDropped); dropped < calls*15<<20 {
			t.Errorf("%s: %v bytes counted as dropped", file, dropped)
		}
	}
}

// TestLineWriterHoldsLittle: a line without an end takes no more than a call may log.
func TestLineWriterHoldsLittle(t *testing.T) {
	dropped, left := 0, 100
	w := &lineWriter{log: newGuestLog(slog.New(slog.DiscardHandler), func(n int) { dropped += n }), left: &left}
	for range 10 {
		w.write(make([]byte, 64))
	}
	if len(w.partial) != 100 || dropped != 540 || left != 0 {
		t.Errorf("%d bytes held, %d dropped, %d left", len(w.partial), dropped, left)
	}
}

// TestLogPace: a burst of lines, and then so many a second.
func TestLogPace(t *testing.T) {
	var log bytes.Buffer
	dropped := 0
	g := newGuestLog(slog.New(slog.NewTextHandler(&log, nil)), func(n int) { dropped += n })
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
		if ok := g.lines.AllowN(now, 1); ok != (i < logBurst) {
			t.Errorf("line %d an hour later: %v", i, ok)
		}
	}
	if !g.lines.AllowN(now.Add(time.Second/logPerSecond), 1) {
		t.Error("no line a tenth of a second later")
	}
}

// TestLogWhileLoading: until a module is loaded, its lines are at level debug, and its crash reports
// are not.
func TestLogWhileLoading(t *testing.T) {
	var log bytes.Buffer
	g := newGuestLog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), func(int) {})
	c := newCall(g, nil)
	logged := func() string {
		log.Reset()
		c.begin(context.Background(), 1, time.Hour, 64<<10)
		c.stderr.write([]byte("a warning\npanic: boom\n\ngoroutine 7 [running]:\n"))
		c.end()
		return log.String()
	}
	g.loading.Store(true)
	if got := logged(); !strings.Contains(got, `level=DEBUG msg="module log" text="a warning"`) || !strings.Contains(got, `level=ERROR msg="module log" text="panic: boom`) {
		t.Errorf("while it loads: %s", got)
	}
	g.loading.Store(false)
	if got := logged(); !strings.Contains(got, `level=WARN msg="module log" text="a warning"`) {
		t.Errorf("afterwards: %s", got)
	}
}

// TestLogOfAStart: a module that was started is still being loaded.
func TestLogOfAStart(t *testing.T) {
	m, err := testLoader(t, Limits{}).start(t.Context(), testName, fixture(t, "good_echo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if !m.program.log.loading.Load() {
		t.Error("after its start, a module counts as loaded")
	}
	m.Loaded(0)
	if m.program.log.loading.Load() {
		t.Error("a module is loaded, and its log does not know it")
	}
}

// TestCrashReportIsOneLogEntryX23: the lines of a crash report make one entry, at level error and
// bounded; the lines before it are entries of their own. The next call begins without it.
func TestCrashReportIsOneLogEntryX23(t *testing.T) {
	var log bytes.Buffer
	dropped := 0
	c := newCall(newGuestLog(slog.New(slog.NewTextHandler(&log, nil)), func(n int) { dropped += n }), nil)
	lines := func(report string) []string {
		log.Reset()
		dropped = 0
		c.begin(context.Background(), 1, time.Hour, 64<<10)
		c.stderr.write([]byte(report))
		c.end()
		return strings.Split(strings.TrimSpace(log.String()), "\n")
	}
	const goroutine = "\n\ngoroutine 7 [running]:\nmain.convert()\n\t/main.go:50 +0xcc\n"
	got := lines("a warning\npanic: boom" + goroutine)
	if len(got) != 2 || !strings.Contains(got[0], "level=WARN") || !strings.Contains(got[0], `text="a warning"`) ||
		!strings.Contains(got[1], "level=ERROR") || !strings.Contains(got[1], `text="panic: boom\n\ngoroutine 7 [running]:\nmain.convert()\n\t/main.go:50 +0xcc"`) || dropped != 0 {
		t.Errorf("%d dropped, logged %q", dropped, got)
	}
	long := "fatal error: x\n" + strings.Repeat(strings.TrimPrefix(goroutine, "\n"), 400)
	if got := lines(long); len(got) != 1 || len(got[0]) > 2*maxRefusal || dropped < len(long)-maxRefusal-1000 {
		t.Errorf("of %d bytes %d were dropped, and %d entries of %d bytes logged", len(long), dropped, len(got), len(got[0]))
	}
	if got := lines("spec.x: no\n"); len(got) != 1 || !strings.Contains(got[0], `level=WARN msg="module log" text="spec.x: no"`) {
		t.Errorf("the call after a crash logged %q", got)
	}
}

// TestCrashMessageHasTheCauseX23: the message of a crash is the line of its report that has the
// cause.
func TestCrashMessageHasTheCauseX23(t *testing.T) {
	for name, test := range map[string]struct {
		stdout, stderr, logged, want string
		memory                       bool
	}{
		"nothing":             {},
		"no report":           {stderr: "a warning\n"},
		"Go":                  {stderr: "panic: assignment to nil map\n\ngoroutine 1 [running]:\n\t/main.go:50 +0xcc\n", want: "panic: assignment to nil map"},
		"Go without an end":   {stderr: "panic: boom", want: "panic: boom"},
		"Go out of memory":    {stderr: "runtime: out of memory: cannot allocate 4194304-byte block\nfatal error: out of memory\n", want: "runtime: out of memory: cannot allocate 4194304-byte block", memory: true},
		"TinyGo, on stdout":   {stdout: "panic: runtime error: index out of range\n", want: "panic: runtime error: index out of range"},
		"Rust":                {stderr: "\nthread 'main' panicked at src/main.rs:2:5:\nno such field\nnote: run with\n", want: "thread 'main' panicked at src/main.rs:2:5: no such field"},
		"Rust out of memory":  {logged: "memory allocation of 16777216 bytes failed", want: "memory allocation of 16777216 bytes failed", memory: true},
		"the log comes first": {stderr: "panic: boom\n", logged: "two\nlines", want: "two lines"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCall(newGuestLog(slog.New(slog.DiscardHandler), func(int) {}), nil)
			c.begin(context.Background(), 1, time.Hour, 64<<10)
			c.stdout.write([]byte(test.stdout))
			c.stderr.write([]byte(test.stderr))
			if test.logged != "" {
				c.noteError([]byte(test.logged))
			}
			if got := c.lastWords(); got != test.want || saysOutOfMemory(got) != test.memory {
				t.Errorf("got %q, memory %v, want %q, %v", got, saysOutOfMemory(got), test.want, test.memory)
			}
			c.begin(context.Background(), 1, time.Hour, 64<<10)
			if got := c.lastWords(); got != "" {
				t.Errorf("the next call begins with %q", got)
			}
		})
	}
}
