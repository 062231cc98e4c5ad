package serve

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// hanging is a Review func that ignores its context until release is closed if the body asks for
// it, and else answers.
func hanging(release <-chan struct{}) func(context.Context, []byte) ([]byte, host.Outcome, error) {
	return func(_ context.Context, body []byte) ([]byte, host.Outcome, error) {
		if strings.HasSuffix(string(body), "hang") {
			<-release
		}
		return []byte(`{"converted":true}`), host.Outcome{From: "v1"}, nil
	}
}

// health returns the answer of /healthz.
func (r *running) health(t *testing.T) (int, string) {
	t.Helper()
	resp, err := r.client.Get(r.admin + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// hang sends a review that hangs, and returns when it was answered.
func (r *running) hang(t *testing.T) {
	t.Helper()
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert?timeout=100ms", strings.NewReader(goodReview+"hang")))
	if want := "the conversion did not end within its time"; resp.StatusCode != 200 || !strings.Contains(text, want) {
		t.Errorf("got %d %s, want %s", resp.StatusCode, text, want)
	}
}

// TestOverdueConversionsGiveBackTheirSlots makes as many conversions hang as there are slots.
// Others are still converted. Further hanging conversions keep their slots, and /healthz requests a
// restart.
func TestOverdueConversionsGiveBackTheirSlots(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		r := startInBubble(t, func(c *ServerConfig) {
			c.MaxInFlight, c.QueueWait = 4, testTime
			c.Review = hanging(release)
		})
		slots := func(want int64) func() bool {
			return func() bool { used, _ := r.slots.Load(); return used == want }
		}
		for range 4 {
			r.hang(t)
		}
		eventually.True(t, "the slots to come back", slots(0))
		if resp, text := r.post(t, "/convert"); resp.StatusCode != 200 || text != `{"converted":true}` {
			t.Errorf("beside conversions that hang: %d %s", resp.StatusCode, text)
		}
		if code, text := r.health(t); code != 200 {
			t.Errorf("four conversions run past their deadlines, in no slot: /healthz says %d %s", code, text)
		}
		r.hang(t)
		eventually.True(t, "the fifth to be overdue", func() bool { return r.overruns.count() == 5 })
		if !slots(1)() {
			t.Error("a fifth conversion gave back its slot: their number has no bound")
		}
		if code, text := r.health(t); code != 503 || !strings.Contains(text, "conversions run past their deadlines: 5, ") || !strings.Contains(text, "1 of them hold slots") {
			t.Errorf("a conversion holds its slot past its deadline: /healthz says %d %s", code, text)
		}
		close(release)
		eventually.True(t, "all to return", func() bool { return r.requests.Load() == 0 })
		if used, _ := r.slots.Load(); used != 0 || r.overruns.count() != 0 {
			t.Errorf("%d slots and %d overdue conversions are left", used, r.overruns.count())
		}
		if code, text := r.health(t); code != 200 {
			t.Errorf("afterwards /healthz says %d %s", code, text)
		}
	})
}

// TestOverrunsAskForARestart: one conversion that runs for long past its deadline is enough.
func TestOverrunsAskForARestart(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name   string
		most   int
		behind []time.Duration // how long ago the deadlines were
		want   string
	}{
		{"none", 2, nil, ""},
		{"a second ago", 2, []time.Duration{time.Second}, ""},
		{"almost half a minute ago", 2, []time.Duration{29 * time.Second, 5 * time.Second}, ""},
		{"half a minute ago", 2, []time.Duration{5 * time.Second, 30 * time.Second}, "conversions run past their deadlines: 2, the oldest by 30s; 0 of them hold slots; only a restart ends them"},
		{"more than may run without a slot", 1, []time.Duration{2 * time.Second, time.Second}, "conversions run past their deadlines: 2, the oldest by 2s; 1 of them hold slots; only a restart ends them"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newOverruns(test.most)
			for i, behind := range test.behind {
				if r := o.add(now.Add(-behind)); r.keepsSlot != (i >= test.most) {
					t.Errorf("conversion %d keeps its slot: %v", i, r.keepsSlot)
				}
			}
			got := ""
			if err := o.err(now); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestShutdownWithOverdueConversions: a conversion that never returns does not hold up the end of
// the process. Its connection was closed when its review was answered, so the server does not wait
// for it, and cuts nothing off at the end of ShutdownTimeout.
func TestShutdownWithOverdueConversions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		r := startInBubble(t, func(c *ServerConfig) {
			c.ShutdownTimeout = time.Minute
			c.Review = hanging(release)
		})
		r.hang(t)
		eventually.True(t, "the conversion to be overdue", func() bool { return r.overruns.count() == 1 })
		r.stop()
		if err := r.ended(); err != nil {
			t.Error(err)
		}
		if r.requests.Load() != 1 {
			t.Error("the conversion returned: the test has shown nothing")
		}
	})
}

// TestOverdueAfterTheConversion: a timer that fires while the answer to a conversion is on its way
// says nothing, and the conversion is not overdue.
func TestOverdueAfterTheConversion(t *testing.T) {
	r := start(t, nil)
	x := &exchange{handler: r.handler, w: httptest.NewRecorder(), r: r.request(t, http.MethodPost, "/convert", nil), began: time.Now(), returned: true}
	x.overdue(time.Now(), overdueGrace)
	if x.answered {
		t.Error("a review whose conversion returned was answered as overdue")
	}
	x.overrun(time.Now())
	if r.overruns.count() != 0 {
		t.Error("a conversion that returned counts as overdue")
	}
}
