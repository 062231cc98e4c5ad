package load

import (
	"context"
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// passCases converts the object of every case and returns an error for the first wrong answer. The
// cases run as in production, one after the other, so a module that depends on earlier objects
// fails here. They may take half of CompileTime, so that the vetting child itself can report that
// they take too long; on a busy machine that is a *BusyError.
func passCases(ctx context.Context, m *module.Module) error {
	limit := m.Limits().CompileTime / 2
	began, used := time.Now(), child.Used()
	deadline := began.Add(limit)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	sidecar := m.Sidecar()
	for i := range sidecar.Cases {
		c := &sidecar.Cases[i]
		err := tryCase(ctx, m, c, &CaseResult{}) // not counted: a test is not traffic
		if err != nil && !time.Now().Before(deadline) {
			return lateCases(sidecar.File, limit, child.Used()-used, time.Since(began))
		}
		if err != nil {
			return fmt.Errorf("%s: %s: from %s to %s %w", sidecar.File, c.Label, c.Edge.From, c.Edge.To, err)
		}
	}
	return nil
}

// lateCases is the error of cases that exceeded limit, for which this process used so much processor
// time.
func lateCases(sidecar string, limit, used, elapsed time.Duration) error {
	err := fmt.Errorf("%s: its cases take longer than %v, the limit for all cases of a module: use fewer or cheaper cases", sidecar, limit)
	if starved(used, elapsed) {
		return &BusyError{err}
	}
	return err
}

// CaseResult is the result of a golden case.
type CaseResult struct {
	Case    module.Case
	Got     []byte // the answer, with apiVersion, kind and metadata, and without a stash that Case.Stash lists; nil if there is none
	Stash   []byte // the values in that stash, by pointer
	Refusal string // the text with which the module refused the object
	Hint    string // why the case fails, if that is known; Err has it, too
	Err     error  // the difference from the case; nil if it passes
}

// TryCases converts the objects of all golden cases of a module that was loaded without them
// (Config.SkipCases), and reports each result.
func TryCases(ctx context.Context, m *module.Module) []CaseResult {
	results := make([]CaseResult, len(m.Sidecar().Cases))
	for i, c := range m.Cases() {
		results[i].Case = c
		results[i].Err = tryCase(ctx, m, &m.Sidecar().Cases[i], &results[i])
	}
	return results
}

// TryObject converts one object as golden cases are converted: the module sees its declared fields,
// and the answer has the rest. It returns the text of a refusal, or the reason why there is no
// answer.
func TryObject(ctx context.Context, m *module.Module, edge artifact.Edge, object []byte) (answer []byte, refusal string, err error) {
	converted, refused, fault, wrong := convertWhole(ctx, m, edge, object)
	text, isRefusal := refused[0]
	switch {
	case wrong != nil:
		return nil, "", fmt.Errorf("the module's answer %w", wrong)
	case fault != nil:
		return nil, "", fmt.Errorf("the module failed: %w", fault)
	case isRefusal:
		return nil, text, nil
	}
	answer, err = artifact.FillIn(converted, edge.Group+"/"+edge.To, edge.Kind, object)
	return answer, "", err
}

// tryCase converts the object of one case and stores the answer. It returns the difference from the
// case, with the hint for it, if there is one.
func tryCase(ctx context.Context, m *module.Module, c *artifact.GoldenCase, r *CaseResult) error {
	err := passCase(ctx, m, c, r)
	if err == nil {
		return nil
	}
	if r.Hint = hintOf(ctx, m, c); r.Hint != "" {
		err = fmt.Errorf("%w: %s", err, r.Hint)
	}
	return err
}

// passCase is tryCase without the hint.
func passCase(ctx context.Context, m *module.Module, c *artifact.GoldenCase, r *CaseResult) error {
	converted, refused, fault, wrong := convertWhole(ctx, m, c.Edge, c.Object)
	refusal, isRefusal := refused[0]
	r.Refusal = refusal
	switch {
	case wrong != nil:
		return fmt.Errorf("the module's answer %w", wrong)
	case fault != nil:
		return fmt.Errorf("the module failed: %w", fault)
	case isRefusal && c.WantError == "":
		return fmt.Errorf("the module refuses the object, which it should convert: %s", foreign.Fit(refusal, maxShown))
	case isRefusal && refusal != c.WantError:
		return fmt.Errorf("the module refuses the object with %q, not with %q", foreign.Fit(refusal, maxShown), foreign.Fit(c.WantError, maxShown))
	case isRefusal:
		return nil
	case c.WantError != "":
		r.Got, _ = artifact.FillIn(converted, c.To(), c.Edge.Kind, c.Object)
		return fmt.Errorf("the module converts the object, which it should refuse with %q", foreign.Fit(c.WantError, maxShown))
	}
	got, err := artifact.FillIn(converted, c.To(), c.Edge.Kind, c.Object)
	if err != nil {
		return fmt.Errorf("the module's answer is wrong: %w", err)
	}
	r.Got = got
	if c.Stash != nil {
		if r.Got, r.Stash, err = takeStash(got, c.Edge.Group, c.Edge.From); err != nil {
			return fmt.Errorf("the module's answer has a stash that cannot be read: %w", err)
		}
	}
	if c.Want != nil && !rawjson.Equal(c.Want, r.Got) {
		return fmt.Errorf("the module's answer differs from want in %s", differenceOf(c.Want, r.Got))
	}
	if c.Stash != nil && !rawjson.Equal(c.Stash, r.Stash) {
		return fmt.Errorf("the stash of the module's answer differs from stash in %s", differenceOf(c.Stash, r.Stash))
	}
	if c.ThereAndBack {
		return comesBack(ctx, m, c, got)
	}
	return nil
}

// comesBack converts the answer of a case back and returns its difference from the object.
func comesBack(ctx context.Context, m *module.Module, c *artifact.GoldenCase, answer []byte) error {
	edge := artifact.Edge{Group: c.Edge.Group, Kind: c.Edge.Kind, From: c.Edge.To, To: c.Edge.From}
	converted, refused, fault, wrong := convertWhole(ctx, m, edge, answer)
	switch refusal, isRefusal := refused[0]; {
	case wrong != nil:
		return fmt.Errorf("and back, the module's answer %w", wrong)
	case fault != nil:
		return fmt.Errorf("and back, the module failed: %w", fault)
	case isRefusal:
		return fmt.Errorf("and back, the module refuses its own answer: %s", foreign.Fit(refusal, maxShown))
	}
	back, err := artifact.FillIn(converted, c.Edge.Group+"/"+c.Edge.From, c.Edge.Kind, answer)
	if err != nil {
		return fmt.Errorf("and back, the module's answer is wrong: %w", err)
	}
	if !rawjson.Equal(c.Object, back) {
		return fmt.Errorf("and back, the object differs in %s", differenceOf(c.Object, back))
	}
	return nil
}
