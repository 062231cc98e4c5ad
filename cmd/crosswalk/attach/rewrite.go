package attach

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/crosswalk-gateway/crosswalk/internal/plural"
)

// here sends an empty patch for each object of a definition. The API server then writes the
// object in the storage version, or does nothing if it has this version already. Objects that are
// created meanwhile have the storage version from the beginning.
func (m *storageMigration) here(ctx context.Context, to string) error {
	if !slices.Contains(served(m.crd), to) {
		return fmt.Errorf("%s does not serve its storage version %s, so no client can rewrite the objects: serve it", m.crd.Name, to)
	}
	page := pageOf(m.crd, m.Continue)
	if m.Continue != "" && page == "" {
		m.Report(Progress{Text: "the specification of " + m.crd.Name + " was changed since the interrupted run: beginning with the first object"})
	}
	l, err := m.lister(m.crd, page)
	if err != nil {
		return err
	}
	r := &rewriting{at: l.at[0], pace: rate.NewLimiter(rate.Limit(m.Rate), max(1, int(m.Rate/10)))}
	// resume is the token of the page at which another run must go on: the first page with an
	// object that could not be rewritten, or else this one. A run that went on behind such an
	// object would not know of it, and remove the object's version from status.storedVersions.
	resume := l.next
	for first := true; first || l.next != ""; first = false {
		if len(r.failed) == 0 {
			resume = l.next
		}
		page, err := l.page(ctx)
		if err != nil {
			return rewritingEnded(newToken(m.crd, resume), r.done, requested(m.crd, err, "listing "+m.crd.Name))
		}
		if err := r.page(ctx, page.Items); err != nil {
			return rewritingEnded(newToken(m.crd, resume), r.done, err)
		}
		text := fmt.Sprintf("%s rewritten", plural.Count(r.done, "object"))
		if page.RemainingItemCount != nil {
			text += fmt.Sprintf(", about %d left", *page.RemainingItemCount)
		}
		m.Report(Progress{text, r.done})
	}
	if len(r.failed) > 0 {
		errs := []error{fmt.Errorf("%w, so status.storedVersions stays as it is", ErrObjects)}
		for _, f := range r.failed {
			errs = append(errs, errors.New(f))
		}
		return errors.Join(errs...)
	}
	return nil
}

// rewriting is one run over all objects.
type rewriting struct {
	at   metadata.Getter
	pace *rate.Limiter

	mu     sync.Mutex // guards what follows
	done   int
	failed []string
}

// page rewrites the objects of a page, some at the same time: far from the API server, the way there
// and back would bound the rate. An error says that not all were tried.
func (r *rewriting) page(ctx context.Context, objects []metav1.PartialObjectMetadata) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range objects {
		o := &objects[i]
		if err := r.pace.Wait(ctx); err != nil {
			return cmp.Or(group.Wait(), err)
		}
		group.Go(func() error {
			err := rewrite(ctx, r.at.Namespace(o.Namespace), o)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return ctx.Err()
			case webhookDown(err.Error()), unreached(err): // the next objects would fail for the same reason
				return fmt.Errorf("%s/%s: %w", o.Namespace, o.Name, withRemedy(err))
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			switch {
			case err == nil:
				r.done++
			case len(r.failed) < maxNamed:
				r.failed = append(r.failed, fmt.Sprintf("%s/%s: %v", o.Namespace, o.Name, err))
			case len(r.failed) == maxNamed:
				r.failed = append(r.failed, "and others")
			}
			return nil
		})
	}
	return group.Wait()
}

// rewrite sends the empty patch for one object. An object that was changed or deleted since it was
// listed needs none.
func rewrite(ctx context.Context, client metadata.ResourceInterface, o *metav1.PartialObjectMetadata) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.UID, "resourceVersion": o.ResourceVersion}})
	if err != nil {
		return err
	}
	for p := new(patience); ; {
		_, err := client.Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
		if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return nil
		}
		if err := p.again(ctx, err); err != nil {
			return err
		}
	}
}
