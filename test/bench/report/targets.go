package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// target is a figure that was aimed at, before there was a gateway to measure.
type target struct {
	figure   string
	language string // "" = of the whole gateway
	aim      float64
	atMost   bool // the aim is an upper bound; else a lower one
	got      float64
	measured bool
	limit    string // what limits it, said if it is not met
}

func (t target) met() bool {
	if t.atMost {
		return t.got <= t.aim
	}
	return t.got >= t.aim
}

// What limits figures, by CPU profiles of the same workloads and of the gateway's process under BenchmarkTLS. To be looked at again when
// the code or the figures have changed.
const (
	scanLimit      = "with C, half is scanning JSON: 26 % on the way in, 25 % to check the answer; the guest is 25 %, copying 9 %"
	projectedLimit = "with C, the one pass over what comes in, which nothing can spare, is half of it, the guest a third, checking its answer a tenth"
	guestLimit     = "with Go the guest is half of it or more, scanning in the host a fifth, copying a tenth; modules see whole objects, not only the fields they change"
	shareLimit     = "the rest is the guest, a quarter with C, and what is read of each object besides: metadata, labels, the contract, and where things are"
	aloneLimit     = "putting the instance back, and the memory that it then touches anew"
	bytesLimit     = "what a module answers is copied out of its memory for each review"
	largeLimit     = "copying takes 30 % instead of 10 % once objects outgrow the caches and go to memory that is touched anew after each reset"
	batchLimit     = "bodies of a megabyte and more outgrow the caches; runs differ by as much"
	coreLimit      = "the strict pass over the review, a quarter of the CPU with C, is one core's; converting, checking and writing the answer are all cores'"
	floorLimit     = "a sixth is the conversion with its checks, at twice the time that it takes when the caches are warm; of what a server does besides, half is system calls and the waking of threads; the timers of the deadlines, which the echo has not, are a tenth"
	listLimit      = "an API server asks for one object at a time and waits for it: what an object takes over TLS is added up"
	resetLimit     = "with Go the guest is two fifths of a review of one object, and putting its instance back a quarter, most of which is asking the kernel for the pages it wrote"
	cacheLimit     = "the strict pass over the review, which a hit does not spare, the comparison with the key, and writing the answer"
	meterLimit     = "a charge at each turn of a loop and each call of a function; that it may call the host keeps values from living in registers alone"
)

// goals compares what was measured with what was aimed at.
func (r *results) goals() []target {
	var all []target
	languages := r.languages()
	review := func(unit, object, batch, language string) (float64, bool) {
		return r.find(unit, "BenchmarkReview", "object", object, "batch", batch, "system", language)
	}
	for _, aim := range []struct {
		language string
		ratio    float64
		limit    string
	}{{"c", 20, scanLimit}, {"rust", 7, scanLimit}, {"go", 8, guestLimit}, {"assemblyscript", 4.5, guestLimit}} {
		t := target{figure: "CPU in process, 3.8 KB × 1,000: B1 ÷ gateway", language: aim.language, aim: aim.ratio, limit: aim.limit}
		t.got, t.measured = review("x-B1", "3.8k", "1000", aim.language)
		all = append(all, t)
	}
	for _, aim := range []struct {
		language string
		ratio    float64
	}{{"c", 35}, {"rust", 20}, {"go", 20}} {
		t := target{figure: "the same, shown the fields that the module declares", language: aim.language, aim: aim.ratio, limit: projectedLimit}
		t.got, t.measured = review("x-B1", "3.8k", "1000", aim.language+"+fields")
		all = append(all, t)
	}
	for _, l := range []string{"c", "c+fields"} {
		share := target{figure: "share of the limit, 3.8 KB × 1,000", language: l, aim: 0.6, limit: shareLimit}
		share.got, share.measured = r.find("share", "BenchmarkLimit", "system", l)
		all = append(all, share)
	}
	again := target{figure: "CPU in process, 3.8 KB × 1, answered from the cache: B1 ÷ gateway", aim: 60, limit: cacheLimit}
	again.got, again.measured = review("x-B1", "3.8k", "1", "cached")
	hit := target{figure: "server CPU over TLS, one object of 3.8 KB, answered from the cache: gateway ÷ echo", aim: 1.1, atMost: true, limit: floorLimit}
	hit.got, hit.measured = r.find("x-echo", "BenchmarkTLS", "object", "3.8k", "server", "cached")
	all = append(all, again, hit)
	for _, l := range languages {
		if strings.HasSuffix(l, "+fields") {
			continue
		}
		extra := target{figure: "CPU that an object on its own costs more than one among 100, 3.8 KB, µs", language: l, aim: 15, atMost: true,
			limit: aloneLimit}
		overTLS := floorLimit
		if l == "go" {
			extra.aim = 350 // a Go module touches far more memory
			overTLS = resetLimit
		}
		alone, ok1 := review("cpu-µs/object", "3.8k", "1", l)
		among, ok2 := review("cpu-µs/object", "3.8k", "100", l)
		extra.got, extra.measured = max(alone-among, 0), ok1 && ok2
		allocs := target{figure: "allocations of a review of one object, 3.8 KB", language: l, aim: 15, atMost: true, limit: bytesLimit}
		allocs.got, allocs.measured = review("allocs/review", "3.8k", "1", l)
		held := target{figure: "bytes allocated ÷ bytes of the body, one object of 3.8 KB", language: l, aim: 2, atMost: true, limit: bytesLimit}
		allocated, ok1 := review("B/review", "3.8k", "1", l)
		body, ok2 := review("body-B", "3.8k", "1", l)
		held.got, held.measured = allocated/body, ok1 && ok2
		batch := target{figure: "growth of the CPU per object with the batch, 0.9 KB", language: l, aim: 1.1, atMost: true, limit: batchLimit}
		batch.got, batch.measured = r.worst(l, "batch", func(object, _ string) bool { return object == "0.9k" })
		size := target{figure: "growth of the CPU per KB with the object, one object", language: l, aim: 1.1, atMost: true, limit: largeLimit}
		size.got, size.measured = r.worst(l, "object", func(_, batch string) bool { return batch == "1" })
		cores := target{figure: "two cores ÷ one, wall, 0.9 KB × 10,000", language: l, aim: 1.8, limit: coreLimit}
		cores.got, cores.measured = r.find("x-one-core", "BenchmarkCores", "system", l)
		better := target{figure: "server CPU over TLS, one object of 3.8 KB: B1 ÷ gateway", language: l, aim: 2.5, limit: overTLS}
		better.got, better.measured = r.find("x-B1", "BenchmarkTLS", "object", "3.8k", "server", l)
		echo := target{figure: "the same, gateway ÷ echo", language: l, aim: 1.15, atMost: true, limit: overTLS}
		echo.got, echo.measured = r.find("x-echo", "BenchmarkTLS", "object", "3.8k", "server", l)
		meter := target{figure: "metering: a guest's time with it ÷ without", language: l, aim: 1.2, atMost: true, limit: meterLimit}
		meter.got, meter.measured = r.find("x/unmetered", "BenchmarkMeter", "", "crontab-"+l)
		all = append(all, extra, allocs, held, batch, size, cores, better, echo, meter)
	}
	all = append(all, r.listGoals()...)
	all = append(all, r.moduleGoals()...)
	slices.SortStableFunc(all, func(a, b target) int { return r.order(all, a) - r.order(all, b) })
	return all
}

// order puts the languages of one figure together: it is the first place of a figure.
func (*results) order(all []target, t target) int {
	return slices.IndexFunc(all, func(other target) bool { return other.figure == t.figure })
}

// worst returns by how much the cost grows at most along a key, which is "batch" for µs an object or "object" for µs a kilobyte: the
// cost divided by the least of any smaller workload. 1 says that it never grows.
func (r *results) worst(language, key string, in func(object, batch string) bool) (growth float64, ok bool) {
	least := math.Inf(1)
	for _, l := range r.lines {
		if l.name != "BenchmarkReview" || l.keys["system"] != language || !in(l.keys["object"], l.keys["batch"]) {
			continue
		}
		cost := l.metrics["cpu-µs/object"]
		if key == "object" {
			cost /= kilobytes(l.keys["object"])
		}
		least = min(least, cost)
		growth, ok = max(growth, cost/least), true
	}
	return growth, ok
}

// targets is the table of the goals, with or without those that were not measured.
func (r *results) targets(all bool) grid {
	g := grid{{"figure", "module", "target", "measured", "met", "what limits it"}}
	for _, t := range r.goals() {
		if !all && !t.measured {
			continue
		}
		bound := "≥ "
		if t.atMost {
			bound = "≤ "
		}
		row := []string{t.figure, title(t.language), bound + strconv.FormatFloat(t.aim, 'g', -1, 64), "not in this run", "–", ""}
		if t.measured {
			row[3], row[4] = number(t.got), "yes"
			if !t.met() {
				row[4], row[5] = "**no**", t.limit
			}
		}
		g = append(g, row)
	}
	return g
}

// reached says in how many of the measured goals the target is met.
func (r *results) reached() string {
	var met, measured int
	for _, t := range r.goals() {
		if t.measured {
			measured++
			if t.met() {
				met++
			}
		}
	}
	return fmt.Sprintf("%d of %d", met, measured)
}
