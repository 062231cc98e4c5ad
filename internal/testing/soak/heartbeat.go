package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// period is the time between two heartbeats.
const period = 20 * time.Millisecond

// heartbeat converts an object of a good module every period, on a connection of its own, and notes
// the gaps between the responses. It does not repeat a review: one that is rejected has failed. A gap is the time from one response to the next, less the period.
type heartbeat struct {
	mu       sync.Mutex // guards the fields below
	gaps     []time.Duration
	late     time.Duration // the longest time that the machine let a timer of this process wait
	failures int
	first    string // the first failure
}

// pulse is a summary of heartbeats.
type pulse struct {
	count, failures  int
	median, p99, max time.Duration
	late             time.Duration
	first            string
}

func (p pulse) String() string {
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	return fmt.Sprintf("%d heartbeats, %d failed; gaps: median %v, p99 %v, max %v; timers of the client were late by up to %v", p.count, p.failures, ms(p.median), ms(p.p99), ms(p.max), ms(p.late))
}

// run sends heartbeats until ctx ends.
func (h *heartbeat) run(ctx context.Context, g *gateway) {
	last := time.Now()
	for n := 0; ; n++ {
		due := time.Now().Add(period)
		select {
		case <-ctx.Done():
			return
		case <-time.After(period):
		}
		late := time.Since(due)
		answer, err := g.convertOnce(ctx, review("example.com", "Heart", "v1", "v2", fmt.Sprintf(`,"spec":{"n":%d}`, n)))
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		h.mu.Lock()
		h.gaps, h.late = append(h.gaps, now.Sub(last)-period), max(h.late, late)
		if err != nil || !strings.Contains(answer, `"status":"Success"`) {
			if h.failures++; h.first == "" {
				h.first = fmt.Sprint(answer, err)
			}
		}
		h.mu.Unlock()
		last = now
	}
}

// take returns a summary of the heartbeats since the last take.
func (h *heartbeat) take() pulse {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := pulse{count: len(h.gaps), failures: h.failures, late: h.late, first: h.first}
	if p.count > 0 {
		slices.Sort(h.gaps)
		p.median, p.p99, p.max = h.gaps[p.count/2], h.gaps[p.count*99/100], h.gaps[p.count-1]
	}
	h.gaps, h.late, h.failures, h.first = nil, 0, 0, ""
	return p
}

// mostBehind is how much longer a gap may be during the attack than in the baseline.
const mostBehind = 500 * time.Millisecond

// compare fails when a heartbeat failed, or when a gap during the attack is longer than the
// baseline explains. A timer of this process that was late shows that the machine, not the gateway,
// was busy. Gaps are reported and not judged if other processes used more than mostOthers of the
// processors.
func compare(baseline, attack pulse, others float64) error {
	fmt.Printf("baseline: %v\nattack:   %v\nother processes used %.0f %% of the processors\n", baseline, attack, 100*others)
	if attack.failures+baseline.failures > 0 {
		return fmt.Errorf("%d heartbeats failed; the first: %s", attack.failures+baseline.failures, baseline.first+attack.first)
	}
	if baseline.count == 0 || attack.count == 0 {
		return fmt.Errorf("there were %d heartbeats in the baseline and %d during the attack", baseline.count, attack.count)
	}
	if most := baseline.max + mostBehind + attack.late; attack.max > most {
		if others > mostOthers {
			fmt.Printf("NOT JUDGED, because other processes kept the machine busy: a gap of %v; %v are allowed\n", attack.max, most)
			return nil
		}
		return fmt.Errorf("a heartbeat came after a gap of %v; %v are allowed", attack.max, most)
	}
	return nil
}
