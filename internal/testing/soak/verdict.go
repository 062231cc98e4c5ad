package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// happened lists the events that a soak must exercise: each must have been counted at least once.
var happened = []struct{ what, metric, label string }{
	{"answers came from the cache", "crosswalk_cache_hits_total", ""},
	{"answers left the cache for others", "crosswalk_cache_evictions_total", ""},
	{"the previous version converted failed batches", "crosswalk_module_previous_batches_total", `module="` + served(rolled) + `"`},
	{"a module was rolled back", "crosswalk_module_rollbacks_total", `module="` + served(rolled) + `"`},
	{"a candidate answered the same", "crosswalk_shadow_conversions_total", `result="same"`},
	{"a candidate failed", "crosswalk_shadow_conversions_total", `result="failed"`},
	{"compiled code was kept", "crosswalk_compile_cache_loads_total", `result="miss"`},
	{"a packed module served", "crosswalk_module_info", `module="` + served(packed) + `"`},
}

// overdue counts reviews that ran for a second after their deadline, which a busy machine can cause.
const overdue = "crosswalk_reviews_overdue_total"

// never are bugs of the gateway, or of the engine.
var never = []struct{ what, metric, label string }{
	{"panics were contained", "crosswalk_panics_total", ""},
	{"reviews went on past their deadline", overdue, ""},
	{"kept code was damaged", "crosswalk_compile_cache_loads_total", `result="damaged"`},
	{"batches failed within the gateway", "crosswalk_module_faults_total", `fault="internal"`},
}

// verdict fails when a good conversion failed, a hostile one was not answered, something that must
// happen did not or the other way round, or when the process held much more at the end than in the
// middle, by when everything has been done many times.
func verdict(t *tally, swaps int64, samples []sample, end metrics, others float64) error {
	if f := t.firstFailure.Load(); f != nil {
		return fmt.Errorf("%d good conversions failed; the first: %s", t.goodFailed.Load(), *f)
	}
	if n := t.hostileUnanswered.Load(); n > 0 {
		return fmt.Errorf("%d reviews of hostile modules had no answer", n)
	}
	for _, n := range never {
		if v := end.sum(n.metric, n.label); v > 0 && n.metric == overdue && others > mostOthers {
			fmt.Printf("NOT JUDGED, because other processes kept the machine busy: %s: %g times\n", n.what, v)
		} else if v > 0 {
			return fmt.Errorf("%s: %g times (%s)", n.what, v, n.metric)
		}
	}
	if len(samples) < 6 {
		fmt.Println("too few samples to judge growth by")
		return nil
	}
	for _, h := range happened {
		if end.sum(h.metric, h.label) == 0 {
			return fmt.Errorf("it did not happen that %s (%s)", h.what, h.metric)
		}
	}
	if most, bound := most(samples).rss, documented(runtime.NumCPU()); most > bound {
		return fmt.Errorf("the gateway took %d MiB of memory; docs/use/tasks.md allows %d MiB", most>>20, bound>>20)
	} else {
		fmt.Printf("the gateway took %d MiB of memory at most; docs/use/tasks.md allows %d MiB\n", most>>20, bound>>20)
	}
	if attacked := samples[len(samples)-1].after; attacked < leastGrowth {
		fmt.Printf("an attack of %v is too short to judge growth by: hostile modules are still being loaded\n", attacked.Round(time.Second))
	} else if err := grows(samples); err != nil {
		return err
	}
	fmt.Printf("%d good conversions, none failed; %d reviews of hostile modules, all answered; %d swaps\n", t.good.Load(), t.hostile.Load(), swaps)
	for _, h := range happened {
		fmt.Printf("%8.0f × %s\n", end.sum(h.metric, h.label), h.what)
	}
	return nil
}

// grows compares the last third of the samples with the third before. A leak raises the minimum. The
// maximum of memory depends on instances of hostile modules that happen to fill theirs at the same
// time, and that of goroutines and files on clients that happen to hold all connections that the
// gateway accepts. Threads and memory maps have no such peaks, so their maximum is compared.
func grows(samples []sample) error {
	third := len(samples) / 3
	second, last := samples[third:2*third], samples[2*third:]
	before, after := most(second), most(last)
	fmt.Printf("most held in the second third and in the last: RSS %d and %d MiB, goroutines %d and %d, threads %d and %d, files %d and %d, maps %d and %d\n",
		before.rss>>20, after.rss>>20, before.goroutines, after.goroutines, before.threads, after.threads, before.files, after.files, before.maps, after.maps)
	least(&before, second)
	least(&after, last)
	fmt.Printf("least: RSS %d and %d MiB, goroutines %d and %d, files %d and %d\n",
		before.rss>>20, after.rss>>20, before.goroutines, after.goroutines, before.files, after.files)
	for _, h := range []struct {
		what                 string
		before, after, slack int
	}{
		{"resident memory grows", before.rss, after.rss, before.rss/5 + 16<<20},
		{"goroutines grow", before.goroutines, after.goroutines, 20},
		{"threads grow", before.threads, after.threads, 10},
		{"open files grow", before.files, after.files, 20},
		{"memory maps grow", before.maps, after.maps, before.maps/5 + 50},
	} {
		if h.after > h.before+h.slack {
			return errors.New(h.what)
		}
	}
	return nil
}

// least sets the figures that have peaks to the smallest of all samples.
func least(m *sample, samples []sample) {
	for _, s := range samples {
		m.rss, m.goroutines, m.files = min(m.rss, s.rss), min(m.goroutines, s.goroutines), min(m.files, s.files)
	}
}

// most returns the largest of every figure.
func most(samples []sample) (m sample) {
	for _, s := range samples {
		m.rss, m.goroutines, m.threads = max(m.rss, s.rss), max(m.goroutines, s.goroutines), max(m.threads, s.threads)
		m.files, m.maps = max(m.files, s.files), max(m.maps, s.maps)
	}
	return m
}

// leastGrowth is the shortest attack by which growth is judged: loading all hostile modules took 80
// s on two busy CPUs, which must be over in the first third.
const leastGrowth = 4 * time.Minute

// documented is the sum of docs/use/tasks.md, "Sizing", for the flags of startGateway, without the
// processes that vet and that read definitions.
func documented(cpus int) int {
	const (
		mib                            = 1 << 20
		moduleMemory, bodies, response = 64 * mib, 32 * mib, 16 * mib
		moduleFiles                    = 32 * mib // more than the soak's files take
	)
	instances, atWork := max(16, 8*cpus), 4*cpus
	return instances*(moduleMemory+12*mib) + atWork*8*mib +
		4*moduleMemory + 16*mib + // shadow modules
		1000*80<<10 + // connections
		4*bodies + 100*mib + // requests and responses, and their objects
		2*response + atWork*moduleMemory + // outputs
		4*mib + // the cache
		2*6*moduleFiles + // compiled modules, during a probation
		256*mib // definitions
}
