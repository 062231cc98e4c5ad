package main

import (
	"strings"
	"testing"
)

// TestThreads asserts that Go gets more threads than there are CPUs, and that no limit counts them.
func TestThreads(t *testing.T) {
	t.Setenv("GOMAXPROCS", "3")
	p := start(t)
	p.waitReady(t)
	_, metrics := p.get(t, "/metrics")
	for _, line := range []string{"go_sched_gomaxprocs_threads 6", "crosswalk_reviews_in_flight_limit 24"} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("/metrics has no line %q:\n%s", line, metrics)
		}
	}
	if !strings.Contains(p.output.seen.String(), `"cpus":3`) {
		t.Errorf("the log does not count 3 CPUs:\n%s", p.output.seen.String())
	}
}
