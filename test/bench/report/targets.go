package main

import (
	"math"
)

// figures returns all targets with their measurements.
func (r *results) figures() []figure {
	var all []figure
	for _, of := range [][]figure{r.batchFigures(), r.singleFigures(), r.serverFigures(), r.loadFigures()} {
		all = append(all, of...)
	}
	return all
}

// review returns a function that finds a metric of BenchmarkReview for a module whose name there
// ends in a suffix.
func (r *results) review(unit, object, batch, suffix string) func(string) (float64, bool) {
	return func(language string) (float64, bool) {
		return r.find(unit, "BenchmarkReview", "object", object, "batch", batch, "system", language+suffix)
	}
}

// coresAim is the target for the speedup of two cores over one.
const coresAim = 1.8

// batchFigures returns the targets for large reviews in one process.
func (r *results) batchFigures() []figure {
	share := func(language string) (float64, bool) { return r.find("share", "BenchmarkLimit", "system", language) }
	return []figure{{
		name: "CPU in process, 3.8 KB × 1,000: B1 ÷ gateway", languages: []string{"c", "rust", "go", "assemblyscript", "kubebuilder"},
		aims:  map[string]float64{"c": 20, "rust": 15, "go": 8, "assemblyscript": 15, "kubebuilder": 1},
		limit: scanLimit, limits: map[string]string{"go": guestLimit, "assemblyscript": guestLimit, "kubebuilder": encodingLimit},
		got: r.review("x-B1", "3.8k", "1000", ""),
	}, {
		name: "the same with declared fields", languages: []string{"c", "rust", "go", "typed"},
		aims:  map[string]float64{"c": 30, "rust": 25, "go": 15, "typed": 3},
		limit: projectedLimit, limits: map[string]string{"typed": encodingLimit},
		got: r.review("x-B1", "3.8k", "1000", projectedSuffix),
	}, {
		name: "share of the limit, 3.8 KB × 1,000", languages: []string{"c", "c" + projectedSuffix}, aim: 0.6, limit: shareLimit, got: share,
	}, {
		name: "growth of the CPU per object with the batch, 0.9 KB", languages: r.languages(), aim: 1.1, atMost: true, limit: batchLimit,
		got: func(language string) (float64, bool) {
			return r.worst(language, "batch", func(object, _ string) bool { return object == "0.9k" })
		},
	}, {
		name: "two cores ÷ one, wall, 0.9 KB × 10,000", languages: r.languages(), aim: coresAim, limit: coreLimit,
		got: func(language string) (float64, bool) {
			most, ok := r.find("x-arithmetic", "BenchmarkCores", "system", language)
			if ok && most < coresAim {
				return 0, false // the machine had no second core to use
			}
			return r.find("x-one-core", "BenchmarkCores", "system", language)
		},
	}, {
		name: "metering: time of a guest with it ÷ without", languages: r.languages(), aim: 1.12, atMost: true, limit: meterLimit,
		got: func(language string) (float64, bool) {
			return r.find("x/unmetered", "BenchmarkMeter", "", "crontab-"+language)
		},
	}}
}

