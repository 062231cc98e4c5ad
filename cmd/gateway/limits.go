package main

import (
	goruntime "runtime"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
)

// The limits that are not flags, because operators have no reason to change them.
// docs/use/flags-and-metrics.md lists them under "Fixed limits".
const (
	// maxDirectoryBytes bounds all files in --modules together: 16 modules of the largest size that
	// --max-module-bytes allows by default.
	maxDirectoryBytes size = 512 << 20
	// compileTimeout bounds vetting and compiling one module: the same module takes 54 s on a
	// loaded machine.
	compileTimeout = 2 * time.Minute
	// settleTime is how long --modules must be quiet before a change is loaded: it outlasts the
	// gaps within one update of a volume.
	settleTime = 250 * time.Millisecond
	// pollInterval is for file systems without events: a kubelet takes one to two minutes to update
	// a volume.
	pollInterval = 10 * time.Second

	// instanceWait bounds the wait for an instance: a client that is told to retry then has time
	// left of the API server's 30 s.
	instanceWait = 5 * time.Second
	// instanceIdleTime is how long an unused instance is kept: starting another one takes a few
	// milliseconds.
	instanceIdleTime = 5 * time.Minute

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

// maxModuleInstances is the number of instances of one module that work at a time: more would only
// wait for a CPU.
func maxModuleInstances() int { return goruntime.GOMAXPROCS(0) }

// times are the fixed limits that tests shorten or lengthen.
type times struct{ StartGrace, Settle, Poll time.Duration }

func fixedTimes() times { return times{startGrace, settleTime, pollInterval} }

// size is a flag's number of bytes.
type size = bytesize.Value
