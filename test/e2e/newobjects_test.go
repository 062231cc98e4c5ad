package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestRetireMeetsNewObjects: between the steps, and within them, clients create objects at v1 while it is
// served, and afterwards somebody restores backups that have managedFields at v1. In the end
// everything is stored in v2, and managers apply to all of it.
func TestRetireMeetsNewObjects(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "first", "spec: {cronSpec: 0 7 * * *, image: one}")
	backup := get(t, c.v1, "first")
	created, seen := []string{"first"}, map[string]bool{}
	// meanwhile is done by clients before a step, or after its first write.
	meanwhile := func(when, step string) {
		name := strings.ToLower(step) + "-" + when
		if seen[name] { // retire carries managedFields over once more
			return
		}
		seen[name] = true
		switch step {
		case attach.StepStore, attach.StepMigrate, attach.StepUnserve:
			_, applied := c.apply(t, "v1", "old", name+"-applied", "spec: {cronSpec: 0 7 * * *, image: one}\nmetadata: {labels: {old: a}}")
			_, made := c.v1.Create(deadline(t), named(backup, "stable.example.com/v1", name+"-created"), metav1.CreateOptions{FieldManager: "updater"})
			for name, err := range map[string]error{name + "-applied": applied, name + "-created": made} {
				switch {
				case err == nil:
					created = append(created, name)
				case when == "within" && step == attach.StepUnserve && apierrors.IsNotFound(err): // v1 is not served any more
				default:
					t.Errorf("%s the step %s, a write at v1 ended with %v", when, step, err)
				}
			}
		default:
			if _, err := c.apply(t, "v1", "old", name, "spec: {cronSpec: 0 7 * * *}"); !apierrors.IsNotFound(err) {
				t.Errorf("%s the step %s, an apply at v1 ended with %v", when, step, err)
			}
			if err := c.restore(t, name+"-restored", backup); err != nil {
				t.Errorf("%s the step %s, restoring an object: %v", when, step, err)
			}
			created = append(created, name+"-restored")
		}
	}
	plan, err := retireWith(t, deadline(t), c, func(step string) { meanwhile("before", step) }, func(step string) { meanwhile("within", step) })
	if err != nil || plan.Next() != nil {
		t.Fatalf("retire ended with %v and the plan %+v", err, plan)
	}
	if len(seen) < 2*len(steps) || len(created) < 1+4+4+2+2+2 { // the first, and those of each step
		t.Errorf("only %q were created, in %v", created, seen)
	}
	for _, name := range created {
		stored, err := shared.uncached.Stored(deadline(t), c.crd, name)
		if err != nil || stored.GetAPIVersion() != "stable.example.com/v2" {
			t.Errorf("%s is stored as %+v, %v", name, stored, err)
			continue
		}
		for _, e := range stored.GetManagedFields() {
			if e.APIVersion != "stable.example.com/v2" {
				t.Errorf("%s has an entry of %s at %s", name, e.Manager, e.APIVersion)
			}
		}
		o := c.mustApply(t, "v2", "old", name, "spec: {min: '0', hour: '7', dayOfMonth: '*', month: '*', dayOfWeek: '*', image: one}")
		if image, _, _ := unstructured.NestedString(o.Object, "spec", "image"); image != "one" || len(o.GetLabels()) > 0 {
			t.Errorf("%s is\n%s", name, show(o.Object))
		}
	}
}

// TestRetireStopsForRestores: somebody restores an object with managedFields at v1 whenever all are carried
// over. retire stops after some times, with v1 in the definition, and another run ends.
func TestRetireStopsForRestores(t *testing.T) {
	c := newCronTabs(t)
	c.mustApply(t, "v1", "old", "first", "spec: {cronSpec: 0 7 * * *, image: one}")
	backup := get(t, c.v1, "first")
	restored := 0
	plan, err := c.cluster.Retire(deadline(t), find(t, c.cluster, c.crd.Name), attach.Goal{Remove: "v1"}, attach.Retirement{
		Migration: attach.Migration{Rate: 1e6, Report: func(p attach.Progress) {
			if p.Text != "no object has managedFields at a version that is not served" {
				return
			}
			restored++
			if err := c.restore(t, fmt.Sprintf("restored-%d", restored), backup); err != nil {
				t.Error(err)
			}
		}},
		Confirm: func(attach.Step) error { return nil },
		Step:    func(int, attach.Step) {},
	})
	if err == nil || err.Error() != "stopped: somebody goes on writing objects with managedFields at v1, such as those of a backup: wait for the end of that, then run the command again" {
		t.Fatalf("retire ended with %v", err)
	}
	if next := plan.Next(); next == nil || next.Name != attach.StepFields || len(definition(t, c.crd.Name).Spec.Versions) != 2 {
		t.Errorf("after %d restored objects the next step is %+v", restored, next)
	}
	if code, _ := crosswalk(t, kubeconfig(t), "retire", c.crd.Name, "v1", "--yes", "--idle", "0s"); code != 0 {
		t.Errorf("retire ended with %d", code)
	}
}

// restore creates an object at v2 as a tool for backups does: a patch gives it the managedFields that the
// backup has, because an API server takes none at a creation.
func (c *cronTabs) restore(t *testing.T, name string, backup *unstructured.Unstructured) error {
	if _, err := c.v2.Create(deadline(t), named(get(t, c.v2, "first"), "stable.example.com/v2", name), metav1.CreateOptions{FieldManager: "restorer"}); err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": backup.GetManagedFields()}})
	if err != nil {
		return err
	}
	_, err = c.v2.Patch(deadline(t), name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "restorer"})
	return err
}

// named is a copy of an object under another name, as in a manifest.
func named(o *unstructured.Unstructured, apiVersion, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": o.GetKind(), "metadata": map[string]any{"name": name}, "spec": o.DeepCopy().Object["spec"],
	}}
}
