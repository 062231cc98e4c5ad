package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Outcome says what Attach or Detach did.
type Outcome struct {
	Target  string `json:"target"`
	Action  string `json:"action"` // one of the constants below
	Checks  Checks `json:"checks,omitempty"`
	Message string `json:"message,omitempty"` // more about the action
}

// The actions of an Outcome.
const (
	ActionNone       = "unchanged"
	ActionAttached   = "attached"
	ActionDetached   = "detached"
	ActionWould      = "would change"
	ActionRefused    = "refused"
	ActionRolledBack = "rolled back"
)

// settleTime is the time that API servers get to notice a changed definition: they do within a
// second.
const settleTime = 3 * time.Second

// Attach points a target to a gateway. It first tests the gateway with the planned stanza, and
// changes nothing if the test fails or with dryRun, which the API server itself checks. After the
// change it reads an object through the API server. If that fails and worked before, it puts the
// previous stanza back.
func (c *Cluster) Attach(ctx context.Context, t *Target, g Gateway, dryRun bool) (Outcome, error) {
	out := Outcome{Target: t.String(), Action: ActionRefused}
	if err := t.injected(); err != nil {
		out.Message = "nothing was changed"
		return out, err
	}
	out.Checks = c.Examine(ctx, t, g.Stanza())
	if err := out.Checks.Err(); err != nil {
		out.Message = "nothing was changed"
		return out, err
	}
	document, err := g.Document(t.object.GetAPIVersion(), t.object.GetKind(), t.Name)
	if err != nil {
		return out, err
	}
	before := t.Conversion()
	through := c.Through(ctx, t)
	if slices.ContainsFunc(through, func(check Check) bool {
		return check.Result == Failed && strings.Contains(check.Text, "is forbidden: ")
	}) {
		out.Checks, out.Message = append(out.Checks, through...), "nothing was changed"
		return out, through.Err() // nobody could test the stanza after the change
	}
	worked := through.Err() == nil
	changed, err := c.apply(ctx, t, document, dryRun)
	switch {
	case err != nil:
		return out, fmt.Errorf("writing spec.conversion of %s: %w", t, err)
	case dryRun:
		out.Action, out.Message = ActionWould, describe(before, changed.Conversion())
		if equality.Semantic.DeepEqual(before, changed.Conversion()) {
			out.Action = ActionNone
		}
		return out, nil
	case equality.Semantic.DeepEqual(before, changed.Conversion()):
		out.Action = ActionNone
	default:
		out.Action, out.Message = ActionAttached, describe(before, changed.Conversion())
		if owners := t.Owners(); len(owners) > 0 && before != nil && before.Strategy == apiextensions.WebhookConverter {
			out.Message += "; before, it belonged to " + strings.Join(owners, ", ")
		}
		if !c.Direct { // otherwise nothing is read
			if err := c.settle(ctx, t); err != nil {
				return out, err
			}
		}
	}
	after := c.Through(ctx, changed)
	out.Checks = append(out.Checks, after...)
	if err := after.Err(); err != nil && worked && out.Action == ActionAttached {
		if undo := c.putBack(ctx, t, before); undo != nil {
			return out, errors.Join(err, fmt.Errorf("putting the previous spec.conversion back: %w", undo))
		}
		out.Action, out.Message = ActionRolledBack, "the previous spec.conversion is in force again"
		return out, err
	} else if err != nil {
		return out, err
	}
	return out, nil
}

// Restore writes the stanza without a test of the gateway. It is for a target that was attached
// and lost its stanza: until it has one again, objects are read with the fields of another version,
// and no error says so.
func (c *Cluster) Restore(ctx context.Context, t *Target, g Gateway) error {
	document, err := g.Document(t.object.GetAPIVersion(), t.object.GetKind(), t.Name)
	if err != nil {
		return err
	}
	if _, err := c.apply(ctx, t, document, false); err != nil {
		return fmt.Errorf("restoring spec.conversion of %s: %w", t, err)
	}
	return nil
}

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

// settle waits until API servers use a changed stanza. For an XRD it first waits until Crossplane
// has copied the stanza.
func (c *Cluster) settle(ctx context.Context, t *Target) error {
	if t.Composite() {
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			now, err := c.refresh(ctx, t)
			if err != nil {
				return err
			}
			want := now.Conversion()
			if !slices.ContainsFunc(now.Definitions, func(crd *apiextensions.CustomResourceDefinition) bool {
				return !equality.Semantic.DeepEqual(crd.Spec.Conversion, want)
			}) {
				break
			}
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return sleep(ctx, settleTime)
}

// putBack writes the previous stanza; nil stands for none.
func (c *Cluster) putBack(ctx context.Context, t *Target, before *apiextensions.CustomResourceConversion) error {
	operation := map[string]any{"op": "replace", "path": "/spec/conversion", "value": before}
	if before == nil {
		operation = t.unconvert()
	}
	patch, err := json.Marshal([]map[string]any{t.same(), operation})
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(t.resource).Patch(ctx, t.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	return err
}

// same is the operation of a JSON patch that lets no other target of the name be changed.
func (t *Target) same() map[string]any {
	return map[string]any{"op": "test", "path": "/metadata/uid", "value": t.UID()}
}

// describe says in words how a stanza changes.
func describe(before, after *apiextensions.CustomResourceConversion) string {
	return "spec.conversion was " + where(before) + " and is " + where(after)
}

// where says in words where a stanza leads.
func where(conversion *apiextensions.CustomResourceConversion) string {
	switch {
	case conversion == nil || conversion.Strategy != apiextensions.WebhookConverter:
		return "None"
	case conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil:
		return "a webhook without a clientConfig"
	}
	client := conversion.Webhook.ClientConfig
	text := "a webhook"
	switch {
	case client.Service != nil:
		text = "Service " + client.Service.Namespace + "/" + client.Service.Name
	case client.URL != nil:
		text = *client.URL
	}
	if len(client.CABundle) == 0 {
		text += " (no caBundle)"
	}
	return text
}

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
	err := c.Unenforce(ctx, t)
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
	patch := []map[string]any{t.same(), t.unconvert()}
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
	options := metav1.PatchOptions{FieldManager: Manager}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	object, err := c.dynamic.Resource(t.resource).Patch(ctx, t.Name, types.JSONPatchType, text, options)
	if err != nil {
		return nil, err
	}
	replaced := *t
	replaced.object = object
	return &replaced, nil
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
	writers, err := c.Writers(ctx, crd)
	if err != nil {
		return fmt.Errorf("reading managedFields, which may need the conversion: %w", err)
	}
	stale := Stale(crd, writers)
	if len(stale) == 0 {
		return nil
	}
	return fmt.Errorf("managedFields need the conversion: %s; without it, every server-side apply of such an object fails; "+
		"first carry them over (crosswalk migrate-storage), or let crosswalk retire remove the version and spec.conversion together", stale[0])
}
