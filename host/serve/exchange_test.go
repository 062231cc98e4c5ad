package serve

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// hijacked is an answer whose connection was taken over, or not.
type hijacked struct {
	*httptest.ResponseRecorder
	taken int
}

// Hijack implements http.Hijacker.
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.taken++
	return nil, nil, errors.New("there is no connection")
}

// TestHangUp: the connection of a review is closed only after its answer, and while its handler runs.
func TestHangUp(t *testing.T) {
	for _, test := range []struct {
		name            string
		answered, ended bool
		want            int
	}{
		{"not answered yet", false, false, 0},
		{"answered", true, false, 1},
		{"the handler has returned", true, true, 0},
	} {
		w := &hijacked{ResponseRecorder: httptest.NewRecorder()}
		x := &exchange{w: w, answered: test.answered, ended: test.ended}
		x.hangUp()
		if w.taken != test.want {
			t.Errorf("%s: the connection was taken over %d times, want %d", test.name, w.taken, test.want)
		}
	}
}

// TestGiveUpAfterTheHandler: a handler that has returned has no answer to write to any more.
func TestGiveUpAfterTheHandler(t *testing.T) {
	metrics := NewMetrics(prometheus.NewRegistry())
	h := newHandler(&ServerConfig{Metrics: metrics}, &life{}, newReport(slog.New(slog.DiscardHandler), metrics))
	w := httptest.NewRecorder()
	x := &exchange{handler: h, w: w, r: httptest.NewRequest("POST", "/convert", nil)}
	x.end(nil)
	if !x.mu.TryLock() {
		t.Fatal("a late answer would wait for ever")
	}
	x.mu.Unlock()
	x.giveUp(failedReview{})
	if len(w.Header()) != 0 || w.Flushed {
		t.Errorf("header %v, flushed %v", w.Header(), w.Flushed)
	}
}

// TestLateConversionKeepsItsAnswer: a conversion that ends soon after its deadline says itself why it
// failed, and no other answer is sent before.
func TestLateConversionKeepsItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := NewMetrics(prometheus.NewRegistry())
		late := func(ctx context.Context, _ []byte) ([]byte, host.Outcome, error) {
			<-ctx.Done()
			time.Sleep(overdueGrace / 2)
			return []byte("late"), host.Outcome{}, nil
		}
		h := newHandler(&ServerConfig{Review: late, ReviewTimeout: time.Second, Metrics: metrics}, &life{}, newReport(slog.New(slog.DiscardHandler), metrics))
		x := &exchange{handler: h, w: httptest.NewRecorder(), r: httptest.NewRequest("POST", "/convert", nil), began: time.Now()}
		if answer, _, rejected := x.convert(); string(answer) != "late" || rejected != nil || x.answered {
			t.Errorf("answer %q, rejected %v, answered before: %v", answer, rejected, x.answered)
		}
	})
}
