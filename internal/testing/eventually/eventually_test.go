package eventually

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a test whose failure is the wanted result.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestTrue(t *testing.T) {
	for _, tc := range []struct {
		name  string
		after time.Duration
		want  string
	}{
		{"at once", 0, ""},
		{"late", Limit - time.Second, ""},
		{"never", 10 * Limit, "waited 5m0s for the event: it did not happen"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, began, done := &failing{TB: t}, time.Now(), make(chan struct{})
				go func() { // ends with the wait
					defer close(done)
					True(f, "the event", func() bool { return time.Since(began) >= tc.after })
				}()
				<-done
				if took := time.Since(began); f.message != tc.want || took < min(tc.after, Limit) || took > min(tc.after, Limit)+time.Second {
					t.Errorf("after %v: %q, want %q", took, f.message, tc.want)
				}
			})
		})
	}
}

func TestSucceedsReportsLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, tries, done := &failing{TB: t}, 0, make(chan struct{})
		go func() { // ends with the wait
			defer close(done)
			Succeeds(f, "an answer", func() error { tries++; return errors.New(fmt.Sprint("try ", tries)) })
		}()
		<-done
		if want := fmt.Sprintf("waited 5m0s for an answer: try %d", tries); f.message != want {
			t.Errorf("%q, want %q", f.message, want)
		}
	})
}

// TestBefore: the clock decides, and not the time that passes.
func TestBefore(t *testing.T) {
	for ticks, want := range map[int]string{0: "", 9: "", 12: "waited 10ns of processor time for the event"} {
		synctest.Test(t, func(t *testing.T) {
			f, done, ended := &failing{TB: t}, make(chan struct{}), make(chan struct{})
			now := time.Duration(0)
			clock := func() time.Duration {
				if now++; now == time.Duration(ticks) {
					close(done)
				}
				return now
			}
			if ticks == 0 {
				time.AfterFunc(time.Second/2, func() { close(done) })
			}
			go func() { // ends with Before
				defer close(ended)
				Before(f, 10, clock, "the event", done)
			}()
			<-ended
			if f.message != want {
				t.Errorf("%d ticks: %q, want %q", ticks, f.message, want)
			}
		})
	}
}
