package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// rewrite sends an empty patch for each object of a definition. The API server then writes the
// object in the storage version, or does nothing if it has this version already. Objects that are
// created meanwhile have the storage version from the beginning.
func (m *storageMigration) rewrite(ctx context.Context, to string) error {
	if !slices.Contains(served(m.crd), to) {
		return fmt.Errorf("%s does not serve its storage version %s, so no client can rewrite the objects: serve it", m.crd.Name, to)
	}
	page := pageOf(m.crd, m.Continue)
	if m.Continue != "" && page == "" {
		m.Report(Progress{Text: "the specification of " + m.crd.Name + " was changed since the interrupted run: beginning with the first object"})
	}
	l, objects, err := m.lister(m.crd, page)
	if err != nil {
		return err
	}
	w := newWriting(m.Rate)
	// resume is the token of the page at which another run must go on: the first page with an
	// object that could not be rewritten, or else this one. A run that went on behind such an
	// object would not know of it, and remove the object's version from status.storedVersions.
	resume := l.next
	for page, err := range l.all(ctx) {
		if err != nil {
			return rewritingEnded(newToken(m.crd, resume), w.done, requested(m.crd, err, "listing "+m.crd.Name))
		}
		if err := w.page(ctx, page.Items, w.rewrite(objects)); err != nil {
			return rewritingEnded(newToken(m.crd, resume), w.done, err)
		}
		if w.failures == 0 {
			resume = l.next
		}
		m.Report(Progress{plural.Count(w.done, "object") + " rewritten" + left(page, "left"), w.done})
	}
	return w.err(", so status.storedVersions stays as it is")
}

// rewrite returns the function that sends the empty patch for one object. An object that was changed or
// deleted since it was listed needs none.
func (w *writing) rewrite(at metadata.Getter) func(context.Context, *metav1.PartialObjectMetadata) (bool, error) {
	return func(ctx context.Context, o *metav1.PartialObjectMetadata) (bool, error) {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.UID, "resourceVersion": o.ResourceVersion}})
		if err != nil {
			return false, err
		}
		if err := w.pace.Wait(ctx); err != nil {
			return false, err
		}
		for p := new(patience); ; {
			_, err := at.Namespace(o.Namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
			if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
				return true, nil
			}
			if err := p.again(ctx, err); err == nil {
				continue
			} else if webhookDown(err.Error()) || unreached(err) {
				return false, meetsAll{fmt.Errorf("%s/%s: %w", o.Namespace, o.Name, withRemedy(err))}
			} else {
				return false, err
			}
		}
	}
}
