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

// found is what is to be kept attached.
type found struct {
	targets []*attach.Target
	unread  []string // names of the CustomResourceDefinitions that could not be read
	failed  error    // about single definitions
}

// find finds annotated CompositeResourceDefinitions, and annotated CustomResourceDefinitions that no
// CompositeResourceDefinition makes. An error means that they could not be listed.
func (k *keeper) find(ctx context.Context) (f found, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(definitionKind)
	if err := k.client.List(ctx, list); err != nil {
		return f, err
	}
	f.targets, err = k.cluster.Composites(ctx)
	var some *attach.Unread
	if errors.As(err, &some) {
		f.unread, f.failed = some.Names, err
	} else if err != nil {
		return f, err
	}
	for i := range list.Items {
		definition := &list.Items[i]
		if definition.Annotations[attach.Annotation] != "true" {
			continue
		}
		t, err := k.cluster.Find(ctx, definition.Name)
		switch {
		case err != nil:
			f.unread, f.failed = append(f.unread, definition.Name), errors.Join(f.failed, err)
		case !t.Composite():
			f.targets = append(f.targets, t)
		case !t.Annotated():
			// A right to edit the definition does not include the composite.
			f.failed = errors.Join(f.failed, k.refuse(ctx, definition, fmt.Sprintf("Crossplane makes this definition of %s: annotate that object instead", t)))
		}
	}
	return f, nil
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
