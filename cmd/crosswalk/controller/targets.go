package main

import (
	"context"
	"errors"
	"fmt"

	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// found is what is to be kept attached.
type found struct {
	targets []*attach.Target
	unread  []string        // names of the CustomResourceDefinitions that could not be read
	failed  error           // about single definitions
	exists  map[string]bool // by Target.String
}

// wanted reports whether a target is to be kept attached: it is annotated, or the record has its name
// and it lost both the annotation and the stanza.
func (k *keeper) wanted(t *attach.Target) bool {
	return t.Annotated() || t.Lost() && k.attached.knows(t.String())
}

// find finds the wanted CompositeResourceDefinitions, and the wanted CustomResourceDefinitions that no
// CompositeResourceDefinition makes. An error means that they could not be listed.
func (k *keeper) find(ctx context.Context) (f found, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(definitionKind)
	if err := k.client.List(ctx, list); err != nil {
		return f, err
	}
	f.exists = map[string]bool{}
	f.targets, err = k.cluster.Composites(ctx, func(t *attach.Target) bool {
		f.exists[t.String()] = true
		return k.wanted(t)
	})
	var some *attach.Unread
	if errors.As(err, &some) {
		f.unread, f.failed = some.Names, err
	} else if err != nil {
		return f, err
	}
	for i := range list.Items {
		definition := &list.Items[i]
		name := attach.DefinitionName(definition.Name)
		f.exists[name] = true
		annotated := definition.Annotations[attach.Annotation] == "true"
		if !annotated && !k.attached.knows(name) {
			continue
		}
		t, err := k.cluster.FindDefinition(ctx, definition.Name)
		switch {
		case err != nil:
			f.unread, f.failed = append(f.unread, definition.Name), errors.Join(f.failed, err)
		case !t.Composite():
			if k.wanted(t) { // it is newer than the list
				f.targets = append(f.targets, t)
			}
		case annotated && !t.Annotated():
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
	k.record(definition, core.EventTypeWarning, statusRefused, why)
	changed := definition.DeepCopy()
	changed.Annotations[attach.StatusAnnotation] = status
	if err := k.client.Patch(ctx, changed, client.MergeFrom(definition), client.FieldOwner(attach.Manager+"-status")); err != nil {
		return fmt.Errorf("writing the status of %s: %w", definition.Name, err)
	}
	return nil
}
