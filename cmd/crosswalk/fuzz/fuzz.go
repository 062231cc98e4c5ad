// Package fuzz finds values that converters lose: it generates objects that an API server would
// store, converts them along every route as a gateway does, and compares.
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
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Config is a run.
type Config struct {
	CRD     *apiextensionsv1.CustomResourceDefinition
	Modules []*module.Module  // that convert the definition's kind
	Given   []json.RawMessage // objects to begin with; those of other kinds are ignored, and the golden cases are always used
	Words   []string          // for texts of some objects, such as literals of the modules
	Seed    uint64
	Objects int           // ends the run; 0 means no bound
	For     time.Duration // ends the run, with all that is going on; 0 means no bound
	Large   bool          // tests objects near the size limit, which takes some seconds
	// Stored are objects to test instead of generated ones, until their end; an error ends the run.
	Stored iter.Seq2[json.RawMessage, error]
	// Thorough runs all checks on all objects. Otherwise checks that convert an object several times
	// run on some.
	Thorough bool

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

const (
	// batchSize is how many objects are generated at once.
	batchSize = 16
	// maxShrinks is how often a finding's object is tried smaller.
	maxShrinks = 400
	// maxUnreached is the most goals of a version that a report names.
	maxUnreached = 1000
)

// Run tests modules. It is deterministic for a Seed and a number of Objects.
//
// # Errors
//
// The definition is not one that an API server accepts, or the modules convert none of its
// versions. If ctx ended, the report has what was found until then. Faults of the modules are in the
// report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
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
	f.undeclaredNames()
	switch {
	case cfg.Stored != nil:
		err = f.runStored(ctx)
	default:
		if err = f.small(small); err == nil || over(small) != nil && over(ctx) == nil {
			if err = f.large(all); over(all) != nil {
				err = nil // the time is over
			}
		}
	}
	if err := over(ctx); err != nil {
		return f.finish(), cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// over returns the error of a context that ended, or that would have if its timer were not late, as
// timers are beside a guest: the module's calls look at the clock, too.
func over(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if end, bounded := ctx.Deadline(); bounded && !time.Now().Before(end) {
		return context.DeadlineExceeded
	}
	return nil
}

// maxLargeTime and largeShare bound the time for objects near the size limit within Config.For.
const (
	maxLargeTime = 10 * time.Second
	largeShare   = 4 // a quarter
)

// fuzzer is the state of a run.
type fuzzer struct {
	cfg      Config
	def      *apiserver.Definition
	convert  *converter
	whole    *converter // shows whole objects to modules with declared fields; nil if there are none
	versions []*version
	report   Report
	byKey    map[string]int // index into report.Findings
}

// version is one version of the definition with its objects.
type version struct {
	*apiserver.Version
	generator *generate.Generator
	targets   []*version // to convert to
	back      map[*version]bool
	objects   int
	first     *subject // the first object, a companion for others
	batches   int
	done      bool // no object can be generated
	defaults  bool // the schema has some
	thorough  bool // see Config
}

// subject is an object to convert.
type subject struct {
	value map[string]any
	text  []byte
	n     int    // how many objects were generated with it
	whole []byte // of a fragment: the object that it is a part of; nil if it does not matter
}

func newFuzzer(ctx context.Context, cfg Config) (*fuzzer, error) {
	def, err := apiserver.New(cfg.CRD)
	if err != nil {
		return nil, err
	}
	f := &fuzzer{cfg: cfg, def: def, byKey: map[string]int{}}
	f.convert = newConverter(cfg.Modules, func(m *module.Module) host.Module { return m })
	for _, m := range cfg.Modules {
		if m.Declared() != nil {
			f.whole = newConverter(cfg.Modules, func(m *module.Module) host.Module { return whole{m} })
		}
	}
	given := f.given()
	for _, v := range def.Versions {
		f.versions = append(f.versions, &version{Version: v, generator: generate.New(ctx, v, cfg.Seed, given[v.APIVersion]...), back: map[*version]bool{}, defaults: v.HasDefaults(), thorough: cfg.Thorough})
	}
	for _, v := range f.versions {
		v.generator.Learn(cfg.Words)
	}
	some := false
	for _, from := range f.versions {
		for _, to := range f.versions {
			if from != to && f.reaches(from.Name, to.Name) {
				from.targets = append(from.targets, to)
				from.back[to] = f.reaches(to.Name, from.Name)
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

// given returns the objects to begin with, by apiVersion: those of the caller, and those of the
// golden cases.
func (f *fuzzer) given() map[string][]map[string]any {
	all := map[string][]map[string]any{}
	add := func(text []byte, golden bool) {
		object, err := decode(text)
		if err != nil || object["kind"] != f.def.Kind {
			return
		}
		version, _ := object["apiVersion"].(string)
		meta, ok := object["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			object["metadata"] = meta
		}
		if f.def.Namespaced && meta["namespace"] == nil {
			meta["namespace"] = "default"
		}
		for key := range annotationsOf(object) {
			if golden && isOwn(f.def.Group, key) { // of a fragment, perhaps, or of an object that changed since
				delete(annotationsOf(object), key)
			}
		}
		for key, value := range map[string]any{"name": "given", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z"} {
			if _, there := meta[key]; !there {
				meta[key] = value
			}
		}
		all[version] = append(all[version], object)
	}
	for _, text := range f.cfg.Given {
		add(text, false)
	}
	for _, m := range f.cfg.Modules {
		for _, c := range m.Cases() {
			add(c.Object, true)
			if c.Want != nil {
				add(c.Want, true)
			}
		}
	}
	return all
}

// ErrNoRoute reports modules that do not convert between versions of the definition.
var ErrNoRoute = errors.New("the modules convert no two of the versions")

// errNoObjects reports a schema that no object was found for.
var errNoObjects = errors.New("no object was found that its API server accepts")

// small tests generated objects.
func (f *fuzzer) small(ctx context.Context) error {
	for {
		idle := true
		for _, v := range f.versions {
			if len(v.targets) == 0 || v.done {
				continue
			}
			if f.cfg.Objects > 0 && f.report.Objects >= f.cfg.Objects {
				return nil
			}
			batch := f.batch(ctx, v)
			if v.done = len(batch) == 0 && over(ctx) == nil; v.done {
				if v.objects == 0 {
					return fmt.Errorf("version %s of %s.%s: %w: %s", v.Name, f.def.Kind, f.def.Group, errNoObjects, v.generator.Why())
				}
				continue
			}
			idle = false
			err := over(ctx)
			if err == nil {
				err = f.test(ctx, v, batch)
			}
			if err != nil { // the batch is not tested
				v.objects -= len(batch)
				f.report.Objects -= len(batch)
				return err
			}
			v.batches++
			if f.cfg.Progress != nil {
				f.cfg.Progress(f.report.Objects, len(f.report.Findings))
			}
		}
		if idle {
			return nil
		}
	}
}

// batch generates objects of a version.
func (f *fuzzer) batch(ctx context.Context, v *version) (batch []*subject) {
	count := batchSize
	if f.cfg.Objects > 0 {
		count = min(count, f.cfg.Objects-f.report.Objects)
	}
	for range count {
		object := v.generator.Next(ctx)
		if object == nil {
			break
		}
		v.objects++
		f.report.Objects++
		s := &subject{value: object, text: encode(object), n: f.report.Objects}
		if v.first == nil {
			v.first = s
		}
		batch = append(batch, s)
	}
	return batch
}

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
		c := Coverage{Version: v.Name, Objects: v.objects, Goals: goals}
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
	f.explain()
	f.report.acknowledge(losses)
	f.report.sort()
	return &f.report
}
