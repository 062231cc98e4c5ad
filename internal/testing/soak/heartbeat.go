package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// period is the time between two heartbeats of small reviews.
const period = 20 * time.Millisecond

// heartbeat converts objects of a good module every period, on a connection of its own, and notes
// how long each review took and the gaps between the responses. It does not repeat a review: one that
// is rejected has failed. A gap is the time from one response to the next, less the period.
type heartbeat struct {
	owner   string
	what    string // of reviews
	period  time.Duration
	objects int // of a review

	mu       sync.Mutex // guards the fields below
	gaps     []time.Duration
	took     []time.Duration
	late     time.Duration // the longest time that the machine let a timer of this process wait
	failures int
	first    string // the first failure
}

// newHeartbeats returns the heartbeats of all honest owners: each sends a small review every 20 ms,
// and one of them also lists of 2,000 objects, which have half a megabyte. The last two are those of
// the reference.
func newHeartbeats() (beats []*heartbeat) {
	small := func(owner string) *heartbeat {
		return &heartbeat{owner: owner, what: "small reviews", period: period, objects: 1}
	}
	large := func(owner string) *heartbeat {
		return &heartbeat{owner: owner, what: "large reviews", period: 25 * period, objects: 2000}
	}
	for _, owner := range honest {
		beats = append(beats, small(owner))
	}
	return append(beats, large(steady), small(referenceOwner), large(referenceOwner)) // the large ones by a module of chained
}

// delays returns by how much longer than alone 99.9 % of the reference's reviews took during the attack,
// by the number of their objects.
func delays(beats []*heartbeat, baseline, attack []pulse) map[int]time.Duration {
	all := map[int]time.Duration{}
	for i, h := range beats {
		if h.owner == referenceOwner {
			all[h.objects] = max(0, attack[i].P999-baseline[i].P999)
		}
	}
	return all
}

// pulse is a summary of heartbeats.
type pulse struct {
	Count, Failures  int
	Median, P99, Max time.Duration // of gaps
	P999             time.Duration // of the time that reviews took
	Late             time.Duration // the longest time that the machine let a timer of the client wait
	First            string        // the first failure
}

func (p pulse) String() string {
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	return fmt.Sprintf("%d heartbeats, %d failed; 99.9 %% within %v; gaps: median %v, p99 %v, max %v; timers of the client were late by up to %v", p.Count, p.Failures, ms(p.P999), ms(p.Median), ms(p.P99), ms(p.Max), ms(p.Late))
}

// run sends heartbeats until ctx ends.
func (h *heartbeat) run(ctx context.Context, g *gateway) {
	last := time.Now()
	for n := 0; ; n++ {
		due := time.Now().Add(h.period)
		select {
		case <-ctx.Done():
			return
		case <-time.After(h.period):
		}
		sent := time.Now()
		answer, err := g.convertOnce(ctx, h.review(n))
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		h.mu.Lock()
		h.gaps, h.took, h.late = append(h.gaps, now.Sub(last)-h.period), append(h.took, now.Sub(sent)), max(h.late, sent.Sub(due))
		if err != nil || !strings.Contains(answer, `"status":"Success"`) {
			if h.failures++; h.first == "" {
				h.first = fmt.Sprintf("%.900s%v", answer, err)
			}
		}
		h.mu.Unlock()
		last = now
	}
}

// review returns a review of objects that were never sent before.
func (h *heartbeat) review(n int) string {
	if h.objects == 1 {
		return review(h.owner+".example.com", heart, "v1", "v2", fmt.Sprintf(`,"spec":{"n":%d}`, n))
	}
	objects := make([]string, h.objects)
	for i := range objects {
		objects[i] = fmt.Sprintf(`,"spec":{"colour":"red","count":"3","host":"node-%d","pad":"%0100d"}`, n, i)
	}
	return review("chain.example.com", "Widget", "v1alpha1", "v1beta1", objects...)
}

// take returns a summary of the heartbeats since the last take.
func (h *heartbeat) take() pulse {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := pulse{Count: len(h.gaps), Failures: h.failures, Late: h.late, First: h.first}
	if p.Count > 0 {
		slices.Sort(h.gaps)
		slices.Sort(h.took)
		p.Median, p.P99, p.Max, p.P999 = h.gaps[p.Count/2], h.gaps[p.Count*99/100], h.gaps[p.Count-1], h.took[p.Count*999/1000]
	}
	h.gaps, h.took, h.late, h.failures, h.first = nil, nil, 0, 0, ""
	return p
}

// mostBehind is how much longer a gap may be during the attack than in the baseline. Of the reviews,
// 99.9 % may take mostSlower and twice their time of the baseline, besides the delay of the reference.
const (
	mostBehind = 500 * time.Millisecond
	mostSlower = 100 * time.Millisecond
)

// compare fails when a heartbeat failed, or when gaps or times during the attack are longer than the
// baseline and the machine explain: timers of the heartbeats' process that were late, and the delay of
// the reference, in which the gateway has no part. Times are reported and not judged if other processes
// used more than mostOthers of the processors. The reference is only reported.
func (h *heartbeat) compare(baseline, attack pulse, delay time.Duration, others float64) []ruling {
	fmt.Printf("owner %s, %s:\n  alone:  %v\n  attack: %v\n", h.owner, h.what, baseline, attack)
	if h.owner == referenceOwner {
		return nil
	}
	answered, gaps, times := fmt.Sprintf("owner %s, %s: all answered", h.owner, h.what), "gaps", "times"
	if n := attack.Failures + baseline.Failures; n > 0 {
		return []ruling{fails(answered, "%d failed; the first: %s", n, baseline.First+attack.First)}
	}
	if baseline.Count == 0 || attack.Count == 0 {
		return []ruling{fails(answered, "there were %d alone and %d during the attack", baseline.Count, attack.Count)}
	}
	judge := func(what string, is, most time.Duration, text string) ruling {
		what = fmt.Sprintf("owner %s, %s: %s", h.owner, h.what, what)
		switch {
		case is <= most:
			return holds("%s: %s %v, of at most %v", what, text, is, most)
		case others > mostOthers:
			return unjudged(what, "%s %v, more than %v, but %s", text, is, most, busyMachine(others))
		}
		return fails(what, "%s %v, of at most %v", text, is, most)
	}
	return []ruling{
		holds("%s (%d)", answered, baseline.Count+attack.Count),
		judge(gaps, attack.Max, baseline.Max+mostBehind+attack.Late, "the longest took"),
		judge(times, attack.P999, 2*baseline.P999+mostSlower+delay, "99.9 % took up to"),
	}
}
