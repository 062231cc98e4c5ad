package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Retirement says how Retire is to work.
type Retirement struct {
	Migration
	// Confirm is asked before a step with a warning.
	Confirm func(Step) error
	// Step receives each step before it is done, with its number.
	Step func(number int, s Step)
}

// Retire does the steps of a plan that are ready, one after the other. It measures the plan again
// after each, and when somebody else has changed the definition, such as a second run. It returns the
// last plan, or nil if the cluster is no longer as that says. The error is ErrStopped if a step is not
// ready.
func (c *Cluster) Retire(ctx context.Context, t *Target, g Goal, r Retirement) (*Plan, error) {
	if r.Report == nil {
		r.Report = func(Progress) {}
	}
	p, err := newPlanner(c, t, g)
	if err != nil {
		return nil, err
	}
	plan, err := p.retire(ctx, r)
	if failed := p.disown(ctx); failed != nil && ctx.Err() == nil && !errors.As(failed, new(gone)) {
		r.Report(Progress{Text: "the field manager " + Manager + "-retire still owns spec.versions: " + failed.Error()})
	}
	return plan, err
}

func (p *planner) retire(ctx context.Context, r Retirement) (*Plan, error) {
	done, overtaken := map[string]int{}, 0
	again := func(err error) bool {
		if !errors.Is(err, errOvertaken) || overtaken == maxRetries {
			return false
		}
		overtaken++
		r.Report(Progress{Text: "somebody else has changed " + p.crd.Name + " meanwhile: looking again"})
		return true
	}
	for {
		plan, err := p.plan(ctx)
		if err != nil {
			return nil, err
		}
		next := plan.Next()
		if next != nil && next.State != Ready { // or the definition changed while it was measured
			if err := p.current(ctx); again(err) {
				continue
			} else if errors.As(err, new(gone)) {
				return nil, err
			}
		}
		switch {
		case next == nil:
			return plan, p.tidy(ctx, r.Report)
		case done[next.Name] == maxRetries:
			return plan, fmt.Errorf("%w: %s", ErrStopped, next.endless(p.goal.Remove))
		case done[next.Name] > 0 && next.Name != StepFields && next.Name != StepMigrate: // an object may have been restored meanwhile
			return plan, fmt.Errorf("%w: %s was done, and is undone: somebody else changes the definition, such as a GitOps engine with the old manifest; change it there", ErrStopped, next.Title)
		case next.State != Ready:
			return plan, fmt.Errorf("%w: %s is %s", ErrStopped, next.Title, next.State)
		}
		if next.Warning != "" {
			if err := r.Confirm(*next); err != nil {
				return plan, err
			}
		}
		r.Step(slices.IndexFunc(plan.Steps, func(s Step) bool { return s.Name == next.Name })+1, *next)
		if err = p.do(ctx, *next, r.Migration); again(err) {
			continue
		}
		if err == nil {
			done[next.Name]++
			err = p.refresh(ctx)
		}
		if err != nil {
			plan, err := p.failed(ctx, err)
			return plan, fmt.Errorf("%s: %w", next.Title, err)
		}
	}
}

// endless says why a step is never done, after some attempts.
func (s *Step) endless(version string) string {
	if s.Name == StepMigrate {
		return "somebody goes on changing the specification of the definition, which may hide a change of the storage version: wait for the end of that, then run the command again"
	}
	return "somebody goes on writing objects with managedFields at " + version + ", such as those of a backup: wait for the end of that, then run the command again"
}

// failed measures the plan after a step that failed: a part of it may be done, or somebody else has done
// it. The plan is nil if it cannot be measured: the one from before the step may be wrong by now. The
// error is the step's, or its cause.
func (p *planner) failed(ctx context.Context, err error) (*Plan, error) {
	if ctx.Err() != nil && !errors.As(err, new(*Interrupted)) {
		err = &Interrupted{what: "interrupted; ", How: again, err: ctx.Err()}
	}
	if cause := p.refresh(ctx); errors.As(cause, new(gone)) {
		return nil, cause
	} else if cause != nil {
		return nil, err
	}
	plan, unmeasured := p.plan(ctx)
	if unmeasured != nil {
		return nil, err
	}
	return plan, err
}

// tidy deletes the admission policies of versions that are gone, and with spec.conversion all of
// them. A run that finds every step done repeats it.
func (p *planner) tidy(ctx context.Context, report func(Progress)) error {
	var err error
	if c := p.target.Conversion(); c == nil || c.Strategy != apiextensions.WebhookConverter {
		err = p.cluster.Policies.Unenforce(ctx, p.target)
	} else {
		err = p.cluster.Policies.unenforceVersions(ctx, p.target, func(crd *apiextensions.CustomResourceDefinition, v string) bool {
			return !slices.Contains(served(crd), v)
		})
	}
	if Forbidden(err) { // they refuse nothing any more
		report(Progress{Text: "admission policies of attach --convertible, if there are any, stay without effect: " + err.Error()})
		return nil
	}
	return err
}

// do does one step, and waits until it is true.
func (p *planner) do(ctx context.Context, s Step, m Migration) error {
	to, v := p.goal.To, p.goal.Remove
	switch s.Name {
	case StepServe:
		return p.change(ctx, m.Report, func(o *unstructured.Unstructured) error { return setVersion(o, to, "served", true) }, serves(p.crd, to))
	case StepStore:
		return p.change(ctx, m.Report, func(o *unstructured.Unstructured) error {
			for _, name := range named(p.crd) {
				if err := setVersion(o, name, "storage", name == to); err != nil {
					return err
				}
			}
			return nil
		}, stores(p.crd, to))
	case StepMigrate:
		return p.cluster.MigrateStorage(ctx, p.crd, m)
	case StepUnserve:
		return p.change(ctx, m.Report, func(o *unstructured.Unstructured) error { return setVersion(o, v, "served", false) }, lacks(p.crd, v))
	case StepFields:
		return p.cluster.MigrateFields(ctx, p.crd, m)
	case StepRemove:
		return p.removeAndLook(ctx, m.Report)
	}
	return errors.New("it has to be done by somebody else")
}
