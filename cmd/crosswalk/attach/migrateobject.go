package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// write carries over the entries of one object, and returns an error that all other objects would
// meet, too.
func (f *fieldsMigration) write(ctx context.Context, namespace, name string) error {
	err := f.object(ctx, namespace, name)
	if err == nil {
		return nil
	}
	if fatal := f.fatal(ctx, err); fatal != nil {
		return fatal
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures++; f.failures <= maxNamed {
		f.failed = append(f.failed, fmt.Sprintf("%s: %v", strings.TrimPrefix(namespace+"/"+name, "/"), err))
	}
	return nil
}

// object carries over the entries of one object. If others write the object meanwhile, it begins
// again with the new object: resourceVersion keeps it from undoing their writes.
func (f *fieldsMigration) object(ctx context.Context, namespace, name string) error {
	client := dynamic.ResourceInterface(f.objects)
	if namespace != "" {
		client = f.objects.Namespace(namespace)
	}
	p := new(patience)
	for attempt := 1; ; attempt++ {
		if err := f.pace.Wait(ctx); err != nil {
			return err
		}
		err := f.attempt(ctx, client, name)
		switch {
		case err == nil, apierrors.IsNotFound(err):
			return nil
		case apierrors.IsConflict(err) && attempt < maxConflicts:
			continue
		}
		if err := p.again(ctx, err); err != nil {
			return err
		}
	}
}

func (f *fieldsMigration) attempt(ctx context.Context, client dynamic.ResourceInterface, name string) error {
	o, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(o.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return f.leaves(entryVersion(e)) }) {
		return nil // somebody else has done it
	}
	entries, dropped, err := f.carry(ctx, o)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": o.GetUID(), "resourceVersion": o.GetResourceVersion(), "managedFields": entries,
	}})
	if err != nil {
		return err
	}
	written, err := client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(written.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return f.leaves(entryVersion(e)) }) {
		return errors.New("the API server did not take the new managedFields")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done++
	f.drops += len(dropped)
	f.dropped = append(f.dropped, dropped[:min(len(dropped), max(0, maxNamed-len(f.dropped)))]...)
	return nil
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

// fatal returns the error that all other objects would fail with, too; nil if there is none.
func (f *fieldsMigration) fatal(ctx context.Context, err error) error {
	var away unreachable
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if Forbidden(err) || errors.As(err, &away) {
		return err
	}
	_, gone := f.cluster.current(ctx, f.crd)
	return gone
}
