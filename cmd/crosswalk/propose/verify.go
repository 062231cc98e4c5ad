// Package propose makes rules from the schemas of a definition, and verifies them with generated
// objects: a rule that loses something is withdrawn or says so.
package propose

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// Bounds of a verification.
type Bounds struct {
	Objects int           // of the last round
	Time    time.Duration // of all rounds

	Progress func(objects, findings int) // see [fuzz.Config]
}

const (
	// firstObjects is the number of objects of a round that looks for rules to withdraw: blatant
	// losses show with the first hundred. A guess for which fewer could be converted in time goes.
	firstObjects = 500
	// maxRounds is the number of rounds after which all guesses are withdrawn.
	maxRounds = 12
	// seed decides which objects are generated, as in crosswalk fuzz.
	seed = 1
)

// Result is the outcome of a verification.
type Result struct {
	Objects   int      // of the last round
	Withdrawn int      // rules
	Lossy     int      // losses that the file names
	Carries   []string // what clients of the other version see, by pair of versions, and what it rejects
}

// verifier verifies one proposal.
type verifier struct {
	p      *Proposal
	crd    *apiextensionsv1.CustomResourceDefinition
	dir    string // of modules
	bounds Bounds
	end    time.Time
	result Result
}

// Verify converts generated objects with the proposed rules, withdraws the guesses that lose
// something, and writes the other losses and the number of objects into the proposal.
//
// # Errors
//
// ctx ended, or a file cannot be written. A proposal that cannot be verified says why.
func Verify(ctx context.Context, p *Proposal, crd *apiextensionsv1.CustomResourceDefinition, bounds Bounds) (*Result, error) {
	dir, err := os.MkdirTemp("", "crosswalk-propose-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	v := &verifier{p: p, crd: crd, dir: dir, bounds: bounds, end: time.Now().Add(bounds.Time)}
	report, err := v.rounds(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		p.Verified = []string{"Not verified: " + err.Error()}
		return &v.result, nil
	}
	v.conclude(report)
	return &v.result, nil
}

// rounds converts objects until no rule is withdrawn, and returns the report of the last round.
func (v *verifier) rounds(ctx context.Context) (*fuzz.Report, error) {
	objects := min(firstObjects, v.bounds.Objects)
	for round := 1; ; round++ {
		file, err := rules.Parse(v.p.Text())
		if err != nil {
			n := v.p.WithdrawAt(err)
			if v.result.Withdrawn += n; n == 0 {
				return nil, fmt.Errorf("the rules do not compile yet: %w", err)
			}
			continue
		}
		report, err := v.run(ctx, file, objects, round)
		if err != nil {
			return nil, err
		}
		switch {
		case v.withdraw(report, round >= maxRounds):
		case objects == v.bounds.Objects && report.Objects < min(firstObjects, objects):
			v.withdrawAll()
			return nil, fmt.Errorf("only %d objects could be converted within %s. Run it again when the machine is less busy", report.Objects, v.bounds.Time)
		case objects == v.bounds.Objects:
			return report, nil
		default:
			objects = v.bounds.Objects
		}
	}
}

// run converts objects in one round. Half of the remaining time is left for the next round.
func (v *verifier) run(ctx context.Context, file *rules.File, objects, round int) (*fuzz.Report, error) {
	wasm, err := file.Module()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(v.dir, fmt.Sprint(round), file.ModuleName())
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if err := os.WriteFile(path, wasm, 0o644); err != nil {
		return nil, err
	}
	m, err := runtime.Open(ctx, path, runtime.OpenConfig{Limits: fuzz.Limits(module.Limits{})})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	left := max(time.Until(v.end)/2, v.bounds.Time/32)
	return fuzz.Run(ctx, fuzz.Config{CRD: v.crd, Modules: []fuzz.Module{m}, Words: fuzz.Literals(wasm), Seed: seed, Objects: objects, For: left, Progress: v.bounds.Progress, Measure: objects == v.bounds.Objects})
}

// withdraw withdraws the guesses that are the cause of a finding, or all of them. It returns false
// if there are none.
func (v *verifier) withdraw(report *fuzz.Report, all bool) (some bool) {
	for i := range report.Findings {
		f := &report.Findings[i]
		if !loses(f) || f.Property == fuzz.Chain { // a third version lacks kept values; without the rule it lacks more
			continue
		}
		more, dropped := v.depend(f)
		some = some || more
		if defaults := strings.Contains(f.Detail, fuzz.AfterDefaults); defaults || dropped { // without the rule, the field is hidden, and no less is lost
			if r := v.cause(f, func(r *Rule) bool { return r.alone != "" && r.alone != r.Text }); defaults && r != nil { // they change the object
				r.Text, some = r.alone, true
			}
			continue
		}
		if r := v.cause(f, func(r *Rule) bool { return r.Guess() && !r.shown }); r != nil {
			r.Withdraw(shown(f))
			v.result.Withdrawn++
			some = true
		}
	}
	if some && all {
		v.withdrawAll()
	}
	return some
}

// depend lets dropped fields depend on the object around them, if a finding is about an object that a
// client removed, and that a dropped value makes again. It reports whether there were some, and whether a
// dropped value may be the cause at all.
func (v *verifier) depend(f *fuzz.Finding) (some, cause bool) {
	if f.Property != fuzz.Stale {
		return false, false
	}
	for _, pair := range v.p.Pairs {
		for _, r := range pair.All() {
			for side, other := range []string{pair.To, pair.From} {
				object := parentOf(r.Paths[side])
				if other != f.From || !strings.HasPrefix(r.Text, "drop: ") {
					continue
				}
				for object != "" && values.SchemaAt(v.crd, other, object) == nil {
					object = parentOf(object)
				}
				if object == "" || related(object, f.Path) < 0 {
					continue
				}
				cause = true
				if r.alone == "" && strings.Contains(object, ".") && !strings.ContainsAny(object, "[*") {
					r.alone, r.Text = r.Text, r.Text+fmt.Sprintf(", for: [%s]", quoted(object))
					some = true
				}
			}
		}
	}
	return some, cause
}

// withdrawAll withdraws all guesses.
func (v *verifier) withdrawAll() {
	for _, pair := range v.p.Pairs {
		for _, r := range pair.Rules {
			if r.Guess() {
				r.Withdraw("it is not verified")
				v.result.Withdrawn++
			}
		}
	}
}

// conclude writes the losses of the last round, and the number of its objects.
func (v *verifier) conclude(report *fuzz.Report) {
	rejected := map[string][]string{} // paths, by version
	for i := range report.Findings {
		f := &report.Findings[i]
		if !loses(f) {
			if f.Property == fuzz.Rejected && !slices.Contains(rejected[f.To], f.Path) {
				rejected[f.To] = append(rejected[f.To], f.Path)
			}
			continue
		}
		into := &v.p.Others
		if r := v.cause(f, func(*Rule) bool { return true }); r != nil {
			into = &r.Lost
		}
		*into = append(*into, Loss{Kind: kind(f), Way: f.From + "→" + f.To, Text: shown(f)})
	}
	v.result.Lossy = v.p.JoinLosses()
	v.result.Objects = report.Objects
	text := fmt.Sprintf("%d objects of generated kinds came back equal, edits in the other version included (crosswalk fuzz, seed %d).", report.Objects, seed)
	if v.result.Lossy > 0 {
		losses := "1 loss"
		if v.result.Lossy > 1 {
			losses = fmt.Sprintf("%d losses", v.result.Lossy)
		}
		text = fmt.Sprintf("%d objects of generated kinds were converted there and back, edits in the other version included (crosswalk fuzz, seed %d): they came back equal, except for %s that this file names.", report.Objects, seed, losses)
	}
	if report.Truncated {
		text += " There are more losses."
	}
	v.p.Verified = []string{text}
	v.result.Carries = fuzz.Lines(report.Measures)
	for _, version := range slices.Sorted(maps.Keys(rejected)) {
		v.result.Carries = append(v.result.Carries, fmt.Sprintf("The schema of %s rejects values of other versions: %s.", version, enumerate(rejected[version], maxPaths)))
	}
	v.p.Verified = append(append(v.p.Verified, v.result.Carries...), "Dropped fields have the limits of the stash: the module refuses an object with more than 128 KiB in them, and a client that removes an object around one gets it back.")
}

// kind returns a text for findings of one cause.
func kind(f *fuzz.Finding) string {
	if regained(f) {
		return f.Property
	}
	return f.Property + " " + f.Path
}

// regained reports whether a finding is about an object that a client removed, and that the values
// kept of its fields make again.
func regained(f *fuzz.Finding) bool {
	return f.Property == fuzz.Stale && strings.HasPrefix(f.Detail, fuzz.Added)
}
