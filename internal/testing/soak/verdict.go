package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// happened lists the events that a soak must exercise: each must have been counted at least once.
var happened = []struct{ what, metric, label string }{
	{"answers came from the cache", "crosswalk_cache_hits_total", ""},
	{"answers left the cache for others", "crosswalk_cache_evictions_total", ""},
	{"the previous version converted failed batches", "crosswalk_module_previous_batches_total", `module="` + served(rolled) + `"`},
	{"a module was rolled back", "crosswalk_module_rollbacks_total", `module="` + served(rolled) + `"`},
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
func verdict(t *tally, swaps int64, samples []sample, end metrics, others float64) (all []ruling) {
	const goods, answers = "good conversions", "answers of hostile modules"
	if f := t.firstFailure.Load(); f != nil {
		all = append(all, fails(goods, "%d failed; the first: %s", t.goodFailed.Load(), *f))
	} else {
		all = append(all, holds("%s: %d, none failed; %d changes of files", goods, t.good.Load(), swaps))
	}
	switch n := t.hostileUnanswered.Load(); {
	case n > 0:
		all = append(all, fails(answers, "%d reviews had none", n))
	case t.hostile.Load() == 0:
		all = append(all, unjudged(answers, "there was no such review"))
	default:
		all = append(all, holds("%s: all %d reviews had one", answers, t.hostile.Load()))
	}
	for _, n := range never {
		what := "never: " + n.what
		switch v := end.sum(n.metric, n.label); {
		case v == 0:
			all = append(all, holds("%s", what))
		case n.metric == overdue && others > mostOthers:
			all = append(all, unjudged(what, "%g times, but %s", v, busyMachine(others)))
		default:
			all = append(all, fails(what, "%g times (%s)", v, n.metric))
		}
	}
	attacked := time.Duration(0)
	if len(samples) > 0 {
		attacked = samples[len(samples)-1].after
	}
	for _, h := range happened {
		switch n := end.sum(h.metric, h.label); {
		case n > 0:
			all = append(all, holds("happened: %s: %g times", h.what, n))
		case attacked < leastHappened:
			all = append(all, unjudged("happened: "+h.what, "it did not, but an attack of %v is too short", attacked.Round(time.Second)))
		default:
			all = append(all, fails("happened: "+h.what, "it did not (%s)", h.metric))
		}
	}
	if len(samples) < 6 {
		return append(all, unjudged("memory and growth of resources", "%d samples are too few", len(samples)))
	}
	const memory, growth = "memory", "growth of resources"
	if most, bound := most(samples).rss, documented(runtime.NumCPU()); most > bound {
		all = append(all, fails(memory, "the gateway took %d MiB; docs/use/tasks.md allows %d MiB", most>>20, bound>>20))
	} else {
		all = append(all, holds("%s: the gateway took %d MiB at most; docs/use/tasks.md allows %d MiB", memory, most>>20, bound>>20))
	}
	if attacked < leastGrowth {
		return append(all, unjudged(growth, "an attack of %v is too short: hostile modules are still being loaded", attacked.Round(time.Second)))
	}
	if err := grows(samples); err != nil {
		return append(all, fails(growth, "%w", err))
	}
	return append(all, holds("%s", growth))
}

// grows compares the last third of the samples with the third before. A leak raises the lower
// quartile, and one moment at which attackers happened to be away does not lower it. The maximum of
// memory depends on instances of hostile modules that happen to fill theirs at the same time, and
// that of goroutines and files on clients that happen to hold all connections that the gateway
// accepts. Threads and memory maps have no such peaks, so their maximum is compared.
func grows(samples []sample) error {
	third := len(samples) / 3
	second, last := samples[third:2*third], samples[2*third:]
	before, after := most(second), most(last)
	fmt.Printf("most held in the second third and in the last: RSS %d and %d MiB, goroutines %d and %d, threads %d and %d, files %d and %d, maps %d and %d\n",
		before.rss>>20, after.rss>>20, before.goroutines, after.goroutines, before.threads, after.threads, before.files, after.files, before.maps, after.maps)
	settle(&before, second)
	settle(&after, last)
	fmt.Printf("lower quartiles: RSS %d and %d MiB, goroutines %d and %d, files %d and %d\n",
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

// settle sets the figures that have peaks to the lower quartile of the samples.
func settle(m *sample, samples []sample) {
	quartile := func(figure func(sample) int) int {
		all := make([]int, len(samples))
		for i, s := range samples {
			all[i] = figure(s)
		}
		slices.Sort(all)
		return all[len(all)/4]
	}
	m.rss = quartile(func(s sample) int { return s.rss })
	m.goroutines = quartile(func(s sample) int { return s.goroutines })
	m.files = quartile(func(s sample) int { return s.files })
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

// leastHappened is the shortest attack in which everything must happen that a soak exercises: the
// rarest, a rollback, needs two changes of a module, which the attack delays.
const leastHappened = 2 * time.Minute

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
		1000*80<<10 + // connections
		4*bodies + 100*mib + // requests and responses, and their objects
		2*response + atWork*moduleMemory + // outputs
		4*mib + // the cache
		2*6*moduleFiles + // compiled modules, during a probation
		256*mib // definitions
}
