package attach

import (
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// errOvertaken is the cause if somebody else changed the definition after it was measured.
var errOvertaken = errors.New("somebody else goes on changing the definition, and this step wrote nothing: wait for the end of that, then run the command again")

// refresh reads the definition again, after a step of this run.
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

// current reads the definition again. It returns errOvertaken if somebody else has changed it since it
// was read: what was measured of its objects no longer counts.
func (p *planner) current(ctx context.Context) error {
	before := p.target.object.GetGeneration()
	if err := p.refresh(ctx); err != nil {
		return err
	}
	if p.target.object.GetGeneration() == before {
		return nil
	}
	p.objects = nil
	return errOvertaken
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

// change changes the definition, and waits until API servers know it. If somebody else has changed the
// specification since it was read, it writes nothing: errOvertaken.
func (p *planner) change(ctx context.Context, report func(Progress), change func(*unstructured.Unstructured) error, knows knowledge) error {
	if err := p.write(ctx, change); err != nil {
		return err
	}
	if err := p.cluster.follow(ctx, p.crd, report, knows); err != nil {
		return err
	}
	return sleep(ctx, settleTime) // for API servers that were not met
}

// write changes the definition, unless somebody else has changed the specification since it was read.
func (p *planner) write(ctx context.Context, change func(*unstructured.Unstructured) error) error {
	for attempt := 1; ; attempt++ {
		o := p.target.object.DeepCopy()
		if err := change(o); err != nil {
			return err
		}
		if err := keepRecord(p.crd, o); err != nil {
			return err
		}
		_, err := p.cluster.dynamic.Resource(crdResource).Update(ctx, o, metav1.UpdateOptions{FieldManager: Manager + "-retire"})
		if err == nil {
			return nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		if err := p.current(ctx); err != nil {
			return err
		}
		if attempt == maxConflicts {
			return errOvertaken
		}
	}
}
