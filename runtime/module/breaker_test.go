package module

import (
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// opened returns a breaker that has opened now for a minute, and the input of an object.
func opened(now time.Time) (b *breaker, object func(n byte) func() inputKey) {
	object = func(n byte) func() inputKey { return func() inputKey { return inputKey{n} } }
	b = &breaker{faults: 1, pause: time.Minute, pauseMax: time.Hour}
	b.record(now, faultf(faults.Trap, "the module trapped"), object(0))
	b.decide(now, false, true)
	return b, object
}

// TestBreakerClosesWithAnAnswer: after the half-open breaker's test succeeded, calls need not wait
// for each other.
func TestBreakerClosesWithAnAnswer(t *testing.T) {
	now := time.Now()
	b, object := opened(now)
	later := now.Add(time.Minute)
	if fault := b.admit(later, object(1)); fault != nil {
		t.Fatal(fault)
	}
	b.record(later, nil, object(1))
	for n := range byte(2) {
		if fault := b.admit(later, object(2+n)); fault != nil {
			t.Errorf("call %d: %v", n, fault)
		}
	}
}

// TestStragglerIsNotProbed: a fault of a call that began before the breaker opened says nothing new.
func TestStragglerIsNotProbed(t *testing.T) {
	now := time.Now()
	b, object := opened(now)
	if b.record(now, faultf(faults.Trap, "the module trapped"), object(1)) {
		t.Error("a fault while the breaker is open has the module probed again")
	}
}