// singleFigures returns the targets for reviews of one object in one process.
func (r *results) singleFigures() []figure {
	alone, among := r.review("cpu-µs/object", "3.8k", "1", ""), r.review("cpu-µs/object", "3.8k", "100", "")
	allocated, body := r.review("B/review", "3.8k", "1", ""), r.review("body-B", "3.8k", "1", "")
	again := r.review("x-B1", "3.8k", "1", "")
	return []figure{{
		name: "CPU in process, 3.8 KB × 1: B1 ÷ gateway", languages: []string{"c", "rust", "go"},
		aims:  map[string]float64{"c": 18, "rust": 15, "go": 8},
		limit: oneLimit, limits: map[string]string{"go": resetLimit}, got: again,
	}, {
		name: "extra CPU of a single object over one among 100, 3.8 KB, µs", languages: r.languages(), aim: 15, atMost: true,
		aims:  map[string]float64{"go": 350}, // it touches far more memory
		limit: aloneLimit, limits: map[string]string{"nim": commandLimit, "lua": commandLimit},
		got: func(language string) (float64, bool) {
			one, ok1 := alone(language)
			many, ok2 := among(language)
			return max(one-many, 0), ok1 && ok2
		},
	}, {
		name: "growth of the CPU per KB with the object, one object", languages: r.languages(), aim: 1.1, atMost: true, limit: largeLimit,
		got: func(language string) (float64, bool) {
			return r.worst(language, "object", func(_, batch string) bool { return batch == "1" })
		},
	}, {
		name: "allocations of a review of one object, 3.8 KB", languages: r.languages(), aim: 15, atMost: true,
		limit: allocationLimit, limits: map[string]string{"nim": commandLimit, "lua": commandLimit},
		got: r.review("allocs/review", "3.8k", "1", ""),
	}, {
		name: "bytes allocated ÷ bytes of the body, one object of 3.8 KB", languages: r.languages(), aim: 2, atMost: true,
		limit: allocationLimit, limits: map[string]string{"nim": commandLimit, "lua": commandLimit},
		got: func(language string) (float64, bool) {
			bytes, ok1 := allocated(language)
			of, ok2 := body(language)
			return bytes / of, ok1 && ok2
		},
	}, {
		name: "CPU in process, 3.8 KB × 1, answered from the cache: B1 ÷ gateway", aim: 60, limit: cacheLimit,
		got: func(string) (float64, bool) { return again("cached") },
	}}
}

// serverFigures returns the targets for reviews of one object over TLS, and for lists through an
// API server.
func (r *results) serverFigures() []figure {
	metric := func(unit string) func(string) (float64, bool) {
		return func(language string) (float64, bool) {
			return r.find(unit, "BenchmarkTLS", "object", "3.8k", "server", language)
		}
	}
	limits := map[string]string{"go": resetLimit, "javascript": interpreterLimit, "nim": commandLimit, "lua": commandLimit}
	hit, listed := metric("x-echo"), r.listed()
	list := func(language string) (float64, bool) {
		return r.find("x-echo-wall", "BenchmarkList", "server", language)
	}
	return []figure{{
		name: "server CPU over TLS, one object of 3.8 KB: B1 ÷ gateway", languages: r.languages(), aim: 2.5, limit: floorLimit, limits: limits, got: metric("x-B1"),
	}, {
		name: "the same: gateway ÷ echo", languages: []string{"c", "go"}, aims: map[string]float64{"c": 1.3, "go": 1.6}, atMost: true, limit: floorLimit, limits: limits, got: metric("x-echo"),
	}, {
		name: "the same ÷ echo, answered from the cache", aim: 1.15, atMost: true, limit: floorLimit,
		got: func(string) (float64, bool) { return hit("cached") },
	}, {
		name: "wall time of a LIST of 10,000 objects of 3.8 KB through an API server: gateway ÷ echo", languages: listed,
		aim: 1.08, aims: map[string]float64{"c": 1.04}, atMost: true, limit: listLimit, got: list,
	}}
}

// loadFigures returns the targets for a module's memory, and for the time until a directory of
// modules serves.
func (r *results) loadFigures() []figure {
	start := func(variant string) func(string) (float64, bool) {
		return func(string) (float64, bool) {
			ms, ok := r.find("cpu-ms", "BenchmarkStart", "C", "100", "", variant)
			return ms / 1000, ok
		}
	}
	return []figure{{
		name: "memory of a loaded module, its image and an idle instance, MiB", languages: []string{"c", "rust"}, aim: 1.5, atMost: true, limit: compiledLimit,
		got: func(language string) (held float64, measured bool) {
			measured = true
			for _, unit := range []string{"module-KiB", "image-KiB", "instance-KiB"} {
				v, ok := r.find(unit, "BenchmarkFootprint", "language", language)
				held += v / 1024
				measured = measured && ok
			}
			return held, measured
		},
	}, {
		name: "CPU of a start with 100 modules in C, vetted, s", aim: 15, atMost: true, limit: vettingLimit, got: start("vet"),
	}, {
		name: "the same from the compile cache", aim: 0.5, atMost: true, limit: sealLimit, got: start("cached"),
	}}
}

// worst returns the largest growth of the cost along a key, which is "batch" for µs per object or
// "object" for µs per kilobyte: the cost divided by the lowest cost of any smaller workload. 1
// means that it never grows.
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
