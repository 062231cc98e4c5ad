package attach

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// connections is the number of connections on which API servers are asked what they know. If a load
// balancer gives each connection to one of two at random, one in 128 runs meets only one of them.
const connections = 8

// fresh returns a client with a connection of its own, which a load balancer may give to another API
// server than the client's other connections.
func (c *enforcer) fresh() (dynamic.Interface, error) {
	if c.servers == nil {
		return c.api, nil
	}
	return dynamic.NewForConfig(freshConfig(c.servers))
}

// freshConfig returns a configuration with which each client has connections of its own.
func freshConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	if config.Dial == nil {
		config.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	} // client-go gives each client with a dialer its own transport
	return config
}

// lacksResource reports whether an API server does not know the resource of a request, as one of an
// older Kubernetes. If it lacks the object only, the error names it.
func lacksResource(err error) bool {
	if !apierrors.IsNotFound(err) {
		return false
	}
	status, ok := err.(apierrors.APIStatus)
	return ok && status.Status().Details != nil && slices.ContainsFunc(status.Status().Details.Causes, func(c metav1.StatusCause) bool {
		return c.Type == metav1.CauseTypeUnexpectedServerResponse
	})
}

// onAny makes a request of an API server that knows the resource, if one of several connections leads
// to one.
func (c *enforcer) onAny(request func(dynamic.Interface) error) error {
	err := request(c.api)
	for range connections {
		if !lacksResource(err) {
			break
		}
		client, failed := c.fresh()
		if failed != nil {
			return failed
		}
		err = request(client)
	}
	return err
}

// knowPolicies returns an error unless all API servers that it meets have admission policies: one that
// has none admits objects that do not convert, and the others answer only some of the writes of a
// policy.
func (c *enforcer) knowPolicies(ctx context.Context) error {
	var lack int
	var last error
	for range connections {
		client, err := c.fresh()
		if err != nil {
			return err
		}
		_, err = client.Resource(policyResource).List(ctx, metav1.ListOptions{LabelSelector: policyLabel + "=" + policyValue, Limit: 1})
		switch {
		case apierrors.IsNotFound(err):
			lack, last = lack+1, err
		case err != nil:
			return fmt.Errorf("listing ValidatingAdmissionPolicies: %w", err)
		}
	}
	switch lack {
	case 0:
		return nil
	case connections:
		return fmt.Errorf("the API server has no ValidatingAdmissionPolicy, which Kubernetes 1.30 and later have: %w", last)
	}
	return fmt.Errorf("some API servers have no ValidatingAdmissionPolicy (%d of %d connections led to one), and would admit objects that do not convert: finish the upgrade of the control plane to Kubernetes 1.30 or later, then run the command again", lack, connections)
}
