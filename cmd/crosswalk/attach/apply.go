package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// apply sends a document for server-side apply, and takes over fields that others own: the caller
// has asked for this stanza by name. The UID keeps it from creating a target that was deleted.
func (c *Cluster) apply(ctx context.Context, t *Target, document *unstructured.Unstructured, dryRun bool) (*Target, error) {
	// By force: the creator of a definition owns spec.conversion.strategy, so a conflict would be the
	// normal case.
	options := metav1.ApplyOptions{FieldManager: Manager, Force: true}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	document.SetUID(t.UID())
	object, err := c.dynamic.Resource(t.resource).Apply(ctx, t.Name, document, options)
	if err != nil {
		return nil, t.gone(err)
	}
	changed := *t
	changed.object = object
	return &changed, nil
}

// convert writes the stanza for a gateway. Apply merges it with the fields of other managers: their
// Service beside the gateway's URL, or the other way round, is a stanza that API servers refuse. Then
// one patch replaces the whole stanza.
func (c *Cluster) convert(ctx context.Context, t *Target, g Gateway, dryRun bool) (*Target, error) {
	document, err := g.Document(t.object.GetAPIVersion(), t.object.GetKind(), t.Name)
	if err != nil {
		return nil, err
	}
	changed, err := c.apply(ctx, t, document, dryRun)
	if !apierrors.IsInvalid(err) || errors.Is(err, errGone) || !t.elsewhere(g) {
		return changed, err
	}
	return c.patch(ctx, t, dryRun, t.reconvert(g.Stanza()))
}

// elsewhere reports whether the target has a Service where the gateway has a URL, or the other way round.
func (t *Target) elsewhere(g Gateway) bool {
	before := t.Conversion()
	if before == nil || before.Webhook == nil || before.Webhook.ClientConfig == nil {
		return false
	}
	return before.Webhook.ClientConfig.Service != nil && g.URL != "" || before.Webhook.ClientConfig.URL != nil && g.URL == ""
}

// patch sends the operations of a JSON patch, for this target and no other of its name.
func (c *Cluster) patch(ctx context.Context, t *Target, dryRun bool, operations ...map[string]any) (*Target, error) {
	options := metav1.PatchOptions{FieldManager: Manager}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	object, err := c.send(ctx, t.resource, t.Name, types.JSONPatchType, append([]map[string]any{t.same()}, operations...), options)
	if err != nil {
		return nil, t.gone(err)
	}
	changed := *t
	changed.object = object
	return &changed, nil
}

// send sends a patch to a definition, or to a part of it.
func (c *reader) send(ctx context.Context, resource schema.GroupVersionResource, name string, kind types.PatchType, patch any, options metav1.PatchOptions, part ...string) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	return c.dynamic.Resource(resource).Patch(ctx, name, kind, text, options, part...)
}

// reconvert is the operation of a JSON patch that writes a stanza in place of the present one.
func (t *Target) reconvert(stanza *apiextensions.CustomResourceConversion) map[string]any {
	return map[string]any{"op": "replace", "path": "/spec/conversion", "value": stanza}
}

// errGone is the cause if a target that was read has been deleted, and perhaps created again.
var errGone = errors.New("was deleted meanwhile, and nothing was written")

// gone recognizes the errors of a write that names a UID which is not there any more.
func (t *Target) gone(err error) error {
	var status apierrors.APIStatus
	another := apierrors.IsInvalid(err) && errors.As(err, &status) && status.Status().Details != nil &&
		slices.ContainsFunc(status.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" })
	if another || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return fmt.Errorf("%s %w (%v)", t, errGone, err) //nolint:errorlint // the caller must not take it for another conflict
	}
	return err
}

// same is the operation of a JSON patch that lets no other target of the name be changed.
func (t *Target) same() map[string]any {
	return map[string]any{"op": "test", "path": "/metadata/uid", "value": t.UID()}
}

// Annotate sets one annotation of a target.
func (c *Cluster) Annotate(ctx context.Context, t *Target, name, value string) error {
	return t.gone(c.annotate(ctx, t, map[string]any{"uid": t.UID(), "annotations": map[string]string{name: value}}))
}

func (c *Cluster) annotate(ctx context.Context, t *Target, metadata map[string]any) error {
	_, err := c.send(ctx, t.resource, t.Name, types.MergePatchType, map[string]any{"metadata": metadata}, metav1.PatchOptions{FieldManager: Manager + "-status"})
	return err
}

// AnnotateAgain gives the annotation back to a target that lost it. It fails if somebody has changed
// the target since it was read, or made it again.
func (c *Cluster) AnnotateAgain(ctx context.Context, t *Target) error {
	err := c.annotate(ctx, t, map[string]any{"uid": t.UID(), "resourceVersion": t.object.GetResourceVersion(), "annotations": map[string]string{Annotation: asked}})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return fmt.Errorf("%s lost spec.conversion and has changed since: looking again: %w", t, err)
	} else if err != nil {
		return fmt.Errorf("annotating %s again: %w", t, err)
	}
	return nil
}
