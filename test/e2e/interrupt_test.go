package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// after is a transport that does something after a write that the API server took.
type after struct {
	next http.RoundTripper
	do   func()
}

func (a *after) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet && answer.StatusCode < 300 {
		a.do()
	}
	return answer, err
}

// steps are the steps of a retirement that write.
var steps = []string{attach.StepStore, attach.StepMigrate, attach.StepUnserve, attach.StepFields, attach.StepRemove}

// retireUntil retires v1, and calls do after the first write of a step.
func retireUntil(t *testing.T, ctx context.Context, c *cronTabs, step string, do func()) (*attach.Plan, error) {
	t.Helper()
	return retireWith(t, ctx, c, func(string) {}, func(now string) {
		if now == step {
			do()
		}
	})
}

// retireWith retires v1. It calls before ahead of each step, and within after the first write of each.
func retireWith(t *testing.T, ctx context.Context, c *cronTabs, before, within func(step string)) (*attach.Plan, error) {
	t.Helper()
	var unwritten atomic.Value // the step that has not written yet: several writers work at the same time
	unwritten.Store("")
	config := rest.CopyConfig(shared.uncached.REST)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &after{next: next, do: func() {
			if step := unwritten.Swap("").(string); step != "" {
				within(step)
			}
		}}
	})
	cluster, err := attach.NewCluster(config)
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Retire(ctx, find(t, c.cluster, c.crd.Name), attach.Goal{Remove: "v1"}, attach.Retirement{
		Migration: attach.Migration{Rate: 1e6, Report: func(p attach.Progress) { t.Log(p.Text) }},
		Confirm:   func(attach.Step) error { return nil },
		Step: func(_ int, s attach.Step) {
			before(s.Name)
			unwritten.Store(s.Name)
		},
	})
}

// TestRetireInterrupted: the user ends retire after the first write of each step. It says how to go on and
// shows no plan that is not true any more, another run goes on, and managers apply all the time.
func TestRetireInterrupted(t *testing.T) {
	c := newCronTabs(t)
	const objects = 30
	for i := range objects {
		c.mustApply(t, "v1", "old", fmt.Sprintf("cron-%d", i), "spec: {cronSpec: 0 7 * * *, image: one}")
	}
	apply := func() {
		t.Helper()
		for i := range objects {
			c.mustApply(t, "v2", "new", fmt.Sprintf("cron-%d", i), "spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*'}")
		}
	}
	for _, step := range steps {
		ctx, cancel := context.WithCancel(deadline(t))
		plan, err := retireUntil(t, ctx, c, step, cancel)
		if ctx.Err() == nil {
			t.Fatalf("retire ended before it wrote in the step %s: %v", step, err)
		}
		cancel()
		t.Log(err)
		if !errors.As(err, new(*attach.Interrupted)) || !strings.Contains(err.Error(), ": interrupted") || !strings.Contains(err.Error(), "run the command again to go on") {
			t.Errorf("interrupted in the step %s, retire ended with %v", step, err)
		}
		if plan != nil {
			t.Errorf("interrupted in the step %s, retire returned the plan from before it", step)
		}
		apply()
	}
	if code, output := crosswalk(t, kubeconfig(t), "retire", c.crd.Name, "v1", "--yes", "--idle", "0s"); code != 0 || !strings.Contains(output, "8  DONE     remove v1") {
		t.Errorf("retire ended with %d", code)
	}
	apply()
	for i := range objects {
		o := get(t, c.v2, fmt.Sprintf("cron-%d", i))
		for _, e := range o.GetManagedFields() {
			if e.APIVersion != "stable.example.com/v2" {
				t.Errorf("%s has an entry of %s at %s", o.GetName(), e.Manager, e.APIVersion)
			}
		}
		c.mustApply(t, "v2", "old", o.GetName(), "spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: two}")
	}
}

// TestRetireDeletedInEachStep: somebody deletes the definition, or creates it again, after the first write
// of each step. retire says so, and leaves a new definition alone.
func TestRetireDeletedInEachStep(t *testing.T) {
	c := newCronTabs(t)
	install := func() {
		crd := c.crd.DeepCopy()
		crd.ResourceVersion, crd.UID = "", types.UID("")
		if err := shared.uncached.Install(deadline(t), crd); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range steps {
		for _, again := range []bool{false, true} {
			for i := range 30 {
				c.mustApply(t, "v1", "old", fmt.Sprintf("cron-%d", i), "spec: {cronSpec: 0 7 * * *, image: one}")
			}
			created, want := "", "was deleted meanwhile"
			plan, err := retireUntil(t, deadline(t), c, step, func() {
				if err := shared.uncached.Remove(deadline(t), c.crd); err != nil {
					t.Error(err)
				}
				if again {
					install()
					created, want = definition(t, c.crd.Name).ResourceVersion, "was deleted and created again meanwhile"
				}
			})
			t.Log(err)
			if err == nil || !strings.Contains(err.Error(), want) || plan != nil {
				t.Errorf("deleted in the step %s, retire ended with %v and the plan %+v", step, err, plan)
			}
			switch {
			case !again:
				install()
			case definition(t, c.crd.Name).ResourceVersion != created:
				t.Errorf("deleted and created again in the step %s, the definition was changed", step)
			}
		}
	}
}
