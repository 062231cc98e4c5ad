package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
