package attach

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// endpoint is one process behind a webhook's clientConfig.
type endpoint struct {
	name string // of the pod, or the address
	dial func(ctx context.Context) (net.Conn, error)
}

const (
	// maxEndpoints bounds the replicas that a test calls.
	maxEndpoints = 10
	// defaultPort is the port of a Service or URL that names none.
	defaultPort = 443
)

// serverName is the name that API servers look for in the certificate.
func serverName(client *apiextensions.WebhookClientConfig) string {
	if client.Service != nil {
		return client.Service.Name + "." + client.Service.Namespace + ".svc"
	}
	if client.URL != nil {
		if u, err := url.Parse(*client.URL); err == nil {
			return u.Hostname()
		}
	}
	return ""
}

// endpoints finds the processes behind a clientConfig and reports each step.
func (c *examiner) endpoints(ctx context.Context, client *apiextensions.WebhookClientConfig, checks *Checks) []endpoint {
	if client.Service == nil {
		return urlEndpoints(ctx, client, checks)
	}
	at := client.Service.Namespace + "/" + client.Service.Name
	port := int32(defaultPort)
	if client.Service.Port != nil {
		port = *client.Service.Port
	}
	if c.Direct {
		return []endpoint{{at, dialer(serverName(client), port)}}
	}
	service, err := read[core.Service](ctx, c.dynamic, serviceResource, client.Service.Namespace, client.Service.Name)
	switch {
	case apierrors.IsNotFound(err):
		checks.fail("Service", "install the gateway, or name its Service", "Service %s does not exist", at)
		return nil
	case err != nil:
		checks.fail("Service", "", "reading Service %s: %v", at, err)
		return nil
	}
	var found *core.ServicePort
	var ports []string
	for i := range service.Spec.Ports {
		p := &service.Spec.Ports[i]
		if p.Port == port {
			found = p
		}
		ports = append(ports, strconv.Itoa(int(p.Port)))
	}
	if found == nil {
		checks.fail("Service", "name one of its ports in the stanza", "Service %s has no port %d, but %s", at, port, strings.Join(ports, ", "))
		return nil
	}
	if service.Spec.Type == core.ServiceTypeExternalName {
		checks.fail("Service", "use a Service with endpoints, or a URL", "Service %s is an ExternalName, which API servers do not resolve", at)
		return nil
	}
	checks.pass("Service", "%s, port %d", at, port)
	return c.ready(ctx, service, found, checks)
}

// ready returns the ready endpoints of a Service's port.
func (c *examiner) ready(ctx context.Context, service *core.Service, port *core.ServicePort, checks *Checks) []endpoint {
	list, err := c.dynamic.Resource(sliceResource).Namespace(service.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: discovery.LabelServiceName + "=" + service.Name,
	})
	if err != nil {
		checks.fail("endpoints", "", "listing the EndpointSlices of Service %s/%s: %v", service.Namespace, service.Name, err)
		return nil
	}
	var found []endpoint
	total, unready := 0, []string{}
	for i := range list.Items {
		slice, err := decode[discovery.EndpointSlice](&list.Items[i])
		if err != nil {
			checks.fail("endpoints", "", "%v", err)
			return nil
		}
		number := slicePort(slice, port.Name)
		for _, e := range slice.Endpoints {
			if len(e.Addresses) == 0 {
				continue
			}
			total++
			made := c.endpoint(service.Namespace, e, number)
			switch {
			case e.Conditions.Ready != nil && !*e.Conditions.Ready:
				unready = append(unready, made.name)
			case number == 0:
				unready = append(unready, made.name+" (no port "+port.Name+")")
			case len(found) < maxEndpoints:
				found = append(found, made)
			}
		}
	}
	switch {
	case total == 0:
		checks.fail("endpoints", c.explainPods(ctx, service), "Service %s/%s has no endpoints", service.Namespace, service.Name)
	case len(found) == 0:
		checks.fail("endpoints", "kubectl -n "+service.Namespace+" describe pod says why", "no endpoint of Service %s/%s is ready: %s", service.Namespace, service.Name, strings.Join(unready, ", "))
	case len(unready) > 0:
		checks.warn("endpoints", "kubectl -n "+service.Namespace+" describe pod says why", "%d ready, %d not ready: %s", total-len(unready), len(unready), strings.Join(unready, ", "))
	default:
		checks.pass("endpoints", "%d ready", total)
	}
	return found
}

// explainPods says why a Service has no endpoints at all.
func (c *examiner) explainPods(ctx context.Context, service *core.Service) string {
	if len(service.Spec.Selector) == 0 {
		return "the Service has no selector: create its EndpointSlice"
	}
	selector := metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: service.Spec.Selector})
	list, err := c.dynamic.Resource(podResource).Namespace(service.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: 10})
	switch {
	case err != nil:
		return "kubectl -n " + service.Namespace + " get pods -l " + selector + " lists its pods"
	case len(list.Items) == 0:
		return "no pod has the labels of its selector, " + selector + ": see kubectl -n " + service.Namespace + " get deployments"
	}
	pod, err := decode[core.Pod](&list.Items[0])
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("pod %s is %s: see kubectl -n %s describe pod %s", pod.Name, pod.Status.Phase, service.Namespace, pod.Name)
}

// slicePort returns the number of a named port; 0 if the slice does not have it.
func slicePort(slice *discovery.EndpointSlice, name string) int32 {
	for _, p := range slice.Ports {
		if p.Port != nil && (p.Name == nil && name == "" || p.Name != nil && *p.Name == name) {
			return *p.Port
		}
	}
	return 0
}

func (c *examiner) endpoint(namespace string, e discovery.Endpoint, port int32) endpoint {
	if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
		pod := e.TargetRef.Name
		return endpoint{pod, func(ctx context.Context) (net.Conn, error) { return c.tunnel(ctx, namespace, pod, port) }}
	}
	return endpoint{e.Addresses[0], dialer(e.Addresses[0], port)}
}

func dialer(host string, port int32) func(context.Context) (net.Conn, error) {
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", address) }
}

// urlEndpoints returns the one endpoint of a URL. It is looked up from here, which may give another
// result than from an API server.
func urlEndpoints(ctx context.Context, client *apiextensions.WebhookClientConfig, checks *Checks) []endpoint {
	if client.URL == nil {
		checks.fail("clientConfig", "set one of the two", "it has neither a service nor a url")
		return nil
	}
	u, err := url.Parse(*client.URL)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" {
		checks.fail("URL", "it must be https://HOST[:PORT]/PATH", "%q cannot be used", *client.URL)
		return nil
	}
	port := defaultPort
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			checks.fail("URL", "it must be https://HOST[:PORT]/PATH", "%q cannot be used", *client.URL)
			return nil
		}
	}
	if net.ParseIP(u.Hostname()) == nil {
		addresses, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
		if err != nil {
			checks.fail("DNS", "correct the host of the URL, or its name server", "%v (looked up from this machine)", err)
			return nil
		}
		checks.pass("DNS", "%s is %s (looked up from this machine)", u.Hostname(), strings.Join(addresses, ", "))
	}
	return []endpoint{{u.Host, dialer(u.Hostname(), int32(port))}}
}
