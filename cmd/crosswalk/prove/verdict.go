package prove

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// The answers.
const (
	Proved         = "proved"
	Counterexample = "counterexample"
	NotDecided     = "not decided"
)

// Verdict is the answer for one rules file and one definition.
type Verdict struct {
	Kind     string         `json:"kind"`
	Versions []string       `json:"versions"`
	Answer   string         `json:"answer"`
	Lemmas   []string       `json:"lemmas"`
	Open     []Open         `json:"open"`
	Limits   []Limit        `json:"limits"`   // of a proof
	Excluded []string       `json:"excluded"` // what no proof is about
	Example  *fuzz.Finding  `json:"example,omitempty"`
	Asks     []fuzz.Finding `json:"asks"` // about fields that clients of the other version do not see
	Measures []fuzz.Measure `json:"measures"`
	There    string         `json:"there,omitempty"` // the example in the other version
	Back     string         `json:"back,omitempty"`  // the example after the way back
	Objects  int            `json:"objects"`         // that were converted there and back
	Rules    string         `json:"rules"`           // digests
	Schemas  string         `json:"schemas"`
	Mistyped []Open         `json:"-"` // see [Lemmas]
}

// Options bound the search for a counterexample.
type Options struct {
	Objects  int
	For      time.Duration
	Progress func(objects, findings int)
}

// seed decides which objects are generated, as in crosswalk fuzz.
const seed = 1

// Rules answers for a rules file, whose text is for the digest alone. It converts objects in any
// case: rules that lose one of them are not proved, whatever the lemmas say.
//
// # Errors
//
// An API server does not accept the definition, or ctx ended.
func Rules(ctx context.Context, f *rules.File, text []byte, crd *apiextensionsv1.CustomResourceDefinition, o Options) (*Verdict, error) {
	d, err := apiserver.New(crd)
	if err != nil {
		return nil, err
	}
	lemmas := Decide(f, d)
	v := &Verdict{Kind: f.Kind + "." + f.Group, Versions: f.Versions, Answer: NotDecided, Lemmas: lemmas.Applied, Open: lemmas.Open, Limits: lemmas.Limits, Mistyped: lemmas.Mistyped, Excluded: excluded, Rules: digest(text), Schemas: Digest(crd)}
	if crd.Spec.PreserveUnknownFields {
		v.Open = append(v.Open, Open{Condition: string(unknown), Path: ".", Text: "the definition sets preserveUnknownFields, so the API server keeps fields that no schema names"})
	}
	if v.Lemmas == nil {
		v.Lemmas = []string{}
	}
	if v.Open == nil {
		v.Open = []Open{}
	}
	if v.Limits == nil {
		v.Limits = []Limit{}
	}
	m, err := open(ctx, f)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	wasm, err := f.Module()
	if err != nil {
		return nil, err
	}
	report, err := fuzz.Run(ctx, fuzz.Config{CRD: crd, Modules: []fuzz.Module{m}, Words: fuzz.Literals(wasm), Seed: seed, Objects: o.Objects, For: o.For, Progress: o.Progress, Measure: true})
	if err != nil {
		return nil, err
	}
	v.Objects, v.Measures, v.Asks = report.Objects, report.Measures, report.Asks()
	for _, found := range report.Findings {
		if found.Property == fuzz.Rejected {
			v.Open = append(v.Open, Open{Condition: valid, Path: found.Path, Text: fmt.Sprintf("the schema of %s rejects it in converted objects of %s (%s): carry a value that it accepts, or accept that in lossy", found.To, found.From, found.Detail)})
		}
	}
	if err := v.refute(ctx, d, m, report); err != nil {
		return nil, err
	}
	if v.Answer == NotDecided && len(v.Open) == 0 {
		v.Answer = Proved
	}
	return v, nil
}

// open loads the module of a file.
func open(ctx context.Context, f *rules.File) (*module.Module, error) {
	wasm, err := f.Module()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "crosswalk-prove-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, f.ModuleName())
	if err := os.WriteFile(file, wasm, 0o644); err != nil {
		return nil, err
	}
	if sidecar := f.Sidecar(); sidecar != nil { // it has objects to begin with, and reasons
		if err := os.WriteFile(strings.TrimSuffix(file, ".wasm")+".yaml", sidecar, 0o644); err != nil {
			return nil, err
		}
	}
	return runtime.Open(ctx, file, runtime.OpenConfig{Limits: fuzz.Limits(module.Limits{}), SkipCases: true})
}

// refute takes the first finding that is a loss and shows again in the module as the counterexample.
// Any other loss leaves the verdict undecided.
func (v *Verdict) refute(ctx context.Context, d *apiserver.Definition, m *module.Module, report *fuzz.Report) error {
	for _, f := range slices.Concat(report.Findings, report.Known) {
		if f.Class == fuzz.ClassHidden || !Loses(&f) || v.stated(&f) {
			continue
		}
		there, back, shows, err := again(ctx, d, m, &f)
		if err != nil {
			return err
		}
		if shows {
			v.Answer, v.Example, v.There, v.Back = Counterexample, &f, there, back
			return nil
		}
		v.Open = append(v.Open, Open{Condition: string(known), Path: f.Path, Text: "crosswalk fuzz finds it, and it does not show again: " + f.Text()})
	}
	return nil
}

// stated reports whether a finding is an object that a limit says is refused.
func (v *Verdict) stated(f *fuzz.Finding) bool {
	return f.Property == fuzz.Refused && slices.ContainsFunc(v.Limits, func(l Limit) bool {
		if a := l.accepts; a.Line > 0 {
			return a.From == f.From && a.To == f.To && covers(a.Path, f.Path)
		}
		return l.Limit == refused && strings.Contains(f.Detail, tooLarge)
	})
}

// tooLarge is in the refusals of objects whose kept values do not fit the annotation
// (docs/spec/stash.md).
const tooLarge = "cannot hold this object: what it has no place for needs "

// Loses reports whether a finding contradicts the theorem: a value does not come back, an edit is
// undone, or an object has no answer.
func Loses(f *fuzz.Finding) bool {
	return slices.Contains([]string{fuzz.Lost, fuzz.Changed, fuzz.Added, fuzz.Reordered, fuzz.Stale, fuzz.Refused, fuzz.Violation, fuzz.Dependent}, f.Property)
}
