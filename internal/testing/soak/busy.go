package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// slow is a kind whose module is correct and slow.
const slow = "Slow"

// placeBusy adds the module of a busy team.
func (d *directories) placeBusy() error {
	return place("cmd/gateway/testdata/slow.wasm", filepath.Join(d.of(busy), slow+".busy.example.com_v1_v2.wasm"), -1)
}

// team is a use of the gateway that is honest and takes all that it can get.
type team struct {
	attack  string
	name    string
	clients int
	review  func(n int64) string
}

var teams = []team{
	{slowReviews, "slow reviews", 12, func(n int64) string {
		return review("busy.example.com", slow, "v1", "v2", fmt.Sprintf(`,"spec":{"n":%d,"pad":"%s"}`, n, strings.Repeat("x", 30_000)))
	}},
	{largeReviews, "lists of 100,000 objects", 4, func(int64) string {
		objects := strings.Repeat(`{"apiVersion":"busy.example.com/v1","kind":"Bare"},`, 100_000)
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"soak","desiredAPIVersion":"busy.example.com/v2","objects":[` + strings.TrimSuffix(objects, ",") + `]}}`
	}},
	{largeReviews, "objects of 60,000 fields", 4, func(int64) string {
		var fields strings.Builder
		for i := range 60_000 {
			fmt.Fprintf(&fields, `,"f%d":1`, i)
		}
		return review("busy.example.com", "Bare", "v1", "v2", fields.String())
	}},
}

// work has the teams send reviews until ctx ends. The function that it returns waits for that and
// says how many were answered: of those that the gateway rejects, none need be.
func (g *gateway) work(ctx context.Context, a attacks) (wait func()) {
	var wg sync.WaitGroup
	answered, rejected := make([]atomic.Int64, len(teams)), make([]atomic.Int64, len(teams))
	for i, t := range teams {
		from := a.of(t.attack)
		if !from.on {
			continue
		}
		for range t.clients {
			wg.Go(func() { // ends with ctx
				for n := int64(0); ctx.Err() == nil; n++ {
					from.ran.Add(1)
					if _, err := g.convert(ctx, t.review(n)); err == nil {
						answered[i].Add(1)
					} else if ctx.Err() == nil {
						rejected[i].Add(1)
					}
				}
			})
		}
	}
	return func() {
		wg.Wait()
		for i, t := range teams {
			if !a.of(t.attack).on {
				continue
			}
			fmt.Printf("%8d × %s of a busy team; %d were rejected for ten seconds\n", answered[i].Load(), t.name, rejected[i].Load())
		}
	}
}
