package serve

import (
	"bufio"
	"errors"
	"net"
	"net/http/httptest"
	"testing"
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
