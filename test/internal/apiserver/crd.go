package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// Webhook points a CRD at a conversion webhook. Without reviewVersions both are offered, v1 first.
func Webhook(crd *apiextensions.CustomResourceDefinition, url string, ca []byte, reviewVersions ...string) {
	if len(reviewVersions) == 0 {
		reviewVersions = []string{"v1", "v1beta1"}
	}
	crd.Spec.Conversion = &apiextensions.CustomResourceConversion{
		Strategy: apiextensions.WebhookConverter,
		Webhook: &apiextensions.WebhookConversion{
			ClientConfig:             &apiextensions.WebhookClientConfig{URL: &url, CABundle: ca},
			ConversionReviewVersions: reviewVersions,
		},
	}
}

// ParseCRD reads a CRD from YAML or JSON, strictly.
func ParseCRD(text []byte) (*apiextensions.CustomResourceDefinition, error) {
	crd := &apiextensions.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, crd); err != nil {
		return nil, fmt.Errorf("reading a CustomResourceDefinition: %w", err)
	}
	if crd.Spec.Group == "" {
		return nil, fmt.Errorf("reading a CustomResourceDefinition: it is a %q without a group", crd.Kind)
	}
	return crd, nil
}

// WithoutPatterns removes the patterns from a CRD's schemas. Objects that were stored before a
// definition had its patterns are the ones that converters refuse.
func WithoutPatterns(crd *apiextensions.CustomResourceDefinition) {
	for _, version := range crd.Spec.Versions {
		withoutPatterns(version.Schema.OpenAPIV3Schema)
	}
}

func withoutPatterns(schema *apiextensions.JSONSchemaProps) {
	schema.Pattern = ""
	for name, property := range schema.Properties {
		withoutPatterns(&property)
		schema.Properties[name] = property
	}
}

// Install creates the CRD and waits until each of its versions that is served can be read.
func (s *Server) Install(ctx context.Context, crd *apiextensions.CustomResourceDefinition) error {
	if _, err := s.CRDs.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating CRD %s: %w", crd.Name, err)
	}
	if err := s.until(ctx, func(ctx context.Context) error { return s.backdate(ctx, crd.Name) }); err != nil {
		return fmt.Errorf("waiting for %s to be established: %w", crd.Name, err)
	}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		err := s.until(ctx, func(ctx context.Context) error {
			_, err := s.Resource(crd, version.Name).List(ctx, metav1.ListOptions{Limit: 1})
			return err
		})
		if err != nil {
			return fmt.Errorf("waiting for %s to be served at %s: %w", crd.Name, version.Name, err)
		}
	}
	time.Sleep(settle)
	return nil
}

// settle is longer than the API server takes to see its own change of a CRD.
const settle = 50 * time.Millisecond

// backdate makes the CRD look as if it had been established a minute ago. API servers let the
// creation of an object wait for two seconds if its CRD is younger than that
// (crdHandler.serveResource), for the sake of other API servers, and there are no others here.
func (s *Server) backdate(ctx context.Context, name string) error {
	client := s.CRDs.ApiextensionsV1().CustomResourceDefinitions()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		crd, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range crd.Status.Conditions {
			if c := &crd.Status.Conditions[i]; c.Type == apiextensions.Established && c.Status == apiextensions.ConditionTrue {
				c.LastTransitionTime = metav1.NewTime(c.LastTransitionTime.Add(-time.Minute))
				_, err = client.UpdateStatus(ctx, crd, metav1.UpdateOptions{})
				return err
			}
		}
		return errors.New("it is not established")
	})
}

// Update changes an installed CRD. The API server follows within a second or so; wait for an effect
// of the change.
func (s *Server) Update(ctx context.Context, name string, change func(*apiextensions.CustomResourceDefinition)) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		crd, err := s.CRDs.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(crd)
		_, err = s.CRDs.ApiextensionsV1().CustomResourceDefinitions().Update(ctx, crd, metav1.UpdateOptions{})
		return err
	})
}

// Remove deletes the CRD with all its objects and waits until it is gone.
func (s *Server) Remove(ctx context.Context, crd *apiextensions.CustomResourceDefinition) error {
	client := s.CRDs.ApiextensionsV1().CustomResourceDefinitions()
	if err := client.Delete(ctx, crd.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting CRD %s: %w", crd.Name, err)
	}
	return s.until(ctx, func(ctx context.Context) error {
		switch _, err := client.Get(ctx, crd.Name, metav1.GetOptions{}); {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		default:
			return fmt.Errorf("CRD %s is still there", crd.Name)
		}
	})
}

// Resource returns a client for the CRD's objects at one version, in the namespace "default" unless
// the CRD is cluster-wide.
func (s *Server) Resource(crd *apiextensions.CustomResourceDefinition, version string) dynamic.ResourceInterface {
	client := s.Dynamic.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: version, Resource: crd.Spec.Names.Plural})
	if crd.Spec.Scope == apiextensions.ClusterScoped {
		return client
	}
	return client.Namespace(namespace)
}

const namespace = "default"

// Stored returns an object as etcd holds it, which no webhook has touched; an error if it is not
// there.
func (s *Server) Stored(ctx context.Context, crd *apiextensions.CustomResourceDefinition, name string) (*unstructured.Unstructured, error) {
	key := s.key(crd, name)
	value, err := s.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, fmt.Errorf("etcd has no %s", key)
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(value, &object.Object); err != nil {
		return nil, fmt.Errorf("reading %s from etcd: %w", key, err)
	}
	return object, nil
}

// Compact drops the history of etcd, as API servers do every five minutes: tokens of lists that
// began before it are outdated.
func (s *Server) Compact(ctx context.Context) error {
	now, err := s.etcd.client.Get(ctx, s.prefix)
	if err != nil {
		return fmt.Errorf("asking etcd for its revision: %w", err)
	}
	if _, err := s.etcd.client.Compact(ctx, now.Header.Revision); err != nil {
		return fmt.Errorf("compacting etcd: %w", err)
	}
	return nil
}

// Store puts an object into etcd as it is, past every check.
func (s *Server) Store(ctx context.Context, crd *apiextensions.CustomResourceDefinition, object *unstructured.Unstructured) error {
	value, err := json.Marshal(object.Object)
	if err != nil {
		return err
	}
	_, err = s.etcd.client.Put(ctx, s.key(crd, object.GetName()), string(value))
	return err
}

func (s *Server) key(crd *apiextensions.CustomResourceDefinition, name string) string {
	if crd.Spec.Scope == apiextensions.ClusterScoped {
		return path.Join(s.prefix, crd.Spec.Group, crd.Spec.Names.Plural, name)
	}
	return path.Join(s.prefix, crd.Spec.Group, crd.Spec.Names.Plural, namespace, name)
}

// until repeats try for two minutes or until it succeeds, and returns its last error.
func (s *Server) until(ctx context.Context, try func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if err != nil && ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}
