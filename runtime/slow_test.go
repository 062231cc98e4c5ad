package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/load"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// endless are limits under which the start of m09_start_spin never ends by itself.
func endless() module.Limits {
	limits := smallLimits
	limits.FuelToLoad, limits.LoadTime, limits.CompileTime = 1<<50, time.Hour, time.Hour
	return limits
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestSlowFilesDelayNoOthersW18: six files whose start never ends, all smaller than a good one and
// loaded before it, neither keep the good one from serving nor the registry from being ready;
// everything says that they are being loaded, and since when.
func TestSlowFilesDelayNoOthersW18(t *testing.T) {
	log := &lockedBuffer{}
	f := &following{t: t, dir: t.TempDir()}
	for i := range 6 {
		f.put(fmt.Sprintf("Bad%d.g_v1_v2.wasm", i), "m09_start_spin")
	}
	f.put("K.g_v1_v3_v9.wasm", "m09_start_spin") // of the good one's kind
	f.put("K.g_v1_v2.wasm", "good_echo")
	began := time.Now()
	f.run(Config{Limits: endless(), StartGrace: 500 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil))})
	f.until("the good module", func() bool { return f.module("v1", "v2") != nil })
	for i := range 7 {
		file := fmt.Sprintf("Bad%d.g_v1_v2.wasm", i)
		if i == 6 {
			file = "K.g_v1_v3_v9.wasm"
		}
		st := f.status(file)
		if st.State != StateLoading || st.LoadingSince == nil || st.LoadingSince.Before(began) || st.LastError != "" {
			t.Errorf("%s: %+v", file, st)
		}
		if text := log.String(); !strings.Contains(text, `msg="loading module" module=`+file) {
			t.Errorf("no log line says that %s is being loaded: %s", file, text)
		}
	}
	if file, since := f.Loading("g", "Bad3"); file != "Bad3.g_v1_v2.wasm" || since.Before(began) {
		t.Errorf("being loaded for Bad3: %q since %v", file, since)
	}
	if file, _ := f.Loading("g", "Other"); file != "" {
		t.Errorf("being loaded for Other: %q", file)
	}
}

// children returns how many child processes this process has: its vetting children.
func children() (n int) {
	threads, _ := filepath.Glob("/proc/self/task/*/children")
	for _, thread := range threads {
		pids, _ := os.ReadFile(thread) // of a thread that is gone: none
		n += len(strings.Fields(string(pids)))
	}
	return n
}

// TestSlowFileGivesWayToNewContentW18: content that was put last gives way to new content, whose
// only vetting child it holds; it is not forgotten, and goes when its file goes or changes.
func TestSlowFileGivesWayToNewContentW18(t *testing.T) {
	const slow = "Bad.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir()}
	f.put(slow, "m09_start_spin")
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(2)) // one vetting child at a time
	f.run(Config{Limits: endless(), Vet: true, StartGrace: 500 * time.Millisecond})
	endlessTry := func(base string) {
		t.Helper()
		f.until("the end of its first try", func() bool {
			f.queue.mu.Lock()
			defer f.queue.mu.Unlock()
			j := f.queue.jobs[base]
			if j.overran > 0 {
				j.overran = 20
			}
			return j.overran > 0
		})
		f.until("a try without end", func() bool {
			f.queue.mu.Lock()
			defer f.queue.mu.Unlock()
			return f.queue.slow != nil && f.queue.tryTime(f.queue.slow) == 0 && children() == 1
		})
	}
	endlessTry("Bad.g_v1_v2")
	f.put("K.g_v1_v2.wasm", "good_echo")
	f.until("the new module", func() bool { return f.module("v1", "v2") != nil })
	if st := f.status(slow); st.State != StateLoading || st.LastError != "" {
		t.Errorf("what gave way: %+v", st)
	}

	endlessTry("Bad.g_v1_v2")
	f.put(slow, "good_echo")
	f.until("the mended file", func() bool { return f.status(slow).State == StateServing })

	f.put("Bad.g_v1_v3.wasm", "m09_start_spin")
	f.until("a slow file", func() bool { return f.status("Bad.g_v1_v3.wasm").State == StateLoading })
	endlessTry("Bad.g_v1_v3")
	f.remove("Bad.g_v1_v3.wasm")
	f.until("a slow file to be forgotten", func() bool { return f.status("Bad.g_v1_v3.wasm").State == "" })
	f.until("its try to be ended", func() bool {
		f.queue.mu.Lock()
		defer f.queue.mu.Unlock()
		return f.queue.slow == nil && len(f.queue.jobs) == 0
	})
}

// TestBusyStartIsTriedSoon: content that could not be started because the machine was busy is not
// refused, but put last; if that does not help, it is tried again within seconds, however often it
// failed.
func TestBusyStartIsTriedSoon(t *testing.T) {
	r, busy := resting(t), &load.BusyError{Err: errors.New("too late")}
	fresh := jobOf(t, "K.g_v1_v2", 1)
	r.queue.update(nil, []*job{fresh}, nil)
	j, _, end := r.queue.next(t.Context())
	if done := r.queue.finish(j, nil, busy, end(), nil); len(done) != 0 || !fresh.slow() || r.queue.pending()[fresh.name.Base] != fresh {
		t.Errorf("not postponed: %+v", fresh)
	}
	s := r.state.entry(fresh.name.Base)
	for range 20 {
		now := time.Now()
		r.state.record(&job{name: fresh.name, file: fresh.file, err: busy}, now)
		if pause := s.failure.retryAt.Sub(now); pause > retryBusy {
			t.Fatalf("try %d comes after %v", s.failure.tries+1, pause)
		}
	}
}
