package serve

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Conversion names a conversion. Kind is <Kind>.<group>, or "none" for kinds that no module
// converts; From and To are empty where the gateway counts several together.
type Conversion struct{ Kind, From, To string }

// reviewTimes are the bounds of buckets of a review's time, in seconds: from a cached answer (well
// below 1 ms) to the 30 s after which the API server gives up.
var reviewTimes = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30}

// Totals are the numbers of reviews for a conversion since the start. The metrics have more; these
// can be read without a scrape.
type Totals struct {
	Reviews, Failed, Objects uint64
	Time                     time.Duration // of all reviews together
	Last                     *Failure      // the newest; nil if no review failed

	times [len(reviewTimes) + 1]uint64 // reviews by time: up to each of reviewTimes, and longer
}

// Failure is a review that failed. Message names the object and never quotes its content.
type Failure struct {
	At      time.Time
	Message string // at most maxKept bytes and an ellipsis
	UID     string // of the review, as in the log
}

// maxKept bounds the message of a failure, of which 1,512 pairs each keep one.
const maxKept = 1 << 10

// Plus returns the totals of both.
func (t Totals) Plus(other Totals) Totals {
	for i, n := range other.times {
		t.times[i] += n
	}
	if t.Last == nil || other.Last != nil && other.Last.At.After(t.Last.At) {
		t.Last = other.Last
	}
	t.Reviews, t.Failed, t.Objects, t.Time = t.Reviews+other.Reviews, t.Failed+other.Failed, t.Objects+other.Objects, t.Time+other.Time
	return t
}

// Since returns the totals of the reviews after before, which was read earlier. Last stays.
func (t Totals) Since(before Totals) Totals {
	for i, n := range before.times {
		t.times[i] -= n
	}
	t.Reviews, t.Failed, t.Objects, t.Time = t.Reviews-before.Reviews, t.Failed-before.Failed, t.Objects-before.Objects, t.Time-before.Time
	return t
}

// Median returns the time within which half of the reviews were answered, as precise as the buckets
// of the metric; 0 without reviews.
func (t Totals) Median() time.Duration {
	var all uint64
	for _, n := range t.times {
		all += n
	}
	below, from := 0.0, 0.0
	for i, n := range t.times {
		if half := float64(all) / 2; n > 0 && below+float64(n) >= half {
			to := reviewTimes[min(i, len(reviewTimes)-1)]
			return time.Duration((from + (to-from)*(half-below)/float64(n)) * float64(time.Second))
		}
		below += float64(n)
		from = reviewTimes[min(i, len(reviewTimes)-1)]
	}
	return 0
}

// totals count the reviews for a pair. They are safe for concurrent use.
type totals struct {
	reviews, failed, objects, nanoseconds atomic.Uint64

	times [len(reviewTimes) + 1]atomic.Uint64
	last  atomic.Pointer[Failure]
}

func (t *totals) add(o *host.Outcome, took time.Duration) {
	bucket, _ := slices.BinarySearch(reviewTimes[:], took.Seconds())
	t.times[bucket].Add(1)
	t.reviews.Add(1)
	if o.Failure != "" {
		t.failed.Add(1)
		t.last.Store(&Failure{time.Now(), foreign.Shorten(o.Message, maxKept), foreign.Shorten(o.UID, 128)})
	}
	t.objects.Add(uint64(o.Objects))
	t.nanoseconds.Add(uint64(took))
}

func (t *totals) read() Totals {
	now := Totals{Reviews: t.reviews.Load(), Failed: t.failed.Load(), Objects: t.objects.Load(), Time: time.Duration(t.nanoseconds.Load()), Last: t.last.Load()}
	for i := range t.times {
		now.times[i] = t.times[i].Load()
	}
	return now
}
