package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Detach removes the stanza: the API server then changes apiVersion only. It refuses if objects
// would be read with the fields of another version. It also deletes the policies of
// AttachConvertible.
func (c *Cluster) Detach(ctx context.Context, t *Target, dryRun bool) (Outcome, error) {
	out := Outcome{Target: t.String(), Action: ActionRefused}
	before := t.Conversion()
	if before == nil || before.Strategy != apiextensions.WebhookConverter {
		out.Action, out.Message = ActionNone, "spec.conversion is None already"
		if t.Annotated() && !dryRun { // otherwise the controller attaches it
			if err := c.Annotate(ctx, t, Annotation, detached); err != nil {
				return out, fmt.Errorf("writing the annotation %s of %s: %w", Annotation, t, err)
			}
			out.Action, out.Message = ActionDetached, out.Message+"; the controller leaves it so"
		}
		return out, c.unenforceAfter(ctx, t, &out, dryRun)
	}
	for _, crd := range t.Definitions {
		if err := strands(crd); err != nil {
			return out, err
		}
		if err := c.strandsFields(ctx, crd); err != nil {
			return out, err
		}
	}
	changed, err := c.remove(ctx, t, dryRun)
	if err != nil {
		return out, fmt.Errorf("removing spec.conversion of %s: %w", t, err)
	}
	out.Action, out.Message = ActionDetached, describe(before, changed.Conversion())
	if dryRun {
		out.Action = ActionWould
	}
	return out, c.unenforceAfter(ctx, t, &out, dryRun)
}

// unenforceAfter deletes the admission policies of a target that has no stanza. They refuse nothing
// any more, so a user without the right to list them can detach.
func (c *Cluster) unenforceAfter(ctx context.Context, t *Target, out *Outcome, dryRun bool) error {
	if dryRun {
		return nil
	}
	err := c.Policies.Unenforce(ctx, t)
	if Forbidden(err) {
		out.Message += "; admission policies of attach --convertible, if there are any, stay without effect: " + err.Error()
		return nil
	}
	return err
}

// remove applies a document without the stanza, which removes the fields that this manager alone owns.
// If others own a part of the stanza, it replaces the stanza. Where the controller has a hand, the
// same write says that the target is detached.
func (c *Cluster) remove(ctx context.Context, t *Target, dryRun bool) (*Target, error) {
	document := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": t.object.GetAPIVersion(), "kind": t.object.GetKind(), "metadata": map[string]any{"name": t.Name},
	}}
	patch := []map[string]any{t.unconvert()}
	if t.controlled() {
		document.SetAnnotations(map[string]string{Annotation: detached})
		patch = append(patch, map[string]any{"op": "add", "path": "/metadata/annotations/" + strings.ReplaceAll(Annotation, "/", "~1"), "value": detached})
	}
	changed, err := c.apply(ctx, t, document, dryRun)
	if err == nil {
		if left := changed.Conversion(); left == nil || left.Strategy != apiextensions.WebhookConverter {
			return changed, nil
		}
	} else if !apierrors.IsInvalid(err) || errors.Is(err, errGone) { // a half of a stanza is invalid
		return nil, err
	}
	return c.patch(ctx, t, dryRun, patch...)
}

// unconvert is the operation of a JSON patch that takes the stanza away. Crossplane's definitions at v1
// allow no strategy None, and API servers write it into a CustomResourceDefinition without a stanza.
func (t *Target) unconvert() map[string]any {
	if t.Composite() {
		return map[string]any{"op": "remove", "path": "/spec/conversion"}
	}
	return map[string]any{"op": "replace", "path": "/spec/conversion", "value": map[string]string{"strategy": "None"}}
}

// strands is nil if all objects of a definition have one version.
func strands(crd *apiextensions.CustomResourceDefinition) error {
	versions := used(crd)
	if len(versions) <= 1 {
		return nil
	}
	return fmt.Errorf("%s uses the versions %s (served %s; stored %s): without conversion, objects would be read with the fields of another version; "+
		"first serve one version only and migrate the stored objects (crosswalk migrate-storage)",
		crd.Name, strings.Join(versions, ", "), strings.Join(served(crd), ", "), strings.Join(stored(crd), ", "))
}

// strandsFields is nil if no object of a definition has managedFields at a version that is not
// served. They need the conversion: without it, server-side apply looks for their fields in an object
// of another version.
func (c *Cluster) strandsFields(ctx context.Context, crd *apiextensions.CustomResourceDefinition) error {
	all, err := c.Survey(ctx, crd)
	if err != nil {
		return fmt.Errorf("reading managedFields, which may need the conversion: %w", err)
	}
	stale := Stale(crd, all.Writers)
	if len(stale) == 0 {
		return nil
	}
	return fmt.Errorf("managedFields need the conversion: %s; without it, every server-side apply of such an object fails; "+
		"first carry them over (crosswalk migrate-storage), or let crosswalk retire remove the version and spec.conversion together", stale[0])
}
