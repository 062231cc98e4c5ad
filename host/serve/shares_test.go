package serve

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// accountOf takes the first word of a body as the account.
func accountOf(body []byte) string {
	name, _, _ := bytes.Cut(body, []byte(" "))
	return string(name)
}

// occupy sends reviews that last, and returns once they hold so many slots and so many others wait.
func (r *running) occupy(t *testing.T, bodies []string, slots int64, waiting int) {
	t.Helper()
	var sent sync.WaitGroup
	t.Cleanup(sent.Wait)
	for _, body := range bodies {
		sent.Go(func() {
			resp, err := r.client.Do(r.request(t, http.MethodPost, "/convert", strings.NewReader(body)))
			if err == nil {
				resp.Body.Close()
			}
		})
	}
	eventually.True(t, "the busy account to have its share", func() bool {
		used, queued := r.slots.Load()
		return used == slots && queued == waiting
	})
}

// startShares starts a server whose reviews, but for those of the account quick, last until end is
// called. owner may be nil.
func startShares(t *testing.T, owner func(account string) string) (r *running, end func()) {
	t.Helper()
	release := make(chan struct{})
	r = start(t, func(c *ServerConfig) {
		c.MaxInFlight, c.MaxQueue, c.QueueWait, c.Account, c.Owner = 16, 200, testTime, accountOf, owner
		c.Review = func(_ context.Context, body []byte) ([]byte, host.Outcome, error) {
			if accountOf(body) != "quick" {
				<-release
			}
			return []byte(`{"converted":true}`), host.Outcome{}, nil
		}
	})
	return r, sync.OnceFunc(func() { close(release) })
}

// TestBusyAccountLeavesSlots: while the reviews of one account never end and more of them wait, a
// review of another account is converted at once.
func TestBusyAccountLeavesSlots(t *testing.T) {
	t.Parallel()
	r, end := startShares(t, nil)
	defer end() // before the clean-up, which waits for the reviews
	bodies := make([]string, 40)
	for i := range bodies {
		bodies[i] = "busy " + goodReview
	}
	r.occupy(t, bodies, 8, 32)
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("quick "+goodReview)))
	if resp.StatusCode != 200 {
		t.Errorf("a review of another account: %d %s", resp.StatusCode, text)
	}
	if got := testutil.ToFloat64(r.report.metrics.overShares.WithLabelValues("none")); got != 32 {
		t.Errorf("%v reviews were over their share, want 32", got)
	}
}

// TestLargeReviewsLeaveSlots: large reviews of many accounts that never end take more than one slot
// each, and leave slots to small reviews.
func TestLargeReviewsLeaveSlots(t *testing.T) {
	t.Parallel()
	r, end := startShares(t, nil)
	defer end() // before the clean-up, which waits for the reviews
	bodies := make([]string, 10)
	for i := range bodies {
		bodies[i] = fmt.Sprintf("busy%d %s%s", i, goodReview, strings.Repeat(" ", 4*largeMessage))
	}
	r.occupy(t, bodies, 12, 7) // three of them, four slots each
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("quick "+goodReview)))
	if resp.StatusCode != 200 {
		t.Errorf("a small review: %d %s", resp.StatusCode, text)
	}
}

// TestOwnersShareSlots: an owner with a review of each of many accounts holds no more slots than an
// owner with one, and the next owner's review is converted at once.
func TestOwnersShareSlots(t *testing.T) {
	t.Parallel()
	r, end := startShares(t, func(account string) string { return strings.TrimRight(account, "0123456789") })
	defer end() // before the clean-up, which waits for the reviews
	bodies := make([]string, 40)
	for i := range bodies {
		bodies[i] = fmt.Sprintf("busy%d %s", i, goodReview)
	}
	r.occupy(t, bodies, 8, 32)
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("quick "+goodReview)))
	if resp.StatusCode != 200 {
		t.Errorf("a review of another owner: %d %s", resp.StatusCode, text)
	}
}

// TestBusyNamespaceLeavesSlots: while the reviews of one namespace never end and more of them wait, a
// review of another namespace of the same kind is converted at once.
func TestBusyNamespaceLeavesSlots(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := start(t, func(c *ServerConfig) {
		c.MaxInFlight, c.MaxQueue, c.QueueWait, c.Namespace = 16, 200, testTime, accountOf // of one account
		c.Review = func(_ context.Context, body []byte) ([]byte, host.Outcome, error) {
			if accountOf(body) != "quick" {
				<-release
			}
			return []byte(`{"converted":true}`), host.Outcome{}, nil
		}
	})
	defer close(release) // before the clean-up, which waits for the reviews
	bodies := make([]string, 40)
	for i := range bodies {
		bodies[i] = "busy " + goodReview
	}
	r.occupy(t, bodies, 6, 34)
	resp, text := r.send(t, r.request(t, http.MethodPost, "/convert", strings.NewReader("quick "+goodReview)))
	if resp.StatusCode != 200 {
		t.Errorf("a review of another namespace: %d %s", resp.StatusCode, text)
	}
}
