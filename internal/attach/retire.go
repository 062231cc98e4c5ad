package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// effectTime is the time within which an API server follows a change of a definition.
const effectTime = time.Minute

// Retire does the steps of a plan that are ready, one after the other. It measures the plan again
// after each, and returns the last one, or nil if the cluster is no longer as the last one says. The
// error is ErrStopped if a step is not ready.
func (c *Cluster) Retire(ctx context.Context, t *Target, g Goal, r Retirement) (*Plan, error) {
	p, err := newPlanner(c, t, g)
	if err != nil {
		return nil, err
	}
	done := map[string]int{}
	for {
		plan, err := p.plan(ctx)
		if err != nil {
			return nil, err
		}
		next := plan.Next()
		switch {
		case next == nil:
			return plan, p.tidy(ctx, r.Report)
		case done[next.Name] == maxRetries:
			return plan, fmt.Errorf("%w: somebody goes on writing objects with managedFields at %s, such as those of a backup: wait for the end of that, then run the command again", ErrStopped, g.Remove)
		case done[next.Name] > 0 && next.Name != StepFields: // an object may have been restored meanwhile
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
		err = p.do(ctx, *next, r.Migration)
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
		err = p.cluster.Unenforce(ctx, p.target)
	} else {
		err = p.cluster.unenforceVersions(ctx, p.target, func(crd *apiextensions.CustomResourceDefinition, v string) bool {
			return !slices.Contains(served(crd), v)
		})
	}
	if Forbidden(err) { // they refuse nothing any more
		if report != nil {
			report(Progress{Text: "admission policies of attach --convertible, if there are any, stay without effect: " + err.Error()})
		}
		return nil
	}
	return err
}

// refresh reads the definition again.
func (p *planner) refresh(ctx context.Context) error {
	if _, err := p.cluster.current(ctx, p.crd); err != nil {
		return err
	}
	t, err := p.cluster.refresh(ctx, p.target)
	if err != nil {
		return err
	}
	p.target, p.crd = t, t.Definitions[0]
	return nil
}

// do does one step, and waits until it is true.
func (p *planner) do(ctx context.Context, s Step, m Migration) error {
	to, v := p.goal.To, p.goal.Remove
	switch s.Name {
	case StepServe:
		return p.change(ctx, func(o *unstructured.Unstructured) error { return setVersion(o, to, "served", true) }, to, true)
	case StepStore:
		return p.change(ctx, func(o *unstructured.Unstructured) error {
			for _, name := range named(p.crd) {
				if err := setVersion(o, name, "storage", name == to); err != nil {
					return err
				}
			}
			return nil
		}, to, true)
	case StepMigrate:
		return p.cluster.MigrateStorage(ctx, p.crd, m)
	case StepUnserve:
		return p.change(ctx, func(o *unstructured.Unstructured) error { return setVersion(o, v, "served", false) }, v, false)
	case StepFields:
		return p.cluster.MigrateFields(ctx, p.crd, m)
	case StepRemove:
		return p.change(ctx, p.removeVersion, v, false)
	}
	return errors.New("it has to be done by somebody else")
}

// removeVersion removes the version, and with the last but one also spec.conversion. Both leave in
// one write: between two, API servers would look for fields of one version in objects of another.
func (p *planner) removeVersion(o *unstructured.Unstructured) error {
	versions, _, err := unstructured.NestedSlice(o.Object, "spec", "versions")
	if err != nil {
		return err
	}
	versions = slices.DeleteFunc(versions, func(v any) bool { return versionName(v) == p.goal.Remove })
	if err := unstructured.SetNestedSlice(o.Object, versions, "spec", "versions"); err != nil {
		return err
	}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	before := slices.DeleteFunc(retired(p.crd), func(v string) bool { return v == "" || v == p.goal.Remove })
	annotations[RetiredAnnotation] = strings.Join(append(before, p.goal.Remove), ",")
	if !p.last() {
		o.SetAnnotations(annotations)
		return nil
	}
	if p.target.controlled() {
		annotations[Annotation] = detached
		delete(annotations, StatusAnnotation)
	}
	o.SetAnnotations(annotations)
	return unstructured.SetNestedMap(o.Object, map[string]any{"strategy": "None"}, "spec", "conversion")
}

func versionName(v any) any {
	if m, ok := v.(map[string]any); ok {
		return m["name"]
	}
	return nil
}

// setVersion sets a field of one version.
func setVersion(o *unstructured.Unstructured, name, field string, value bool) error {
	versions, _, err := unstructured.NestedSlice(o.Object, "spec", "versions")
	if err != nil {
		return err
	}
	for _, v := range versions {
		if versionName(v) == name {
			v.(map[string]any)[field] = value
		}
	}
	return unstructured.SetNestedSlice(o.Object, versions, "spec", "versions")
}

// change changes the definition, and waits until a version can be read or is not found. If somebody
// else has changed the specification since it was read, it writes nothing.
func (p *planner) change(ctx context.Context, change func(*unstructured.Unstructured) error, version string, readable bool) error {
	for attempt := 1; ; attempt++ {
		o := p.target.object.DeepCopy()
		if err := change(o); err != nil {
			return err
		}
		_, err := p.cluster.dynamic.Resource(crdResource).Update(ctx, o, metav1.UpdateOptions{FieldManager: Manager + "-retire"})
		if err == nil {
			break
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		if err := p.refresh(ctx); err != nil {
			return err
		}
		if p.target.object.GetGeneration() != o.GetGeneration() || attempt == maxConflicts {
			return fmt.Errorf("somebody else has changed %s meanwhile, and nothing was written: run the command again", p.crd.Name)
		}
	}
	for deadline := time.Now().Add(effectTime); ; {
		_, err := p.cluster.objects(p.crd, version).List(ctx, metav1.ListOptions{Limit: 1})
		if apierrors.IsNotFound(err) != readable {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s was changed, and the API server does not follow", p.crd.Name)
		}
		if _, err := p.cluster.current(ctx, p.crd); err != nil {
			return err
		}
		if err := sleep(ctx, time.Second/4); err != nil {
			return err
		}
	}
	return sleep(ctx, settleTime) // for other API servers
}
