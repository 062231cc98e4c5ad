package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// TestThreadsFollowCrowd asserts that the threads are doubled as soon as a review meets as many
// others as there are CPUs, stay so while that goes on, and are halved when it is over.
func TestThreadsFollowCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var all []int // the numbers of threads, in order
		threads := &threads{cpus: 2, began: time.Now(), set: func(n int) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, n)
		}}
		expect := func(when string, want ...int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(all, want) {
				t.Fatalf("%s: the threads were set to %v, want %v", when, all, want)
			}
		}
		done := threads.working() // a file is loaded, and a review at a time converted
		review := threads.watch(func(context.Context, []byte) ([]byte, host.Outcome, error) {
			time.Sleep(time.Second)
			return nil, host.Outcome{}, nil
		})
		together := func(n int) {
			for range n {
				go func() { _, _, _ = review(t.Context(), nil) }() // ends after a second
			}
		}
		for range 10 {
			together(1)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		expect("as much work as CPUs")
		together(2)
		expect("one more than CPUs", 4)
		done()
		time.Sleep(calm - time.Second)
		together(3)
		time.Sleep(calm - time.Nanosecond)
		expect("a crowd less than the calm before", 4)
		time.Sleep(time.Nanosecond)
		expect("calm", 4, 2)
		together(4)
		expect("the next crowd", 4, 2, 4)
		time.Sleep(calm)
		expect("calm again", 4, 2, 4, 2)
	})
}

// TestThreadsOfProcess asserts that a gateway starts with a thread for each CPU, and counts them.
func TestThreadsOfProcess(t *testing.T) {
	t.Setenv("GOMAXPROCS", "3")
	p := start(t)
	p.waitReady(t)
	_, metrics := p.get(t, "/metrics")
	for _, line := range []string{"go_sched_gomaxprocs_threads 3", "crosswalk_reviews_in_flight_limit 24"} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("/metrics has no line %q:\n%s", line, metrics)
		}
	}
	if !strings.Contains(p.output.seen.String(), `"cpus":3`) {
		t.Errorf("the log does not count 3 CPUs:\n%s", p.output.seen.String())
	}
}
