package serve

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGateAdmitsUpToItsLimit(t *testing.T) {
	g := newGate(2, 0, time.Hour)
	for i := range 2 {
		if err := g.enter(t.Context(), 1); err != nil {
			t.Fatalf("enter %d: %v", i, err)
		}
	}
	if err := g.enter(t.Context(), 1); err != errQueueFull {
		t.Fatalf("third enter: %v, want %v", err, errQueueFull)
	}
	g.leave(1)
	if err := g.enter(t.Context(), 1); err != nil {
		t.Fatalf("enter after a leave: %v", err)
	}
}

func TestGateRefusals(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name  string
		gate  *gate
		ctx   context.Context
		units int64
		want  error
	}{
		{"more than the gate has", newGate(10, 5, time.Hour), context.Background(), 11, errQueueFull},
		{"no queue", newGate(10, 0, time.Hour), context.Background(), 6, errQueueFull},
		{"negative queue", newGate(10, -1, time.Hour), context.Background(), 6, errQueueFull},
		{"nobody leaves", newGate(10, 5, time.Millisecond), context.Background(), 6, errQueueWait},
		{"the caller went away", newGate(10, 5, time.Hour), cancelled, 6, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.gate.enter(context.Background(), 5); err != nil {
				t.Fatal(err)
			}
			if err := test.gate.enter(test.ctx, test.units); !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			test.gate.leave(5)
			if used, waiting := test.gate.load(); used != 0 || waiting != 0 {
				t.Fatalf("%d used and %d waiting at the end, want none", used, waiting)
			}
		})
	}
}

// A large request must not be overtaken for ever by small ones, and one that gives up must not hold up those behind it.
func TestGateKeepsTheOrder(t *testing.T) {
	g := newGate(10, 5, time.Hour)
	_ = g.enter(t.Context(), 8)
	order := make(chan string, 2)
	wait := func(ctx context.Context, name string, units int64, place int) {
		go func() {
			if g.enter(ctx, units) == nil {
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

func TestHammerGate(t *testing.T) {
	const limit = 7
	g := newGate(limit, 50, 20*time.Millisecond)
	var inside, most, entered atomic.Int64
	var all sync.WaitGroup
	for caller := range 16 {
		all.Go(func() {
			units := int64(caller%3 + 1)
			for range 300 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(caller)*100*time.Microsecond)
				if g.enter(ctx, units) == nil {
					entered.Add(1)
					now := inside.Add(units)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					time.Sleep(time.Microsecond)
					inside.Add(-units)
					g.leave(units)
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
