package attach

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// converter converts objects of a definition as the API server has them converted: by the webhook of
// its stanza, at any replica that answers, or else by a new apiVersion. It is not safe for
// concurrent use.
type converter struct {
	client    *apiextensions.WebhookClientConfig // nil = strategy None
	review    string
	endpoints []endpoint
	next      int
	probe     *probe
}

// converter finds the replicas behind the stanza of a definition, and has one of them convert an
// object without fields between all versions of some pairs. Call close when done.
func (c *examiner) converter(ctx context.Context, crd *apiextensions.CustomResourceDefinition, pairs [][2]string) (*converter, error) {
	var checks Checks
	v := &converter{}
	if webhook(crd) {
		t := &Target{Name: crd.Name, Definitions: []*apiextensions.CustomResourceDefinition{crd}}
		v.client, v.review = c.examineStanza(ctx, t, crd.Spec.Conversion, &checks)
		if v.client != nil {
			v.endpoints = c.endpoints(ctx, v.client, &checks)
		}
		if err := checks.Err(); len(v.endpoints) == 0 && err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs {
		if _, err := v.convert(ctx, bare(crd, pair[0]), crd.Spec.Group+"/"+pair[1]); err != nil && !refusal(err) {
			v.close()
			return nil, fmt.Errorf("converting from %s to %s: %w", pair[0], pair[1], err)
		}
	}
	return v, nil
}

func (v *converter) close() {
	if v.probe != nil {
		v.probe.close()
		v.probe = nil
	}
}

// convert converts one object. If a replica fails, it asks the next one, and each of them again
// later: an error other than a refusal is not the object's fault.
func (v *converter) convert(ctx context.Context, o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	if v.client == nil {
		renamed := o.DeepCopy()
		renamed.SetAPIVersion(to)
		return renamed, nil
	}
	for attempt := 1; ; attempt++ {
		converted, err := v.try(ctx, o, to)
		var r refused
		switch {
		case err == nil || refusal(err) || ctx.Err() != nil:
			return converted, err
		case attempt == maxRetries && !errors.As(err, &r):
			return nil, unreachable{err}
		case attempt == maxRetries:
			return nil, err
		}
		v.close()
		v.next++
		if v.next%len(v.endpoints) == 0 {
			if err := sleep(ctx, time.Duration(attempt)*time.Second/2); err != nil {
				return nil, err
			}
		}
	}
}

func (v *converter) try(ctx context.Context, o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	if v.probe == nil {
		var checks Checks
		v.probe = newProbe(ctx, v.endpoints[v.next%len(v.endpoints)], v.client, v.review, &checks)
		if v.probe == nil {
			if err := checks.Err(); err != nil {
				return nil, err
			}
			return nil, errors.New("the gateway cannot be reached")
		}
	}
	return v.probe.convert(ctx, o, to)
}

// unreachable is the error of a webhook that does not answer.
type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }
