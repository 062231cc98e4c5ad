package main

import (
	"context"
	"errors"
	"fmt"

	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/internal/attach"
)

// targets finds what is to be kept attached: annotated CompositeResourceDefinitions, and annotated
// CustomResourceDefinitions that no CompositeResourceDefinition makes. unread are the names of the
// CustomResourceDefinitions that could not be read. If nothing could be listed, targets is nil.
func (k *keeper) targets(ctx context.Context) (targets []*attach.Target, unread []string, failed error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(definitionKind)
	if err := k.client.List(ctx, list); err != nil {
		return nil, nil, err
	}
	targets, failed = k.cluster.Composites(ctx)
	var some *attach.Unread
	if errors.As(failed, &some) {
		unread = some.Names
	} else if failed != nil {
		return nil, nil, failed
	}
	if targets == nil {
		targets = []*attach.Target{}
	}
	for i := range list.Items {
		definition := &list.Items[i]
		if definition.Annotations[attach.Annotation] != "true" {
			continue
		}
		t, err := k.cluster.Find(ctx, definition.Name)
		switch {
		case err != nil:
			failed, unread = errors.Join(failed, err), append(unread, definition.Name)
		case !t.Composite():
			targets = append(targets, t)
		case !t.Annotated():
			// A right to edit the definition does not include the composite.
			failed = errors.Join(failed, k.refuse(ctx, definition, fmt.Sprintf("Crossplane makes this definition of %s: annotate that object instead", t)))
		}
	}
	return targets, unread, failed
}

// refuse says in a definition's status why it is not a target.
func (k *keeper) refuse(ctx context.Context, definition *metav1.PartialObjectMetadata, why string) error {
	status := statusRefused + ": " + why
	if definition.Annotations[attach.StatusAnnotation] == status {
		return nil
	}
	k.log.Info(statusRefused, "definition", definition.Name, "text", why)
	k.events.Eventf(definition, nil, core.EventTypeWarning, statusRefused, "Attach", "%s", why)
	changed := definition.DeepCopy()
	changed.Annotations[attach.StatusAnnotation] = status
	if err := k.client.Patch(ctx, changed, client.MergeFrom(definition), client.FieldOwner(attach.Manager+"-status")); err != nil {
		return fmt.Errorf("writing the status of %s: %w", definition.Name, err)
	}
	return nil
}
