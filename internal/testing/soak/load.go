package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// tally counts the results that the clients saw.
type tally struct {
	good, goodFailed, hostile, hostileUnanswered atomic.Int64
	firstFailure                                 atomic.Pointer[string]
}

func (t *tally) fail(what string) {
	t.goodFailed.Add(1)
	t.firstFailure.CompareAndSwap(nil, &what)
}

// review returns a ConversionReview of objects of one group and kind.
func review(group, kind, from, to string, objects ...string) string {
	for i, rest := range objects {
		objects[i] = fmt.Sprintf(`{"apiVersion":"%s/%s","kind":"%s","metadata":{"name":"o%d","namespace":"default","uid":"9f1c"}%s}`, group, from, kind, i, rest)
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"soak","desiredAPIVersion":"%s/%s","objects":[%s]}}`,
		group, to, strings.Join(objects, ","))
}

// goodReviews are reviews that must succeed; each returns a part of the expected answer. The number
// makes both repeated objects, which the cache knows, and new ones.
var goodReviews = []func(n int64) (body, want string){
	func(n int64) (body, want string) {
		image := fmt.Sprintf(`"image":"backup:%d"`, n%100)
		return review("stable.example.com", "CronTab", "v1", "v2", `,"spec":{"cronSpec":"30 2 * * 1-5",`+image+`}`), image
	},
	func(n int64) (body, want string) { // a new object each time, of some kilobytes: the cache fills and drops others
		host := fmt.Sprintf(`"host":"node-%d"`, n)
		return review("chain.example.com", "Widget", "v1alpha1", "v1beta1", `,"spec":{"colour":"red","count":"3",`+host+`,"pad":"`+strings.Repeat("x", int(n%8000))+`"}`), host
	},
	func(n int64) (body, want string) { // by two modules
		host := fmt.Sprintf(`"hosts":["node-%d"]`, n%10)
		return review("chain.example.com", "Widget", "v1alpha1", "v1", fmt.Sprintf(`,"spec":{"colour":"red","count":"3","host":"node-%d"}`, n%10)), host
	},
	func(n int64) (body, want string) {
		return review("example.com", "Widget", "v1", "v2", fmt.Sprintf(`,"spec":{"n":%d}`, n)), `"module":"one"`
	},
	func(n int64) (body, want string) { // several objects, which are converted in one batch
		var objects []string
		for i := range 5 {
			objects = append(objects, fmt.Sprintf(`,"spec":{"engine":"postgres","version":"16.%d","storage":{"size":"1Gi"},"users":[]}`, (n+int64(i))%200))
		}
		return review("db.example.com", "Database", "v1", "v1beta1", objects...), fmt.Sprintf(`"image":"postgres:16.%d"`, (n+4)%200)
	},
}

// load has clients convert by the good modules until ctx ends. The function that it returns waits
// for that.
func (t *tally) load(ctx context.Context, g *gateway, clients int) (wait func()) {
	var wg sync.WaitGroup
	var goods atomic.Int64
	for range clients {
		wg.Go(func() { // ends with ctx
			for ctx.Err() == nil {
				n := goods.Add(1)
				body, want := goodReviews[n%int64(len(goodReviews))](n)
				answer, err := g.convert(ctx, body)
				switch {
				case ctx.Err() != nil:
				case err != nil:
					t.fail(err.Error())
				case !strings.Contains(answer, `"status":"Success"`), !strings.Contains(answer, want):
					t.fail(fmt.Sprintf("answer without %s: %s", want, answer))
				default:
					t.good.Add(1)
				}
			}
		})
	}
	return wg.Wait
}

// attack has clients convert by the hostile modules until ctx ends. The function that it returns
// waits for that.
func (t *tally) attack(ctx context.Context, g *gateway, hostile []string, from *attack) (wait func()) {
	var wg sync.WaitGroup
	var hostiles atomic.Int64
	const together = 4 // ask the same module, which has an instance for each CPU
	for range together {
		if !from.on {
			break
		}
		wg.Go(func() { // ends with ctx
			for ctx.Err() == nil {
				from.ran.Add(1)
				kind := hostile[int(hostiles.Add(1)-1)/together%len(hostile)]
				answer, err := g.convert(ctx, review("hostile.example.com", kind, "v1", "v2", `,"spec":{}`))
				switch {
				case ctx.Err() != nil:
				case errors.Is(err, errPutOff): // the module is still being loaded
				case err != nil || !strings.Contains(answer, `"uid":"soak"`):
					t.hostileUnanswered.Add(1)
				default:
					t.hostile.Add(1)
				}
			}
		})
	}
	return wg.Wait
}
