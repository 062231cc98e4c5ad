package attach

import (
	"context"
	"errors"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// The annotations of a definition that a controller keeps attached.
const (
	// Annotation asks for it, with the value "true". With any other value it says that somebody has
	// detached the definition: one that is replaced or made again has no annotation.
	Annotation = "crosswalk-gateway.github.io/attach"
	// StatusAnnotation has the state in words.
	StatusAnnotation = "crosswalk-gateway.github.io/status"
	// RetiredAnnotation lists the versions that Retire removed, with commas between them. Without it, a
	// version that was removed would look like one that the definition never had.
	RetiredAnnotation = "crosswalk-gateway.github.io/retired"

	asked, detached = "true", "false" // values of Annotation
)

// Manager is the field manager of writes to spec.conversion, policies and objects. Writes of other
// fields of a definition have it as their prefix, so that each owns its fields alone.
const Manager = "crosswalk"

// reader finds definitions and the targets that they lead to, and reads their objects.
type reader struct {
	dynamic dynamic.Interface
	config  *rest.Config // nil: only the client
}

// The resources that this package reads or writes.
var (
	crdResource     = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	serviceResource = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	podResource     = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	secretResource  = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	sliceResource   = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
)

// read reads one object into a value of its Go type. namespace is empty for cluster-scoped objects.
func read[T any](ctx context.Context, api dynamic.Interface, resource schema.GroupVersionResource, namespace, name string) (*T, error) {
	found, err := api.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return decode[T](found)
}

// decode turns an object into a value of its Go type.
func decode[T any](from *unstructured.Unstructured) (*T, error) {
	into := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, into); err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", from.GetKind(), from.GetName(), err)
	}
	return into, nil
}

// eachCRD calls do for each CustomResourceDefinition of the cluster, a page at a time, until do
// returns false.
func (c *reader) eachCRD(ctx context.Context, do func(*apiextensions.CustomResourceDefinition) bool) error {
	options := metav1.ListOptions{Limit: 50} // one definition can have 1.5 MB
	for {
		page, err := c.dynamic.Resource(crdResource).List(ctx, options)
		if err != nil {
			return fmt.Errorf("listing CustomResourceDefinitions: %w", err)
		}
		for i := range page.Items {
			crd, err := decode[apiextensions.CustomResourceDefinition](&page.Items[i])
			if err != nil {
				return err
			}
			if !do(crd) {
				return nil
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// webhook reports whether the API server asks a webhook to convert the objects of a definition.
func webhook(crd *apiextensions.CustomResourceDefinition) bool {
	return crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextensions.WebhookConverter
}

// Forbidden reports whether an error is a lack of rights, not a fault of the gateway.
func Forbidden(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
}

// errNotFound is the cause of errors about an absent definition.
var errNotFound = errors.New("not found")
