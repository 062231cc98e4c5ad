package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// undoTime bounds the way back, which an interrupted run takes as well.
const undoTime = 30 * time.Second

// removeAndLook removes the version, and lists all objects afterwards: an object that is stored in it after
// all, such as one of a restored backup of etcd, can be read by nobody, nor can others beside it. Then
// it puts the version back, unserved.
func (p *planner) removeAndLook(ctx context.Context, report func(Progress)) error {
	before, version := p.target.object.DeepCopy(), p.goal.Remove
	if err := p.change(ctx, report, p.removeVersion, lacks(p.crd, version)); err != nil {
		return err
	}
	_, err := p.cluster.survey(ctx, p.crd, p.progress())
	if !errors.As(err, new(*lostVersion)) {
		return nil // the next measurement says what else is wrong
	}
	undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	if failed := p.refresh(undo); failed != nil {
		return errors.Join(err, failed)
	}
	if failed := p.write(undo, func(o *unstructured.Unstructured) error { return putVersionBack(o, before) }); failed != nil {
		return errors.Join(err, fmt.Errorf("putting %s back: %w", version, failed))
	}
	return fmt.Errorf("%w: objects are stored in %s, although a migration was recorded; %s is back in spec.versions, unserved, and the record is deleted: run the command again, which migrates them", ErrStopped, version, version)
}

// putVersionBack gives a definition what removeVersion took from it, but for the record of the migration,
// which was wrong.
func putVersionBack(o, before *unstructured.Unstructured) error {
	for _, field := range []string{"versions", "conversion"} {
		value, there, err := unstructured.NestedFieldCopy(before.Object, "spec", field)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := unstructured.SetNestedField(o.Object, value, "spec", field); err != nil {
			return err
		}
	}
	annotations := before.GetAnnotations()
	delete(annotations, MigratedAnnotation)
	o.SetAnnotations(annotations)
	return nil
}

// disown lets go of spec.versions: the field manager of Retire would be in the way of the author's next
// server-side apply. While Retire runs, that is what an apply of the old manifest shall meet.
func (p *planner) disown(ctx context.Context) error {
	ours := func(e metav1.ManagedFieldsEntry) bool { return e.Manager == Manager+"-retire" }
	for attempt := 1; ; attempt++ {
		if err := p.refresh(ctx); err != nil {
			return err
		}
		entries := p.target.object.GetManagedFields()
		others := slices.DeleteFunc(slices.Clone(entries), ours)
		if len(others) == len(entries) || len(others) == 0 { // an empty list asks the API server to make one
			return nil
		}
		_, err := p.cluster.send(ctx, crdResource, p.target.Name, types.JSONPatchType, []map[string]any{
			{"op": "test", "path": "/metadata/resourceVersion", "value": p.target.object.GetResourceVersion()},
			{"op": "replace", "path": "/metadata/managedFields", "value": others},
		}, metav1.PatchOptions{FieldManager: Manager + "-retire"})
		if err == nil || attempt == maxRetries {
			return err
		}
	}
}
