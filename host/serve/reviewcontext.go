package serve

import (
	"context"
	"sync"
	"time"
)

// reviewContext is the context of a conversion. It has a timer only once somebody waits for its end:
// most conversions wait for nothing, and whoever calls Err compares the deadline with the clock.
type reviewContext struct {
	context.Context // of the request
	deadline        time.Time

	mu     sync.Mutex
	timed  context.Context // with the deadline; nil until somebody waits
	cancel context.CancelFunc
	ended  bool
}

// Deadline implements context.Context.
func (c *reviewContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements context.Context.
func (c *reviewContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.Context, c.deadline)
	}
	if c.ended {
		c.cancel()
	}
	return c.timed.Done()
}

// Err implements context.Context.
func (c *reviewContext) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.timed != nil && c.timed.Err() != nil:
		return c.timed.Err()
	case c.ended:
		return context.Canceled
	case !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. Contexts that are made of this one find the timed context by it.
func (c *reviewContext) Value(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed != nil {
		return c.timed.Value(key)
	}
	return c.Context.Value(key)
}

// end frees the timer.
func (c *reviewContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended = true; c.cancel != nil {
		c.cancel()
	}
}
