package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
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
	f := &fieldsMigration{cluster: c, crd: crd, to: to, report: m.Report, writing: newWriting(m.Rate)}
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
		before := f.writing.done
		if err := f.round(ctx); err != nil {
			return err
		}
		if f.writing.done == before || round == maxRetries {
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
	writing   *writing
	report    func(Progress)
	converter *converter

	carrying sync.Mutex // guards what follows
	carrier  *carrier
	dropped  []Dropped
	drops    int
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
	l, _, err := f.cluster.lister(f.crd, "")
	if err != nil {
		return err
	}
	w := f.writing
	w.failed, w.failures = nil, 0
	lines, reported := &progress{report: f.report, quiet: progressTime, last: time.Now()}, w.done
	for page, err := range l.all(ctx) {
		if err != nil {
			return f.stopped(requested(f.crd, err, "listing "+f.crd.Name))
		}
		objects := slices.DeleteFunc(page.Items, func(o metav1.PartialObjectMetadata) bool { return !f.concerns(o.ManagedFields) })
		if len(objects) > 0 {
			if err := f.begin(ctx); err != nil {
				return f.stopped(err) // it is the first page with objects: nothing is written yet
			}
		}
		if err := w.page(ctx, objects, f.object); err != nil {
			return f.stopped(err)
		}
		state := func() Progress {
			return Progress{fmt.Sprintf("managedFields of %s carried over to %s%s", plural.Count(w.done, "object"), f.to, left(page, "objects left to look at")), w.done}
		}
		if l.next != "" {
			lines.line(state)
		} else if w.done > reported {
			f.report(state())
		}
	}
	return nil
}

// concerns reports whether some of an object's entries are carried over.
func (f *fieldsMigration) concerns(entries []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return f.leaves(entryVersion(e)) })
}

// stopped is the error of a run that ended early.
func (f *fieldsMigration) stopped(err error) error {
	cause := err.Error()
	if errors.Is(err, context.Canceled) {
		cause = "interrupted"
	}
	done := f.writing.done
	return &Interrupted{Done: done, How: again, what: cause + "; managedFields of " + plural.Count(done, "object") + " are carried over: ", err: err}
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
	if f.converter, err = f.cluster.Probe.converter(ctx, f.crd, pairs); err != nil {
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
	done := f.writing.done
	for _, d := range f.dropped {
		f.report(Progress{d.String(), done})
	}
	if more := f.drops - len(f.dropped); more > 0 {
		f.report(Progress{fmt.Sprintf("and %s more, of which fields were dropped", plural.Count(more, "entry")), done})
	}
	if err := f.writing.err(fmt.Sprintf(": the managedFields of %s stay as they are", plural.Count(f.writing.failures, "object"))); err != nil {
		return err
	}
	f.report(Progress{"no object has managedFields at a version that is not served", done})
	return nil
}

// object carries over the entries of one object. If others write the object meanwhile, it begins
// again with the new object: resourceVersion keeps it from undoing their writes.
func (f *fieldsMigration) object(ctx context.Context, o *metav1.PartialObjectMetadata) (wrote bool, err error) {
	client := f.objects.Namespace(o.Namespace)
	p := new(patience)
	for attempt := 1; ; attempt++ {
		if err := f.writing.pace.Wait(ctx); err != nil {
			return false, err
		}
		wrote, err := f.attempt(ctx, client, o.Name)
		switch {
		case err == nil, apierrors.IsNotFound(err):
			return wrote, nil
		case apierrors.IsConflict(err) && attempt < maxConflicts:
			continue
		}
		if err := p.again(ctx, err); err != nil {
			return false, f.fatal(ctx, err)
		}
	}
}

func (f *fieldsMigration) attempt(ctx context.Context, client dynamic.ResourceInterface, name string) (wrote bool, err error) {
	o, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	if !f.concerns(o.GetManagedFields()) {
		return false, nil // somebody else has done it
	}
	entries, dropped, err := f.carry(ctx, o)
	if err != nil {
		return false, err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": o.GetUID(), "resourceVersion": o.GetResourceVersion(), "managedFields": entries,
	}})
	if err != nil {
		return false, err
	}
	written, err := client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	if err != nil {
		return false, err
	}
	if f.concerns(written.GetManagedFields()) {
		return false, errors.New("the API server did not take the new managedFields")
	}
	f.carrying.Lock()
	defer f.carrying.Unlock()
	f.drops += len(dropped)
	f.dropped = append(f.dropped, dropped[:min(len(dropped), max(0, maxNamed-len(f.dropped)))]...)
	return true, nil
}

// carry returns the new entries of an object. The carrier serves one object at a time.
func (f *fieldsMigration) carry(ctx context.Context, o *unstructured.Unstructured) ([]metav1.ManagedFieldsEntry, []Dropped, error) {
	f.carrying.Lock()
	defer f.carrying.Unlock()
	if err := ctx.Err(); err != nil { // the gateway may have failed for another object
		return nil, nil, err
	}
	return f.carrier.carry(o, f.leaves)
}

// fatal marks an error that all other objects would meet, too: the definition may be gone.
func (f *fieldsMigration) fatal(ctx context.Context, err error) error {
	if Forbidden(err) || errors.As(err, new(unreachable)) {
		return meetsAll{err}
	}
	if _, gone := f.cluster.current(ctx, f.crd); gone != nil {
		return meetsAll{gone}
	}
	return err
}
