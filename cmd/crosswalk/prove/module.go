package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/scope"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Enumerated is the answer about a module in any language: it was tested with every object of a
// small scope.
type Enumerated struct {
	Module  string         `json:"module"`
	Kind    string         `json:"kind"`
	Scope   int            `json:"scope"`   // all objects with so many choices or fewer were converted; -1 if not even the smallest ones were
	Objects int            `json:"objects"` // of that scope
	Beyond  int            `json:"beyond"`  // objects of the next scope that were converted until the time was over
	Next    float64        `json:"next"`    // the candidates of the next scope, about
	Losses  []fuzz.Finding `json:"losses"`
	Known   []fuzz.Finding `json:"known"` // losses that the sidecar acknowledges
	Schemas string         `json:"schemas"`

	Asks     []fuzz.Finding `json:"asks,omitempty"` // about fields that clients of the other version do not see
	Measures []fuzz.Measure `json:"measures,omitempty"`
}

// Bounds end an enumeration.
type Bounds struct {
	Scope int           // the last one
	For   time.Duration // ends it within a scope
	// Progress is called now and then; of is about how many objects the scope has.
	Progress func(scope, objects int, of float64)
}

// maxCandidates is the most candidates of a scope that is begun.
const maxCandidates = 1e12

// Module converts every object of scope 0, 1, 2 and so on there and back, with all checks of
// crosswalk fuzz, until a loss is found or the bounds end it. Objects with one choice have all
// fields of the schemas; those with more have the declared fields of the module, if it declares
// some, because it sees no others.
//
// # Errors
//
// An API server does not accept the definition, the module converts none of its versions, or ctx
// ended.
func Module(ctx context.Context, m *module.Module, crd *apiextensionsv1.CustomResourceDefinition, b Bounds) (*Enumerated, error) {
	d, err := apiserver.New(crd)
	if err != nil {
		return nil, err
	}
	all := &Enumerated{Module: m.Name(), Kind: d.Kind + "." + d.Group, Scope: -1, Losses: []fuzz.Finding{}, Known: []fuzz.Finding{}, Schemas: Digest(crd)}
	timed, cancel := context.WithTimeout(ctx, b.For)
	defer cancel()
	for choices := 0; choices <= b.Scope; choices++ {
		e := &enumeration{d: d, m: m, choices: choices, bounds: b}
		if all.Next = e.count(); all.Next > maxCandidates || all.Next == 0 && choices > 1 { // too many, or all are converted
			return all, nil
		}
		report, err := fuzz.Run(ctx, fuzz.Config{CRD: crd, Modules: []fuzz.Module{m}, Seed: seed, Stored: e.objects(timed), Thorough: true})
		if err != nil {
			return nil, err
		}
		all.take(report)
		if len(all.Losses) > 0 || timed.Err() != nil {
			all.Beyond = report.Objects
			return all, nil
		}
		all.Scope, all.Next = choices, 0
		all.Objects += report.Objects
	}
	return all, nil
}

// take adds the findings of a report that contradict the theorem.
func (e *Enumerated) take(report *fuzz.Report) {
	for _, f := range report.Findings {
		if Loses(&f) {
			e.Losses = append(e.Losses, f)
		}
	}
	for _, f := range report.Known {
		known := slices.ContainsFunc(e.Known, func(other fuzz.Finding) bool {
			return other.Path == f.Path && other.From == f.From && other.To == f.To && other.Property == f.Property
		})
		if Loses(&f) && !known {
			e.Known = append(e.Known, f)
		}
	}
}

// enumeration is the objects of all versions with exactly so many choices.
type enumeration struct {
	d       *apiserver.Definition
	m       *module.Module
	choices int
	bounds  Bounds
}

// scope returns the objects of a version.
func (e *enumeration) scope(v *apiserver.Version) *scope.Scope {
	fields := e.m.Declared()
	return scope.New(v, fields[v.Name], fields == nil || e.choices < 2)
}

// converted reports whether the module converts objects of a version.
func (e *enumeration) converted(v *apiserver.Version) bool {
	for _, edge := range e.m.Edges() {
		if edge.Kind == e.d.Kind && edge.Group == e.d.Group && edge.From == v.Name {
			return true
		}
	}
	return false
}

// count returns how many objects there are, before an API server rejects some.
func (e *enumeration) count() (sum float64) {
	for _, v := range e.d.Versions {
		if e.converted(v) {
			sum += e.scope(v).Count(e.choices)
		}
	}
	return sum
}

// objects returns them, until ctx ends.
func (e *enumeration) objects(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		n, of := 0, e.count()
		for _, v := range e.d.Versions {
			if !e.converted(v) {
				continue
			}
			for object := range e.scope(v).Objects(ctx, e.choices) {
				text, err := json.Marshal(object)
				if err != nil {
					err = fmt.Errorf("an object of %s: %w", v.Name, err)
				}
				if n++; e.bounds.Progress != nil && n%64 == 0 {
					e.bounds.Progress(e.choices, n, of)
				}
				if !yield(text, err) || err != nil {
					return
				}
			}
		}
	}
}
