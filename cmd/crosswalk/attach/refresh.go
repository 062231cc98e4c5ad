package attach

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

const (
	// unknownReview is a review version that no API server knows: beside others, it changes the
	// specification and no conversion. A caBundle would not do: cert-manager writes it, and it can be empty.
	unknownReview = "crosswalk-refresh"
	// refreshManager owns fields for a moment only.
	refreshManager = Manager + "-refresh"
	// awaited is the number of objects that all API servers must list as they read them.
	awaited = 3
	// lingering is a little less than the second after which API servers end the watches of a definition
	// that was changed.
	lingering = 900 * time.Millisecond
	// mostForgotten bounds the times that API servers forget until watches cannot go on.
	mostForgotten = 3
)

// Refresh makes API servers forget converted objects. They keep those of each version in a cache until
// somebody writes the object or changes the definition's specification: after a swap, GET has the new
// module's answers, and LIST, WATCH and informers the previous one's. A client that changes such a copy
// writes the previous module's values through the new module, without a conflict.
func Refresh(ctx context.Context, c *Cluster, t *Target) (Outcome, error) {
	out := Outcome{Target: t.String(), Action: ActionRefused, Message: "nothing was changed"}
	// A definition that Crossplane makes is changed here, not its owner, which Crossplane would copy too late.
	for _, crd := range t.Definitions {
		if !webhook(crd) {
			return out, fmt.Errorf("%s has no conversion webhook, so API servers keep no answers of one", crd.Name)
		}
		objects, old, err := compare(ctx, c, crd)
		if err != nil {
			return out, err
		}
		ended, err := refresher{c}.endWatches(ctx, crd)
		if err != nil {
			return out, fmt.Errorf("changing spec.conversion of %s and changing it back: %w", crd.Name, err)
		}
		out.Action, out.Message = ActionRefreshed, "API servers have converted the objects again"
		check := objects
		if len(old) > 0 {
			check = old
		}
		check = check[:min(len(check), awaited)]
		err = c.follow(ctx, crd, func(Progress) {}, knowledge{"lists other values than it reads", webhook, func(ctx context.Context, config *rest.Config, client *http.Client) (bool, error) {
			api, err := dynamic.NewForConfigAndClient(config, client)
			if err != nil {
				return false, err
			}
			old, err := outdatedObjects(ctx, api, crd, check)
			return len(old) == 0, err
		}})
		if err != nil {
			return out, fmt.Errorf("%w; replicas of the gateway that serve different modules look the same", err)
		}
		if _, err := (refresher{c}).attached(ctx, crd); err != nil { // without a webhook LIST equals GET, too
			return out, err
		}
		out.Checks.pass("before", "%s", compared(crd, objects, old))
		out.Checks.pass("after", "%s", compared(crd, check, nil))
		if ended {
			out.Checks.pass("watches", "clients that watch %s list all objects again", label(crd))
		} else {
			out.Checks.fail("watches", "run it again while fewer objects change, or restart the clients that watch them", "objects of %s change so often that watches go on, and informers keep the values of a previous module", label(crd))
		}
	}
	return out, nil
}

// refresher changes the specification of definitions, and changes it back.
type refresher struct{ c *Cluster }

// endWatches makes API servers forget the converted objects, and reports whether clients that watch must
// list again. An API server answers from a new cache at once, and ends watches of the old one a second
// later: a client that got an event meanwhile is newer than the new cache, and goes on with its old copies
// of all other objects. So API servers forget again just before that second is over.
func (r refresher) endWatches(ctx context.Context, crd *apiextensions.CustomResourceDefinition) (ended bool, err error) {
	objects := r.c.objects(crd, ReadVersion(crd))
	list, err := objects.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return false, err
	}
	version := list.GetResourceVersion()
	for range mostForgotten {
		watched, stop := context.WithTimeout(ctx, effectTime)
		defer stop()
		events, err := objects.Watch(watched, metav1.ListOptions{ResourceVersion: version})
		if expired(err) {
			return true, nil
		} else if err != nil {
			return false, err
		}
		for _, pause := range []time.Duration{lingering, 0} {
			if crd, err = r.forget(ctx, crd); err == nil {
				err = sleep(ctx, pause)
			}
			if err != nil {
				return false, err
			}
		}
		if version, err = lastVersion(events, version); err == nil { // this watch has ended as all others
			var second int64 = 1
			if events, err = objects.Watch(ctx, metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: &second}); err == nil {
				version, err = lastVersion(events, version)
			}
		}
		if expired(err) {
			return true, nil
		} else if err != nil && !later(err) {
			return false, err
		}
	}
	return false, ctx.Err()
}

// expired reports whether a client that watches must list again.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// lastVersion waits for the end of a watch, and returns the version of the last object.
func lastVersion(events watch.Interface, version string) (string, error) {
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			return version, apierrors.FromObject(event.Object)
		}
		if o, ok := event.Object.(*unstructured.Unstructured); ok {
			version = o.GetResourceVersion()
		}
	}
	return version, nil
}

