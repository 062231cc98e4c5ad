// Package bench measures conversions.
package bench

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

const (
	// listObjects is how many objects a list has. API servers convert lists in one review.
	listObjects = 1000
	// maxSamples bounds the reviews of one object.
	maxSamples = 200_000
	// leastLists is how many lists are converted at least. The fastest counts, because other load
	// inflates wall time.
	leastLists = 3
	// Budget is how long an API server waits for a review by default.
	Budget = 30 * time.Second
)

// Result is the measurement of one pair of versions.
type Result struct {
	Kind    string  `json:"kind"` // <Kind>.<group>
	From    string  `json:"from"` // bare versions
	To      string  `json:"to"`
	Objects int     `json:"objects"` // different ones
	Bytes   int     `json:"bytes"`   // of an object, on average
	P50     float64 `json:"p50"`     // of a review of one object, in microseconds
	P99     float64 `json:"p99"`
	InList  float64 `json:"inList"` // microseconds for an object in a list of 1,000
	Fuel    int64   `json:"fuel"`   // for an object, on average, of all modules of the route
	// FuelShare is Fuel as a part of the limit for such an object, and ListShare the time for a
	// list of 10,000 objects as a part of the API server's timeout.
	FuelShare float64 `json:"fuelShare"`
	ListShare float64 `json:"listShare"`
	// Memory is what an idle instance of each module of the route keeps, together, and PeakMemory
	// the most that they had at the end of a call, in bytes.
	Memory     int64 `json:"memory"`
	PeakMemory int64 `json:"peakMemory"`
}

// Convert converts objects in one review.
type Convert func(ctx context.Context, objects []json.RawMessage) error

// Measure measures conversions of objects for twice a time at least: one object in a review, and
// lists. work returns the fuel that the modules have used so far. It leaves out objects that are
// not converted, and returns nil if none is.
func (r *Result) Measure(ctx context.Context, convert Convert, work func() int64, limits module.Limits, objects []json.RawMessage, during time.Duration) (*Result, error) {
	var good []json.RawMessage
	total := 0
	for _, object := range objects { // which also warms the module up
		if convert(ctx, []json.RawMessage{object}) == nil {
			good = append(good, object)
			total += len(object)
		}
	}
	if len(good) == 0 {
		return nil, ctx.Err()
	}
	r.Objects, r.Bytes = len(good), total/len(good)

	before := work()
	for _, object := range good {
		if err := convert(ctx, []json.RawMessage{object}); err != nil {
			return nil, err
		}
	}
	r.Fuel = (work() - before) / int64(len(good))
	r.FuelShare = float64(r.Fuel) / float64(limits.FuelPerObject+int64(r.Bytes)*limits.FuelPerByte)

	var samples []time.Duration
	for end := time.Now().Add(during); len(samples) < len(good) || time.Now().Before(end) && len(samples) < maxSamples; {
		start := time.Now()
		if err := convert(ctx, good[len(samples)%len(good):][:1]); err != nil {
			return nil, err
		}
		samples = append(samples, time.Since(start))
	}
	slices.Sort(samples)
	r.P50, r.P99 = micros(samples[len(samples)/2]), micros(samples[len(samples)*99/100])

	list := make([]json.RawMessage, listObjects)
	for i := range list {
		list[i] = good[i%len(good)]
	}
	best := time.Duration(0)
	for n, end := 0, time.Now().Add(during); n < leastLists || time.Now().Before(end); n++ {
		start := time.Now()
		if err := convert(ctx, list); err != nil {
			return nil, err
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	r.InList = micros(best) / listObjects
	r.ListShare = r.InList * 10_000 / micros(Budget)
	return r, nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
