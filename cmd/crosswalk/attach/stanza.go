package attach

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Gateway is the address of a gateway and the CA of its certificate: either a Service or a URL.
type Gateway struct {
	Namespace, Name string // of the Service
	Port            int32
	URL             string
	CA              []byte // PEM; empty leaves caBundle to others, such as cert-manager's injector
}

// Stanza returns the spec.conversion for a gateway.
func (g Gateway) Stanza() *apiextensions.CustomResourceConversion {
	client := &apiextensions.WebhookClientConfig{CABundle: g.CA}
	path := "/convert" // a gateway takes reviews at every path
	if g.URL != "" {
		client.URL = &g.URL
	} else {
		client.Service = &apiextensions.ServiceReference{Namespace: g.Namespace, Name: g.Name, Path: &path, Port: &g.Port}
	}
	return &apiextensions.CustomResourceConversion{
		Strategy: apiextensions.WebhookConverter,
		Webhook:  &apiextensions.WebhookConversion{ClientConfig: client, ConversionReviewVersions: []string{"v1"}},
	}
}

// Serves reports whether a stanza points to this gateway, whatever its CA.
func (g Gateway) Serves(conversion *apiextensions.CustomResourceConversion) bool {
	if conversion == nil || conversion.Strategy != apiextensions.WebhookConverter || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil {
		return false
	}
	client := conversion.Webhook.ClientConfig
	if g.URL != "" {
		return client.URL != nil && *client.URL == g.URL
	}
	return client.Service != nil && client.Service.Namespace == g.Namespace && client.Service.Name == g.Name
}

// Document returns the object for server-side apply that has the stanza and nothing else. The same
// document serves as a patch for kustomize and for kubectl patch --type=merge.
func (g Gateway) Document(apiVersion, kind, name string) (*unstructured.Unstructured, error) {
	stanza, err := runtime.DefaultUnstructuredConverter.ToUnstructured(g.Stanza())
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"conversion": stanza},
	}}, nil
}

// CA reads the CA of the gateway's certificate from its Secret, as cert-manager, the chart and
// kubectl create secret tls write it: ca.crt, or else tls.crt if that certificate signed itself.
func (c *reader) CA(ctx context.Context, namespace, name string) ([]byte, error) {
	secret, err := read[core.Secret](ctx, c.dynamic, secretResource, namespace, name)
	if err != nil {
		return nil, fmt.Errorf("reading the gateway's CA: %w", err)
	}
	ca := secret.Data["ca.crt"]
	if len(ca) == 0 {
		ca = secret.Data["tls.crt"]
		if err := selfSigned(ca); err != nil {
			return nil, fmt.Errorf("the Secret %s/%s has no ca.crt, and its tls.crt cannot serve as one: %w", namespace, name, err)
		}
	}
	if _, err := pool(ca); err != nil || len(ca) == 0 {
		return nil, fmt.Errorf("the Secret %s/%s has no certificate in ca.crt", namespace, name)
	}
	return ca, nil
}

// selfSigned is nil if the first certificate of a PEM text signed itself.
func selfSigned(text []byte) error {
	block, _ := pem.Decode(text)
	if block == nil {
		return errors.New("it has no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		return err
	}
	if string(certificate.RawIssuer) != string(certificate.RawSubject) {
		return fmt.Errorf("%s issued it", certificate.Issuer)
	}
	return nil
}
