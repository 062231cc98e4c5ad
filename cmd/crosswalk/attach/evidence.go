package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MigratedAnnotation has the history that the last complete migration of a definition covers.
const MigratedAnnotation = "crosswalk-gateway.github.io/migrated"

// history identifies all storage versions that a definition has had up to now. Everybody who may write
// the status can change status.storedVersions, and a storage version that came and went leaves no other
// trace in the definition than its generation, which each change of the specification raises.
func history(crd *apiextensions.CustomResourceDefinition) string {
	return historyAt(crd, crd.Generation)
}

func historyAt(crd *apiextensions.CustomResourceDefinition, generation int64) string {
	return fmt.Sprintf("%s/%d/%s", crd.UID, generation, storage(crd))
}

// recorded reports whether a migration has rewritten all objects of a definition in the storage version,
// and the specification has not changed since.
func recorded(crd *apiextensions.CustomResourceDefinition) bool {
	return crd.Annotations[MigratedAnnotation] == history(crd)
}

// migrated reports whether all objects of a definition are stored in one version.
func migrated(crd *apiextensions.CustomResourceDefinition) bool {
	return recorded(crd) && onlyStored(crd, storage(crd))
}

// onlyStored reports whether status.storedVersions names one version alone, which proves nothing.
func onlyStored(crd *apiextensions.CustomResourceDefinition, version string) bool {
	return slices.Equal(crd.Status.StoredVersions, []string{version})
}

// keepRecord lets the record of a migration cover a change of the specification that the tool is about to
// write. The write names the resourceVersion of before, so no change of others can be between the two.
func keepRecord(before *apiextensions.CustomResourceDefinition, o *unstructured.Unstructured) error {
	after, err := decode[apiextensions.CustomResourceDefinition](o)
	if err != nil || !recorded(before) || o.GetAnnotations()[MigratedAnnotation] == "" || storage(after) != storage(before) {
		return err
	}
	annotations := o.GetAnnotations()
	annotations[MigratedAnnotation] = historyAt(before, before.Generation+1)
	o.SetAnnotations(annotations)
	return nil
}

// record notes that a migration covers the history of a definition. It fails with a conflict if somebody
// has changed the definition since it was read.
func (c *reader) record(ctx context.Context, crd *apiextensions.CustomResourceDefinition) error {
	o, err := c.dynamic.Resource(crdResource).Get(ctx, crd.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if o.GetResourceVersion() != crd.ResourceVersion {
		return apierrors.NewConflict(crdResource.GroupResource(), crd.Name, errors.New("it was changed meanwhile"))
	}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[MigratedAnnotation] = history(crd)
	o.SetAnnotations(annotations)
	_, err = c.dynamic.Resource(crdResource).Update(ctx, o, metav1.UpdateOptions{FieldManager: Manager + "-retire"})
	return err
}

// A token of an interrupted run names the history that the run began with, and the page of objects that
// comes next.

func newToken(crd *apiextensions.CustomResourceDefinition, page string) string {
	if page == "" {
		return ""
	}
	return history(crd) + "/" + page
}

// pageOf returns the page of a token. It is empty if the definition has another history by now: objects
// that the run rewrote may have been written in another version since.
func pageOf(crd *apiextensions.CustomResourceDefinition, token string) string {
	page, same := strings.CutPrefix(token, history(crd)+"/")
	if !same {
		return ""
	}
	return page
}
