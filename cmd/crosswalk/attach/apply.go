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
	text, err := json.Marshal(append([]map[string]any{t.same()}, operations...))
	if err != nil {
		return nil, err
	}
	object, err := c.dynamic.Resource(t.resource).Patch(ctx, t.Name, types.JSONPatchType, text, options)
	if err != nil {
		return nil, t.gone(err)
	}
	changed := *t
	changed.object = object
	return &changed, nil
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
