// Package fuzz finds values that converters lose: it generates objects that an API server would
// store, converts them along every route as a gateway does, and compares.
//
// A run passes these files: given.go and generated.go have the objects, and large.go
// those near the size limit. record.go has each batch checked. checks.go lists the checks, each with a
// file of its own, such as roundtrip.go; convert.go converts for them, and compare.go and class.go find
// the differences. measure.go reports the fields that clients of the other version see. smallest.go
// shrinks the object of a new finding, and finding.go and cause.go make the report.
package fuzz

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Config is a run.
type Config struct {
	CRD     *apiextensionsv1.CustomResourceDefinition
	Modules []Module          // that convert the definition's kind
	Given   []json.RawMessage // objects to begin with; those of other kinds are ignored, and the golden cases are always used
	Words   []string          // for texts of some objects, such as literals of the modules
	Seed    uint64
	Objects int           // ends the run; 0 means no bound
	For     time.Duration // ends the run, with all that is going on; 0 means no bound
	Large   bool          // tests objects near the size limit, which takes some seconds
	// Stored are objects to test instead of generated ones, until their end; an error ends the run.
	Stored iter.Seq2[json.RawMessage, error]
	// Measure adds what clients of the other version see, before the other checks and not within For.
	Measure bool

	// Progress is called now and then with the number of objects and findings; nil if nobody looks.
	Progress func(objects, findings int)
}

// Limits returns the limits for loading a module to test. A module that fails at many objects is
// still called for each of them, where a gateway's circuit breaker would answer. Its fuel bounds a
// call, and hardly ever the clock: a busy machine is not the module's fault.
func Limits(l module.Limits) module.Limits {
	l.CallTime = max(l.CallTime, time.Minute)
	l.BreakerFaults, l.BreakerPause, l.BreakerPauseMax = 1<<30, 1, 1
	return l
}

// Run tests modules. It is deterministic for a Seed and a number of Objects.
//
// # Errors
//
// The definition is not one that an API server accepts, or the modules convert none of its
// versions. If ctx ended, the report has what was found until then. Faults of the modules are in the
// report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	measured, err := newFuzzer(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Measure {
		measured.report.Measures, err = measured.measures(ctx, cfg.Seed, cfg.Words, measured.given(), func(ctx context.Context, from, to *version, object *subject, s symptom) error {
			return measured.record(ctx, check{stored: true, run: measured.judge}, from, to, object, s)
		})
		if err != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
	}
	all, small := ctx, ctx
	if cfg.For > 0 {
		end := time.Now().Add(cfg.For)
		var cancel, cancelSmall context.CancelFunc
		all, cancel = context.WithDeadline(ctx, end)
		defer cancel()
		if cfg.Large {
			end = end.Add(-min(cfg.For/largeShare, maxLargeTime))
		}
		small, cancelSmall = context.WithDeadline(ctx, end)
		defer cancelSmall()
	}
	f, err := newFuzzer(all, cfg)
	if err != nil {
		return nil, err
	}
	f.report.Measures, f.report.Findings, f.byKey = measured.report.Measures, append(measured.report.Findings, f.undeclaredNames()...), measured.byKey
	f.report.Given, f.report.Truncated = f.judged(ctx), measured.report.Truncated
	switch {
	case cfg.Stored != nil:
		err = f.runStored(ctx, cfg.Stored)
	default:
		if err = f.small(small); err == nil || over(small) != nil && over(ctx) == nil {
			if err = f.large(all); over(all) != nil {
				err = nil // the time is over
			}
		}
	}
	if cfg.Objects > f.report.Objects && over(small) != nil && over(ctx) == nil {
		f.report.Stopped = fmt.Sprintf("the time of %v was over after %d of %d objects: more time (--for) finds more", cfg.For, f.report.Objects, cfg.Objects)
	}
	if err := over(ctx); err != nil {
		return f.finish(), cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// maxLargeTime and largeShare bound the time for objects near the size limit within Config.For.
const (
	maxLargeTime = 10 * time.Second
	largeShare   = 4 // a quarter
)

// fuzzer is the state of a run: it has objects checked, and keeps the findings.
type fuzzer struct {
	*checker
	cfg    Config
	report Report
	byKey  map[string]int // index into report.Findings
}

func newFuzzer(ctx context.Context, cfg Config) (*fuzzer, error) {
	def, err := apiserver.New(cfg.CRD)
	if err != nil {
		return nil, err
	}
	f := &fuzzer{checker: newChecker(def, cfg.Modules), cfg: cfg, byKey: map[string]int{}}
	given := f.given()
	for _, v := range def.Versions {
		f.versions = append(f.versions, &version{Version: v, generator: generate.New(ctx, v, cfg.Seed, given[v.APIVersion]...), back: map[*version]bool{}, defaults: v.HasDefaults()})
	}
	for _, v := range f.versions {
		v.generator.Learn(cfg.Words)
		v.generator.LearnMetadata(f.metadata(v.Name))
		for _, other := range def.Versions {
			v.generator.LearnVersion(other.Schema)
		}
	}
	some := false
	for _, from := range f.versions {
		for _, to := range f.versions {
			if from != to && f.edges.reach(from.Name, to.Name) {
				from.targets = append(from.targets, to)
				from.back[to] = f.edges.reach(to.Name, from.Name)
				some = true
			}
		}
	}
	if !some {
		var names []string
		for _, v := range def.Versions {
			names = append(names, v.Name)
		}
		return nil, fmt.Errorf("%w of %s.%s, which are %s", ErrNoRoute, def.Kind, def.Group, strings.Join(names, ", "))
	}
	return f, nil
}

// counted counts an object to test, and returns it for the checks.
func (f *fuzzer) counted(v *version, object map[string]any) *subject {
	v.objects++
	f.report.Objects++
	s := &subject{value: object, text: encode(object), n: f.report.Objects}
	if v.first == nil {
		v.first = s
	}
	return s
}

// ErrNoRoute reports modules that do not convert between versions of the definition.
var ErrNoRoute = errors.New("the modules convert no two of the versions")

// maxUnreached is the most goals of a version that a report names.
const maxUnreached = 1000

// finish returns the report.
func (f *fuzzer) finish() *Report {
	var losses []artifact.Loss
	for _, m := range f.cfg.Modules {
		losses = append(losses, m.Losses()...)
	}
	for _, v := range f.versions {
		if v.objects == 0 {
			continue
		}
		goals, unreached := v.generator.Coverage()
		c := Coverage{Version: v.Name, Objects: v.objects, Goals: goals, Kept: v.kept, Large: v.large}
		for _, u := range unreached[:min(len(unreached), maxUnreached)] {
			text := u.Path + ": " + u.What
			if u.Why != "" {
				text += " (" + u.Why + ")"
			}
			c.Unreached = append(c.Unreached, text)
		}
		f.report.Versions = append(f.report.Versions, c)
	}
	f.report.dropHollow()
	f.report.explain(f.versions)
	f.report.questions(func(found *Finding) string {
		for _, l := range losses {
			if acknowledges(l, found) {
				return l.Reason
			}
		}
		return ""
	})
	f.report.acknowledge(losses)
	f.report.sort()
	return &f.report
}