// forget changes the specification of a definition and at once changes it back: API servers see both. In
// the end the fields have their owners again, and a migration its record.
func (r refresher) forget(ctx context.Context, crd *apiextensions.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	type object = map[string]any
	reviews := func(now *apiextensions.CustomResourceDefinition, more ...string) object {
		versions := slices.DeleteFunc(slices.Clone(now.Spec.Conversion.Webhook.ConversionReviewVersions), func(v string) bool { return v == unknownReview })
		return object{"conversion": object{"webhook": object{"conversionReviewVersions": append(versions, more...)}}}
	}
	before, marked, err := r.edit(ctx, crd, func(now *apiextensions.CustomResourceDefinition) object {
		return object{"metadata": object{}, "spec": reviews(now, unknownReview)}
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	now, restored, err := r.edit(ctx, marked, func(now *apiextensions.CustomResourceDefinition) object {
		metadata := object{}
		if recorded(before) && now.Generation == marked.Generation {
			metadata["annotations"] = map[string]string{MigratedAnnotation: historyAt(now, now.Generation+1)}
		}
		return object{"metadata": metadata, "spec": reviews(now)}
	})
	if err != nil {
		return nil, err
	}
	alone := now.ResourceVersion == marked.ResourceVersion
	_, now, err = r.edit(ctx, restored, func(now *apiextensions.CustomResourceDefinition) object {
		owners := before.ManagedFields
		if !alone || now.ResourceVersion != restored.ResourceVersion { // another writer has fields of its own by now
			owners = slices.DeleteFunc(slices.Clone(now.ManagedFields), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == refreshManager })
		}
		return object{"metadata": object{"managedFields": owners}}
	})
	return now, err
}

// edit patches a definition, and reads it again whenever somebody else has changed it meanwhile. It
// returns the definition before and after the patch.
func (r refresher) edit(ctx context.Context, crd *apiextensions.CustomResourceDefinition, patch func(now *apiextensions.CustomResourceDefinition) map[string]any) (before, after *apiextensions.CustomResourceDefinition, err error) {
	for attempt := 1; ; attempt++ {
		body := patch(crd)
		metadata := body["metadata"].(map[string]any)
		metadata["uid"], metadata["resourceVersion"] = crd.UID, crd.ResourceVersion
		object, err := r.c.send(ctx, crdResource, crd.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: refreshManager})
		switch {
		case err == nil:
			after, err = decode[apiextensions.CustomResourceDefinition](object)
			return crd, after, err
		case !apierrors.IsConflict(err) || attempt == maxConflicts:
			return nil, nil, err
		}
		if crd, err = r.attached(ctx, crd); err != nil {
			return nil, nil, err
		}
	}
}

// attached reads a definition again. It is an error if that has no webhook any more.
func (r refresher) attached(ctx context.Context, crd *apiextensions.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	now, err := r.c.current(ctx, crd)
	if err == nil && !webhook(now) {
		err = fmt.Errorf("somebody removed the conversion webhook of %s meanwhile", crd.Name)
	}
	return now, err
}

// Cached compares the API server's lists, which it answers from its cache as it does informers, with
// single reads, for some objects at each served version.
func Cached(ctx context.Context, c *Cluster, t *Target) Checks {
	var checks Checks
	for _, crd := range t.Definitions {
		if !webhook(crd) {
			continue
		}
		objects, old, err := compare(ctx, c, crd)
		switch {
		case err != nil:
			text, remedy := evidence(err)
			checks.warn("cache", remedy, "%s", text)
		case len(old) > 0:
			checks.fail("cache", "crosswalk refresh "+t.Name, "%s: clients that list or watch still get the values of a previous module", compared(crd, objects, old))
		default:
			checks.pass("cache", "%s", compared(crd, objects, old))
		}
	}
	return checks
}

// compared says the result of a comparison in words.
func compared(crd *apiextensions.CustomResourceDefinition, objects, old []unstructured.Unstructured) string {
	text := fmt.Sprintf("%s of %s compared at %s: ", plural.Count(len(objects), "object"), label(crd), strings.Join(served(crd), ", "))
	if len(old) == 0 {
		return text + "LIST equals GET"
	}
	return text + fmt.Sprintf("LIST differs from GET for %d, such as %s", len(old), title(&old[0]))
}

// compare reads some objects, and returns them and those that differ.
func compare(ctx context.Context, c *Cluster, crd *apiextensions.CustomResourceDefinition) (objects, old []unstructured.Unstructured, err error) {
	list, err := c.objects(crd, ReadVersion(crd)).List(ctx, metav1.ListOptions{Limit: sampleSize})
	if err != nil {
		return nil, nil, requested(crd, err, "listing "+label(crd))
	}
	old, err = outdatedObjects(ctx, c.dynamic, crd, list.Items)
	return list.Items, old, err
}

// outdatedObjects returns the objects that an API server lists with other values than it reads, at any
// served version. An object that is written meanwhile is not one: each write converts it anew.
func outdatedObjects(ctx context.Context, api dynamic.Interface, crd *apiextensions.CustomResourceDefinition, objects []unstructured.Unstructured) (old []unstructured.Unstructured, err error) {
	for _, o := range objects {
		differs := false
		for _, v := range served(crd) {
			client := api.Resource(objectsResource(crd, v)).Namespace(o.GetNamespace())
			// Version 0 asks for the cache.
			list, err := client.List(ctx, metav1.ListOptions{ResourceVersion: "0", FieldSelector: "metadata.name=" + o.GetName()})
			if err != nil {
				return nil, requested(crd, err, "listing "+label(crd)+" "+title(&o)+" at "+v)
			}
			got, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return nil, requested(crd, err, "reading "+label(crd)+" "+title(&o)+" at "+v)
			}
			differs = differs || err == nil && len(list.Items) == 1 && list.Items[0].GetResourceVersion() == got.GetResourceVersion() && !equality.Semantic.DeepEqual(list.Items[0].Object, got.Object)
		}
		if differs {
			old = append(old, o)
		}
	}
	return old, nil
}
