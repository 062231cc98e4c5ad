package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/internal/plural"
)

// MigrateFields carries the entries of metadata.managedFields at versions that are not served over
// to the storage version. Without it, the API server refuses every server-side apply of an object
// with such an entry from the moment the definition does not name the version. A run that ended
// early is repeated: it has nothing to do for objects that it has finished.
func (c *Cluster) MigrateFields(ctx context.Context, crd *apiextensions.CustomResourceDefinition, m Migration) error {
	if m.Report == nil {
		m.Report = func(Progress) {}
	}
	crd, err := c.current(ctx, crd)
	if err != nil {
		return err
	}
	to := storage(crd)
	if !slices.Contains(served(crd), to) {
		return fmt.Errorf("%s does not serve its storage version %s, so no client can write managedFields at it: serve it", crd.Name, to)
	}
	for _, v := range named(crd) {
		if slices.Contains(served(crd), v) {
			continue
		}
		if err := c.follow(ctx, crd, m.Report, lacks(crd, v)); err != nil {
			return err
		}
	}
	f := &fieldsMigration{cluster: c, crd: crd, to: to, report: m.Report, pace: rate.NewLimiter(rate.Limit(m.Rate), max(1, int(m.Rate/10)))}
	defer f.close()
	config := rest.CopyConfig(c.config)
	config.QPS = -1 // pace is the limit
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	f.objects = client.Resource(objectsResource(crd, to))
	// Requests that began before the version was unserved can add entries during the first round.
	for round := 0; ; round++ {
		before := f.done
		if err := f.round(ctx); err != nil {
			return err
		}
		if f.done == before || round == maxRetries {
			break
		}
	}
	return f.summary()
}

// fieldsMigration is one run of MigrateFields.
type fieldsMigration struct {
	cluster   *Cluster
	crd       *apiextensions.CustomResourceDefinition
	to        string
	objects   dynamic.NamespaceableResourceInterface
	pace      *rate.Limiter
	report    func(Progress)
	converter *converter

	carrying sync.Mutex // held by carry
	carrier  *carrier

	mu       sync.Mutex // guards what follows
	done     int
	dropped  []Dropped
	drops    int
	failed   []string
	failures int
}

func (f *fieldsMigration) close() {
	if f.converter != nil {
		f.converter.close()
	}
}

// leaves reports whether entries at a version are carried over.
func (f *fieldsMigration) leaves(version string) bool {
	return !slices.Contains(served(f.crd), version)
}

// round looks at all objects once.
func (f *fieldsMigration) round(ctx context.Context) error {
	l, err := f.cluster.lister(f.crd, "")
	if err != nil {
		return err
	}
	f.failed, f.failures = nil, 0
	lines, reported := &progress{report: f.report, quiet: progressTime, last: time.Now()}, f.done
	for first := true; first || l.next != ""; first = false {
		page, err := l.page(ctx)
		if err != nil {
			return f.stopped(requested(f.crd, err, "listing "+f.crd.Name))
		}
		group, writing := errgroup.WithContext(ctx)
		group.SetLimit(writers)
		for i := range page.Items {
			o := &page.Items[i]
			if !slices.ContainsFunc(o.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return f.leaves(entryVersion(e)) }) {
				continue
			}
			if err := f.begin(ctx); err != nil {
				return f.stopped(err) // it is the first object: nothing is written yet
			}
			group.Go(func() error { return f.write(writing, o.Namespace, o.Name) })
			if writing.Err() != nil {
				break
			}
			lines.line(func() Progress { return f.progress(page.RemainingItemCount, len(page.Items)-i-1) })
		}
		if err := group.Wait(); err != nil {
			return f.stopped(err)
		}
		if f.done > reported && l.next == "" {
			f.report(f.progress(nil, 0))
		}
	}
	return nil
}

// progress is the state while objects remain: those of the page, and perhaps more pages.
func (f *fieldsMigration) progress(remaining *int64, onPage int) Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := fmt.Sprintf("managedFields of %s carried over to %s", plural.Count(f.done, "object"), f.to)
	if left := int64(onPage); remaining != nil && *remaining+left > 0 {
		text += fmt.Sprintf(", about %d objects left to look at", *remaining+left)
	}
	return Progress{text, f.done}
}

// stopped is the error of a run that ended early.
func (f *fieldsMigration) stopped(err error) error {
	cause := err.Error()
	if errors.Is(err, context.Canceled) {
		cause = "interrupted"
	}
	return &Interrupted{Done: f.done, How: again, what: cause + "; managedFields of " + plural.Count(f.done, "object") + " are carried over: ", err: err}
}

// begin connects to the webhook when the first object needs it.
func (f *fieldsMigration) begin(ctx context.Context) (err error) {
	if f.carrier != nil {
		return nil
	}
	var pairs [][2]string
	for _, v := range f.crd.Spec.Versions {
		if f.leaves(v.Name) {
			pairs = append(pairs, [2]string{f.to, v.Name}, [2]string{v.Name, f.to})
		}
	}
	if f.converter, err = f.cluster.converter(ctx, f.crd, pairs); err != nil {
		return err
	}
	f.carrier, err = newCarrier(f.crd, f.to, func(o *unstructured.Unstructured, version string) (*unstructured.Unstructured, error) {
		return f.converter.convert(ctx, o, f.crd.Spec.Group+"/"+version)
	})
	return err
}

// summary reports the entries that were dropped, and returns an error if objects could not be
// written.
func (f *fieldsMigration) summary() error {
	for _, d := range f.dropped {
		f.report(Progress{d.String(), f.done})
	}
	if more := f.drops - len(f.dropped); more > 0 {
		f.report(Progress{fmt.Sprintf("and %s more, of which fields were dropped", plural.Count(more, "entry")), f.done})
	}
	if f.failures > 0 {
		errs := []error{fmt.Errorf("%w: the managedFields of %s stay as they are", ErrObjects, plural.Count(f.failures, "object"))}
		for _, text := range f.failed {
			errs = append(errs, errors.New(text))
		}
		if f.failures > len(f.failed) {
			errs = append(errs, errors.New("and others"))
		}
		return errors.Join(errs...)
	}
	f.report(Progress{"no object has managedFields at a version that is not served", f.done})
	return nil
}
