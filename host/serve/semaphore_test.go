package serve

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestSemaphoreGrantsUpToItsLimit(t *testing.T) {
	g := newSemaphore(2, 0, time.Hour)
	for i := range 2 {
		if err := g.acquire(t.Context(), 1); err != nil {
			t.Fatalf("acquire %d: %v", i, err)
		}
	}
	if err := g.acquire(t.Context(), 1); err != errQueueFull {
		t.Fatalf("third acquire: %v, want %v", err, errQueueFull)
	}
	g.release(1)
	if err := g.acquire(t.Context(), 1); err != nil {
		t.Fatalf("acquire after a release: %v", err)
	}
}

func TestSemaphoreErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name      string
		semaphore *semaphore
		ctx       context.Context
		units     int64
		want      error
	}{
		{"more than the limit", newSemaphore(10, 5, time.Hour), context.Background(), 11, errQueueFull},
		{"no queue", newSemaphore(10, 0, time.Hour), context.Background(), 6, errQueueFull},
		{"negative queue", newSemaphore(10, -1, time.Hour), context.Background(), 6, errQueueFull},
		{"nobody releases", newSemaphore(10, 5, time.Millisecond), context.Background(), 6, errQueueWait},
		{"the caller went away", newSemaphore(10, 5, time.Hour), cancelled, 6, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.semaphore.acquire(context.Background(), 5); err != nil {
				t.Fatal(err)
			}
			if err := test.semaphore.acquire(test.ctx, test.units); !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			test.semaphore.release(5)
			if used, waiting := test.semaphore.load(); used != 0 || waiting != 0 {
				t.Fatalf("%d used and %d waiting at the end, want none", used, waiting)
			}
		})
	}
}

// Small requests must not starve a large one, and a waiter that gives up must not delay the waiters
// behind it.
func TestSemaphoreKeepsOrder(t *testing.T) {
	g := newSemaphore(10, 5, time.Hour)
	_ = g.acquire(t.Context(), 8)
	order := make(chan string, 2)
	wait := func(ctx context.Context, name string, units int64, place int) {
		go func() {
			if g.acquire(ctx, units) == nil {
				order <- name
			}
		}()
		for _, waiting := g.load(); waiting < place; _, waiting = g.load() {
			time.Sleep(time.Millisecond)
		}
	}
	large, giveUp := context.WithCancel(t.Context())
	wait(large, "large", 9, 1)
	wait(t.Context(), "small", 2, 2)
	select {
	case name := <-order:
		t.Fatalf("%s overtook", name)
	case <-time.After(20 * time.Millisecond):
	}
	giveUp()
	if name := <-order; name != "small" {
		t.Fatalf("%s was let in, want small", name)
	}
}

// TestSemaphoreTryAcquireOvertakesWaiters: an answer that is already in memory must not be
// discarded because a larger review waits for room.
func TestSemaphoreTryAcquireOvertakesWaiters(t *testing.T) {
	s := newSemaphore(10, 5, time.Hour)
	_ = s.acquire(t.Context(), 5)
	granted := make(chan error, 1)
	go func() { granted <- s.acquire(t.Context(), 8) }()
	for _, waiting := s.load(); waiting < 1; _, waiting = s.load() {
		time.Sleep(time.Millisecond)
	}
	if s.tryAcquire(6) {
		t.Error("6 of 5 free units were acquired")
	}
	if !s.tryAcquire(5) {
		t.Error("5 free units were not acquired while a caller waits for 8")
	}
	s.release(10)
	if err := <-granted; err != nil {
		t.Errorf("the waiter: %v", err)
	}
}

func TestHammerSemaphore(t *testing.T) {
	const limit = 7
	g := newSemaphore(limit, 50, 20*time.Millisecond)
	var inside, most, entered atomic.Int64
	var all sync.WaitGroup
	for caller := range 16 {
		all.Go(func() {
			units := int64(caller%3 + 1)
			for range 300 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(caller)*100*time.Microsecond)
				if g.acquire(ctx, units) == nil {
					entered.Add(1)
					now := inside.Add(units)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					time.Sleep(time.Microsecond)
					inside.Add(-units)
					g.release(units)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if most.Load() > limit {
		t.Errorf("%d units were inside at once, want at most %d", most.Load(), limit)
	}
	if entered.Load() == 0 {
		t.Error("nobody ever got in")
	}
	if used, waiting := g.load(); used != 0 || waiting != 0 {
		t.Errorf("%d used and %d waiting at the end, want none", used, waiting)
	}
}
