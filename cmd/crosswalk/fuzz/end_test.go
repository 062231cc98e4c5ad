package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// costly returns a run over a definition whose objects take much work: lists that no process holds,
// and rules whose evaluation an API server would break off.
func costly(t *testing.T) Config {
	t.Helper()
	version := func(name string) string {
		return `  - name: ` + name + `
    served: true
    storage: ` + fmt.Sprint(name == "v1") + `
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              a: {type: array, minItems: 2000000000, items: {type: integer}}
              b: {type: array, minItems: 300, items: {type: array, minItems: 300, items: {type: string}}}
              c: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, self.all(z, x + y + z > -1)))"}]}
`
	}
	all, err := definition.Read([]byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, plural: crontabs}
  versions:
` + version("v1") + version("v2")))
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile("../../../runtime/testdata/good_echo.wasm")
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, "CronTab.stable.example.com_v1_v2", wasm, "")
	return Config{CRD: all[0].CRD, Modules: []Module{m}, Seed: 1, Large: true}
}

// TestRunEndsWithItsTime tests that the time bounds everything, the size phase included: without it
// this run does not end.
func TestRunEndsWithItsTime(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat("1,", 3000), ",")
	for _, during := range []time.Duration{1, time.Second} {
		cfg := costly(t)
		cfg.For = during
		cfg.Given = []json.RawMessage{json.RawMessage(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"c":[` + list + `]}}`)}
		report, err := Run(t.Context(), cfg)
		if err != nil || len(report.Findings) > 0 {
			t.Errorf("%v: %+v, %v", during, report, err)
		}
	}
}

// TestInterruptedRunReports tests that a run that is interrupted returns what it found and tested.
func TestInterruptedRunReports(t *testing.T) {
	reason := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cfg := costly(t)
	seen := 0
	cfg.Progress = func(objects, _ int) {
		if seen = objects; objects >= 64 {
			cancel(reason)
		}
	}
	report, err := Run(ctx, cfg)
	if !errors.Is(err, reason) || report == nil || report.Objects != seen {
		t.Errorf("%+v, %v: want %d objects", report, err, seen)
	}
	if report != nil && len(report.Versions) == 0 {
		t.Error("the report has no versions")
	}
}

// TestInterruptedShrinkingKeepsTheFinding interrupts the shrinking of an object.
func TestInterruptedShrinkingKeepsTheFinding(t *testing.T) {
	cfg := costly(t)
	f, err := newFuzzer(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	from, to := f.versions[0], f.versions[1]
	text := []byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{}}`)
	value, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	endless := check{run: func(ctx context.Context, _, _ *version, _ []*subject) ([][]symptom, error) {
		cancel()
		return nil, ctx.Err()
	}}
	err = f.record(ctx, endless, from, to, &subject{value: value, text: text, n: 1}, symptom{property: Refused, key: "k", was: absent{}, is: absent{}})
	if !errors.Is(err, context.Canceled) || len(f.report.Findings) != 1 || string(f.report.Findings[0].Object) == "" || !f.report.Findings[0].cutShort {
		t.Errorf("%v: %+v", err, f.report.Findings)
	}
}

// TestCutShortFindingIsNotJudged tests that a finding whose path was not found in time does not count if
// the sidecar acknowledges one in its direction: with more time it might be that one.
func TestCutShortFindingIsNotJudged(t *testing.T) {
	for _, c := range []struct {
		name            string
		finding         Finding
		loss            artifact.Loss
		findings, known int
	}{
		{"cut short", Finding{From: "v1", To: "v2", Path: ".", cutShort: true}, artifact.Loss{From: "v1", To: "v2", Path: "spec.a"}, 0, 0},
		{"other direction", Finding{From: "v1", To: "v2", Path: ".", cutShort: true}, artifact.Loss{From: "v2", To: "v1", Path: "spec.a"}, 1, 0},
		{"no single value", Finding{From: "v1", To: "v2", Path: "."}, artifact.Loss{From: "v1", To: "v2", Path: "spec.a"}, 1, 0},
		{"class not known", Finding{From: "v1", To: "v2", Path: "spec.a", Class: ClassValue, cutShort: true}, artifact.Loss{From: "v1", To: "v2", Path: "spec.a", Class: ClassNoField}, 0, 0},
		{"other path", Finding{From: "v1", To: "v2", Path: "spec.b", cutShort: true}, artifact.Loss{From: "v1", To: "v2", Path: "spec.a"}, 1, 0},
		{"acknowledged", Finding{From: "v1", To: "v2", Path: "spec.a", cutShort: true}, artifact.Loss{From: "v1", To: "v2", Path: "spec.a"}, 0, 1},
	} {
		r := &Report{Findings: []Finding{c.finding}}
		r.acknowledge([]artifact.Loss{c.loss})
		if len(r.Findings) != c.findings || len(r.Known) != c.known {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// lateTimer is a context whose timer never fires, as on a machine where it is very late.
type lateTimer struct {
	context.Context
	end time.Time
}

func (c lateTimer) Deadline() (time.Time, bool) { return c.end, true }

// TestLateTimerIsNoFault tests that a module's call that ends at the run's deadline is not reported
// as a fault of the module, if the timer of the run's context is later than the call's own look at
// the clock.
func TestLateTimerIsNoFault(t *testing.T) {
	f, err := newFuzzer(t.Context(), costly(t))
	if err != nil {
		t.Fatal(err)
	}
	objects := [][]byte{[]byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)}
	answers, err := f.convert.convert(lateTimer{t.Context(), time.Now()}, "stable.example.com/v2", objects)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v: want the error of a run that is over", answers, err)
	}
}
