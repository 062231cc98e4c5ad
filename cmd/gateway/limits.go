package main

import (
	goruntime "runtime"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
)

// The limits that are not flags, because operators have no reason to change them, beside the defaults
// of module.Limits. docs/use/flags-and-metrics.md lists all under "Fixed limits".
const (
	// settleTime is how long --modules must be quiet before a change is loaded: it outlasts the
	// gaps within one update of a volume.
	settleTime = 250 * time.Millisecond
	// pollInterval is for file systems without events: a kubelet takes one to two minutes to update
	// a volume.
	pollInterval = 10 * time.Second

	// maxObjects bounds the objects of one review: 100,000 small objects are 22 MB, more than any
	// list that can be converted before etcd compacts its revision, after 5 minutes.
	maxObjects = 100_000
	// maxDepth bounds the nesting of an object: a tenth of the depth that API servers read.
	maxDepth = 1000
	// inFlightPerCPU reviews are converted at a time. One kind may have half of them, and one namespace
	// alone 2.7: enough for a module's one instance a CPU while others are read, checked and written.
	inFlightPerCPU = 8
	// maxQueue reviews wait for a slot, for queueTimeout at most: an API server repeats a rejected
	// review after one second. One kind may have half of the places.
	maxQueue     = 200
	queueTimeout = time.Second
	// startGrace is how long reviews are rejected with 503 while modules load: an API server
	// repeats a review 10 times, a second apart.
	startGrace = 20 * time.Second
)

// maxInFlight is the number of reviews that are converted at a time.
func maxInFlight() int { return inFlightPerCPU * goruntime.GOMAXPROCS(0) }

// times are the fixed limits that tests shorten or lengthen.
type times struct{ StartGrace, Settle, Poll time.Duration }

func fixedTimes() times { return times{startGrace, settleTime, pollInterval} }

// size is a flag's number of bytes.
type size = bytesize.Value
