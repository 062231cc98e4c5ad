package serve

import (
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// deadlines is an answer that takes a second for each write, and notes how much time it then had.
type deadlines struct {
	*httptest.ResponseRecorder
	left []time.Duration
}

// SetWriteDeadline is called by http.ResponseController.
func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.left = append(d.left, time.Until(t))
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	time.Sleep(time.Second)
	return d.ResponseRecorder.Write(b)
}

// TestAnswerHasOneEnd: each part of a large answer has its time, and none has time beyond the end of
// them all.
func TestAnswerHasOneEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		writePaced(d, make([]byte, 3*paceBytes+1), 3*time.Second, time.Now().Add(5*time.Second))
		if want := []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, 2 * time.Second}; !slices.Equal(d.left, want) || d.Body.Len() != 3*paceBytes+1 {
			t.Errorf("the parts had %v, want %v; %d bytes", d.left, want, d.Body.Len())
		}
	})
}
