package attach

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Annotate sets one annotation of a target.
func (c *Cluster) Annotate(ctx context.Context, t *Target, name, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": t.UID(), "annotations": map[string]string{name: value}}})
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(t.resource).Patch(ctx, t.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager + "-status"})
	return t.gone(err)
}

// AnnotateAgain gives the annotation back to a target that lost it. It fails if somebody has changed
// the target since it was read, or made it again.
func (c *Cluster) AnnotateAgain(ctx context.Context, t *Target) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": t.UID(), "resourceVersion": t.object.GetResourceVersion(), "annotations": map[string]string{Annotation: asked},
	}})
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(t.resource).Patch(ctx, t.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager + "-status"})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return fmt.Errorf("%s lost spec.conversion and has changed since: looking again: %w", t, err)
	} else if err != nil {
		return fmt.Errorf("annotating %s again: %w", t, err)
	}
	return nil
}
