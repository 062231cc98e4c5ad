// Package judge converts objects with the API server's own code for conversion webhooks: its
// client, with its TLS rules and its retries, and its checks of the answers. If it complains, the
// gateway is wrong.
package judge

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The Service that a judge asks for when it is not given a URL. A gateway needs a certificate for
// ServiceHost.
const (
	serviceName, serviceNamespace = "gateway", "crosswalk"
	ServiceHost                   = serviceName + "." + serviceNamespace + ".svc"
)

// Config names the conversions of a judge and the webhook that it calls.
type Config struct {
	Group, Kind string
	Versions    []string
	// ReviewVersions are the conversionReviewVersions of the CRD, v1 or v1beta1; empty means v1.
	ReviewVersions []string
	// URL asks like a CRD with clientConfig.url; API servers offer HTTP/2 if that is on 127.0.0.1.
	// Without one the judge asks a Service, over HTTP/1.1 as to all Services, of which Address, a
	// host:port, is the only endpoint.
	URL, Address string
	CA           []byte
}

// Judge converts objects. It has connections of its own. It may be used by many goroutines at once.
type Judge struct {
	group     string
	converter runtime.ObjectConvertor
	endpoint  atomic.Pointer[string]
}

// New returns a judge.
func New(cfg Config) (*Judge, error) {
	j := &Judge{group: cfg.Group}
	j.endpoint.Store(&cfg.Address)
	if len(cfg.ReviewVersions) == 0 {
		cfg.ReviewVersions = []string{"v1"}
	}
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = strings.ToLower(cfg.Kind) + "s." + cfg.Group
	crd.Spec.Group, crd.Spec.Names.Kind, crd.Spec.Scope = cfg.Group, cfg.Kind, apiextensions.NamespaceScoped
	for _, version := range cfg.Versions {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: version, Served: true})
	}
	client := &apiextensions.WebhookClientConfig{CABundle: cfg.CA}
	if cfg.URL != "" {
		client.URL = &cfg.URL
	} else {
		path, port := "/convert", int32(443)
		client.Service = &apiextensions.ServiceReference{Name: serviceName, Namespace: serviceNamespace, Path: &path, Port: &port}
	}
	crd.Spec.Conversion = &apiextensions.CustomResourceConversion{
		Strategy: apiextensions.WebhookConverter,
		Webhook:  &apiextensions.WebhookConversion{ClientConfig: client, ConversionReviewVersions: cfg.ReviewVersions},
	}
	factory, err := conversion.NewCRConverterFactory(j, nil)
	if err != nil {
		return nil, fmt.Errorf("making the API server's converter: %w", err)
	}
	if j.converter, _, err = factory.NewConverter(crd); err != nil {
		return nil, fmt.Errorf("making the API server's converter: %w", err)
	}
	return j, nil
}

// Switch makes another address the endpoint of the Service.
func (j *Judge) Switch(address string) { j.endpoint.Store(&address) }

// ResolveEndpoint is the API server's question where a Service is.
func (j *Judge) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	if namespace != serviceNamespace || name != serviceName {
		return nil, fmt.Errorf("there is no Service %s/%s", namespace, name)
	}
	host, endpointPort, err := net.SplitHostPort(*j.endpoint.Load())
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, endpointPort)}, nil
}

// Convert returns the object in another version, after all checks and corrections of the API
// server. It does not change the given object.
func (j *Judge) Convert(object *unstructured.Unstructured, version string) (*unstructured.Unstructured, error) {
	converted, err := j.converter.ConvertToVersion(object, schema.GroupVersion{Group: j.group, Version: version})
	if err != nil {
		return nil, err
	}
	return converted.(*unstructured.Unstructured), nil
}

// ConvertList converts objects, which may be in several versions, in one review.
func (j *Judge) ConvertList(list *unstructured.UnstructuredList, version string) (*unstructured.UnstructuredList, error) {
	converted, err := j.converter.ConvertToVersion(list, schema.GroupVersion{Group: j.group, Version: version})
	if err != nil {
		return nil, err
	}
	return converted.(*unstructured.UnstructuredList), nil
}
