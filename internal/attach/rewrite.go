package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

// here sends an empty patch for each object of a definition. The API server then writes the
// object in the storage version, or does nothing if it has this version already. Objects that are
// created meanwhile have the storage version from the beginning.
func (m *storageMigration) here(ctx context.Context, to string) error {
	if !slices.Contains(served(m.crd), to) {
		return fmt.Errorf("%s does not serve its storage version %s, so no client can rewrite the objects: serve it", m.crd.Name, to)
	}
	l, err := m.lister(m.crd, m.Continue)
	if err != nil {
		return err
	}
	pace := rate.NewLimiter(rate.Limit(m.Rate), max(1, int(m.Rate/10)))
	done, failed := 0, []string{}
	// resume is the token of the page at which another run must go on: the first page with an
	// object that could not be rewritten, or else this one. A run that went on behind such an
	// object would not know of it, and remove the object's version from status.storedVersions.
	resume := l.next
	for first := true; first || l.next != ""; first = false {
		if len(failed) == 0 {
			resume = l.next
		}
		page, err := l.page(ctx)
		if err != nil {
			return rewritingEnded(resume, done, fmt.Errorf("listing %s: %w", m.crd.Name, err))
		}
		for i := range page.Items {
			o := &page.Items[i]
			if err := pace.Wait(ctx); err != nil {
				return rewritingEnded(resume, done, err)
			}
			switch err := rewrite(ctx, l.at[0].Namespace(o.Namespace), o); {
			case err == nil:
				done++
			case ctx.Err() != nil:
				return rewritingEnded(resume, done, ctx.Err())
			default:
				if len(failed) < maxNamed {
					failed = append(failed, fmt.Sprintf("%s/%s: %v", o.Namespace, o.Name, err))
				} else if len(failed) == maxNamed {
					failed = append(failed, "and others")
				}
			}
		}
		text := fmt.Sprintf("%d objects rewritten", done)
		if page.RemainingItemCount != nil {
			text += fmt.Sprintf(", about %d left", *page.RemainingItemCount)
		}
		m.Report(Progress{text, done})
	}
	if len(failed) > 0 {
		errs := []error{fmt.Errorf("%w, so status.storedVersions stays as it is", ErrObjects)}
		for _, f := range failed {
			errs = append(errs, errors.New(f))
		}
		return errors.Join(errs...)
	}
	return nil
}

// rewrite sends the empty patch for one object. An object that was changed or deleted since it was
// listed needs none.
func rewrite(ctx context.Context, client metadata.ResourceInterface, o *metav1.PartialObjectMetadata) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.UID, "resourceVersion": o.ResourceVersion}})
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		_, err := client.Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
		switch {
		case err == nil, apierrors.IsConflict(err), apierrors.IsNotFound(err):
			return nil
		case attempt == maxRetries || !later(err):
			return err
		}
		if err := sleep(ctx, time.Duration(attempt)*time.Second); err != nil {
			return err
		}
	}
}
